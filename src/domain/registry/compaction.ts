/** A compaction: the branch starts anew from its present tree, and its old tip stays under a ref of its own. */
import { encodeWord, parseMessage, parseOpTrailer } from './message.ts';
import { oneLine } from './plain-text.ts';

/** `refs/podtrack/archive/<epoch>` holds the last commit before compaction number `<epoch>`. */
export const ARCHIVE_PREFIX = 'refs/podtrack/archive/';

export type Compaction = { readonly epoch: number; readonly previous: string };

const OID = /^[0-9a-f]{40,64}$/;

/** What a commit without parent says of the history before it; null for any other beginning. */
export function readCompaction(message: string): Compaction | null {
  const { trailers } = parseMessage(message);
  const said = (name: string): string | undefined => trailers.find(([each]) => each === name)?.[1];
  const op = parseOpTrailer(said('Podtrack-Op') ?? '');
  const previous = said('Podtrack-Previous') ?? '';
  const epoch = Number(/^[1-9]\d{0,8}$/.exec(op['epoch'] ?? '')?.[0] ?? Number.NaN);
  if (op['op'] !== 'compact' || !OID.test(previous) || Number.isNaN(epoch)) return null;
  return { epoch, previous };
}

export function compactionMessage(of: {
  readonly compaction: Compaction;
  readonly seq: number;
  readonly key: string;
  readonly actor: { readonly kind: string; readonly label: string | null };
  readonly reason: string;
}): string {
  const { compaction, seq, key, actor, reason } = of;
  const { epoch, previous } = compaction;
  const ref = `${ARCHIVE_PREFIX}${epoch}`;
  return [
    oneLine(`compact the history: epoch ${epoch}, by ${actor.label ?? actor.kind}`).slice(0, 72),
    '',
    oneLine(reason),
    '',
    `What was before: git fetch origin ${ref} && git log FETCH_HEAD`,
    '',
    '[skip ci]',
    '',
    `Podtrack-Op: compact pod=- rev=- key=${encodeWord(key)} epoch=${epoch}`,
    `Podtrack-Previous: ${previous}`,
    `Podtrack-Actor: ${oneLine(`${actor.kind} ${actor.label ?? ''}`)}`,
    `Podtrack-Seq: ${seq}`,
    '',
  ].join('\n');
}
