/** The queue as GitHub lists it, and how its refs move. */
import type { Parsed } from '../../domain/registry/files.ts';
import { parseQueued, QUEUE_PATH, QUEUE_PREFIXES, type Queued } from '../../domain/registry/queue-entry.ts';
import { blobText } from './ask.ts';
import { judge, type Outcome } from './outcome.ts';
import { MOVE, type QueueRef, refsMoved } from './queries.ts';
import type { Session } from './session.ts';

export type QueueEntry = {
  readonly id: string;
  readonly ref: string;
  readonly oid: string;
  readonly parsed: Parsed<Queued>;
};

const NONE = '0'.repeat(40);

async function parse(session: Session, { ops }: NonNullable<QueueRef['target']>): Promise<Parsed<Queued>> {
  const blob = ops?.object ?? null;
  if (ops === undefined || ops === null || blob === null)
    return { kind: 'damaged', problem: `no ${QUEUE_PATH}` };
  const cut = blob.isTruncated || blob.text === null;
  return parseQueued(cut ? await blobText(session, ops.oid) : (blob.text ?? ''));
}

export async function readEntries(
  session: Session,
  refs: readonly QueueRef[],
): Promise<readonly QueueEntry[]> {
  const entries: QueueEntry[] = [];
  for (const { name, prefix: before, target } of refs) {
    const ref = `${before}${name}`;
    const prefix = QUEUE_PREFIXES.find((each) => ref.startsWith(each));
    if (prefix === undefined || target === null) continue;
    const parsed = session.entries.get(target.oid) ?? (await parse(session, target));
    session.entries.set(target.oid, parsed);
    entries.push({ id: ref.slice(prefix.length), ref, oid: target.oid, parsed });
  }
  return entries;
}

export type RefMove = {
  readonly ref: string;
  /** null = it must not exist. */
  readonly before: string | null;
  /** null = deleted. */
  readonly after: string | null;
  readonly force: boolean;
};

/** One comparison and one move by GitHub itself, of all refs or of none. */
export async function moveRefs(session: Session, moves: readonly RefMove[]): Promise<Outcome> {
  const refUpdates = moves.map(({ ref, before, after, force }) => ({
    name: ref,
    beforeOid: before ?? NONE,
    afterOid: after ?? NONE,
    force,
  }));
  const input = { repositoryId: session.nodeId, refUpdates };
  const outcome = judge(await session.api.graphql(MOVE, { input }), session.clock.now());
  if (outcome.kind !== 'done' || refsMoved.safeParse(outcome.body).success) return outcome;
  return { kind: 'ambiguous', why: 'the answer is not of the shape that was asked for' };
}

/** What stays is dropped by its keys: an entry never says anything else, so no comparison is needed. */
export async function dropRefs(session: Session, entries: readonly QueueEntry[]): Promise<void> {
  for (const { ref } of entries) await session.api.rest('DELETE', `/repos/${session.name}/git/${ref}`);
}
