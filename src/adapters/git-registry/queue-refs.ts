/** The queue as the remote lists it: refs, and the ops that lie under each. */
import type { Parsed } from '../../domain/registry/files.ts';
import { parseQueued, QUEUE_PATH, QUEUE_PREFIXES, type Queued } from '../../domain/registry/queue-entry.ts';
import { type Repository, readObjects } from './repository.ts';
import type { GitAnswer } from './run-git.ts';

export type QueueEntry = {
  readonly id: string;
  readonly ref: string;
  readonly oid: string;
  readonly parsed: Parsed<Queued>;
};

export type QueueRef = Omit<QueueEntry, 'parsed'>;

export function queueRefsOf(answer: GitAnswer): readonly QueueRef[] {
  return answer.stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [oid = '', ref = ''] = line.split('\t');
      const prefix = QUEUE_PREFIXES.find((each) => ref.startsWith(each));
      return prefix === undefined ? [] : [{ id: ref.slice(prefix.length), ref, oid }];
    });
}

/** Entries by ref; null = one of them is not here, since somebody folded it after it was listed. */
export async function readEntries(
  repository: Repository,
  refs: readonly QueueRef[],
  known: Map<string, Parsed<Queued>>,
): Promise<readonly QueueEntry[] | null> {
  const missing = refs.filter(({ oid }) => !known.has(oid));
  const texts = await readObjects(
    repository,
    missing.flatMap(({ oid }) => [oid, `${oid}:${QUEUE_PATH}`]),
  );
  for (const [index, { oid }] of missing.entries()) {
    const [commit = null, text = null] = texts.slice(2 * index, 2 * index + 2);
    if (commit === null) return null;
    known.set(oid, text === null ? { kind: 'damaged', problem: `no ${QUEUE_PATH}` } : parseQueued(text));
  }
  return refs.flatMap((ref) => {
    const parsed = known.get(ref.oid);
    return parsed === undefined ? [] : [{ ...ref, parsed }];
  });
}
