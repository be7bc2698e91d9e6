/** An entry of the queue: ops that could not be committed in time, as one file under a ref of its own. */
import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../duration.ts';
import { SCHEMA_VERSION } from '../pod.ts';
import { registryId } from '../stamp.ts';
import { type Parsed, parseFile } from './files.ts';
import { stableText } from './json.ts';
import type { Sha256 } from './layout.ts';
import { type OpKind, type RegistryOp, registryOp } from './ops.ts';

/** Where entries lie; the second place is for a forge that takes no refs outside its branches. */
export const QUEUE_PREFIXES = ['refs/podtrack/queue/', 'refs/heads/podtrack-intents/'] as const;
/** The one file of an entry. */
export const QUEUE_PATH = 'ops.json';
/** Older than this an entry is folded or refused: nobody waits for it any more. */
const PATIENCE_MS = HOUR_MS;
/** Clocks of writers may differ by this much. */
const SKEW_MS = 10 * MINUTE_MS;
const MAX_LENGTH = 4 * 1024 * 1024;
const ID = /^(\d{13})-[0-9a-f]{12}$/;

/**
 * What may come late. Ops that decide a race (claim, reclaim, fence) or answer an alarm may not: who was told "queued"
 * would act on what was never decided.
 */
const MAY_WAIT: ReadonlySet<OpKind> = new Set<OpKind>([
  'intent',
  'register',
  'arm',
  'heartbeat',
  'extend',
  'keep',
  'release',
  'confirm',
  'settle',
  'reopen',
]);

export function mayWait({ op }: Pick<RegistryOp, 'op'>): boolean {
  return MAY_WAIT.has(op);
}

const queued = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  registryId,
  ops: z.array(registryOp.refine(mayWait, 'an op that may not wait')).min(1).max(1000),
});
export type Queued = z.infer<typeof queued>;

/** Whoever may push a ref may write one: nothing of it is believed before it was parsed. */
export function parseQueued(text: string): Parsed<Queued> {
  return parseFile(queued, text, { maxLength: MAX_LENGTH });
}

export function queuedText(registry: string, ops: readonly RegistryOp[]): string {
  return stableText(z.encode(queued, { schemaVersion: SCHEMA_VERSION, registryId: registry, ops: [...ops] }));
}

/** The same ops at the same time have the same id, so that a second try finds the first; ids sort by time. */
export function queueId(ops: readonly RegistryOp[], now: number, sha256: Sha256): string {
  const keys = ops.map(({ key }) => key).join('\n');
  return `${String(Math.max(0, now)).padStart(13, '0')}-${sha256(keys).slice(0, 12)}`;
}

/** Whether an entry has waited long enough; one whose name tells no believable time has. */
export function isOverdue(id: string, now: number): boolean {
  const at = Number(ID.exec(id)?.[1] ?? Number.NaN);
  return !(at > now - PATIENCE_MS && at < now + SKEW_MS);
}

/** The subject of an entry's own commit, for people who list refs. */
export function queuedMessage(ops: readonly RegistryOp[]): string {
  const kinds = [...new Set(ops.map(({ op }) => op))].join(', ');
  return `wait for a winner: ${kinds} (${ops.length})\n\n[skip ci]\n`;
}
