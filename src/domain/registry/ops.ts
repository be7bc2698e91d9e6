/** Operations on the registry: plain data, so that a lost race can apply them again. */
import { z } from 'zod';
import { mirrorFacts } from '../artifacts.ts';
import { instant } from '../instant.ts';
import { owner } from '../owner.ts';
import { fence, hostKeyPin, podEnd, podId, podRecord, switchFacts, verdictFacts } from '../pod.ts';
import { registryId } from '../stamp.ts';
import { stoppedFacts } from '../stopped.ts';

/** Who acts: the reaper, or an owner by uuid (with the label for people). */
export const actor = z.object({
  kind: z.enum(['owner', 'reaper', 'person']),
  uuid: z.string().max(200).nullable(),
  label: z.string().max(200).nullable(),
  /** Run address for the history: `<owner>/<repo>/actions/runs/<id>/attempts/<n>`. */
  run: z.string().max(300).nullable().default(null),
});
export type Actor = z.infer<typeof actor>;

const ledgerFile = z.string().regex(/^ledger\/\d{4}\/\d{2}\/\d{2}\.jsonl$/);

const base = z.object({
  /** Idempotency key; the same key is never applied twice. */
  key: z.string().min(1).max(300),
  at: instant,
  actor,
});
const onPod = base.extend({ pod: podId });
/** Refused when the record has moved on since the decision. */
const atRev = onPod.extend({ rev: z.number().int().min(1) });

export const registryOp = z.discriminatedUnion('op', [
  onPod.extend({ op: z.literal('intent'), record: podRecord }),
  onPod.extend({
    op: z.literal('register'),
    record: podRecord,
    /** The intent's exact name that this pod fulfils. */
    fulfils: podId.nullable().default(null),
  }),
  atRev.extend({ op: z.literal('reclaim'), owner, ownerDeadlineAt: instant.nullable() }),
  atRev.extend({
    op: z.literal('claim'),
    owner,
    ownerDeadlineAt: instant.nullable(),
    /** A cap that nothing moves from then on; refused where one was given before. Left out = as it is. */
    absoluteDeadlineAt: instant.optional(),
    /** Why a live owner's pod was taken by force; null for an orphan or a hand-over. */
    forcedBecause: z.string().max(300).nullable(),
  }),
  onPod.extend({ op: z.literal('arm'), facts: switchFacts, hostKey: hostKeyPin.nullable() }),
  onPod.extend({ op: z.literal('heartbeat') }),
  onPod.extend({
    op: z.literal('extend'),
    /** null = the single automatic extension. */
    ownerDeadlineAt: instant.nullable(),
  }),
  onPod.extend({ op: z.literal('keep'), untilAt: instant, reason: z.string().max(200) }),
  atRev.extend({ op: z.literal('fence'), fence }),
  onPod.extend({ op: z.literal('release'), fenceRev: z.number().int().min(1), reason: z.string().max(200) }),
  onPod.extend({ op: z.literal('confirm'), fenceRev: z.number().int().min(1), proof: z.string().max(120) }),
  onPod.extend({
    op: z.literal('settle'),
    /** What a cycle learned and what changed; nothing here moves a limit. */
    verdict: verdictFacts.nullable().default(null),
    mirror: mirrorFacts.nullable().default(null),
    reachedAt: instant.nullable().default(null),
    startedAt: instant.nullable().default(null),
    hostKey: hostKeyPin.nullable().default(null),
    note: z.string().max(300).nullable().default(null),
    end: podEnd.nullable().default(null),
    /** Its owner has stopped it; nothing that moves a limit either. */
    stopped: stoppedFacts.optional(),
  }),
  onPod.extend({ op: z.literal('reopen'), reason: z.string().max(200) }),
  onPod.extend({ op: z.literal('repair'), record: podRecord, reason: z.string().max(200) }),
  base.extend({
    op: z.literal('acknowledge'),
    what: z.enum(['breaker', 'rewound', 'account', 'copied']),
    /** For `rewound`: the lost tip, as `sweep.registryTip` names it. */
    tip: z.string().max(80).nullable(),
    /** For `copied`: what the registry is called from now on, and where it lies. */
    registry: z
      .object({ id: registryId, repository: z.object({ server: z.string(), id: z.string() }) })
      .optional(),
    reason: z.string().max(300),
  }),
  base.extend({ op: z.literal('migrate'), toSchema: z.number().int() }),
  /** Removes the tombstone of a pod that ended long ago, or a promise that nobody kept. */
  onPod.extend({ op: z.literal('forget') }),
  /** Removes a damaged file that stands for no record. */
  base.extend({ op: z.literal('discard'), path: z.string().max(300), reason: z.string().max(200) }),
  /** Brings in a whole registry, moved or restored. Nothing that is there gets older or lost. */
  base.extend({
    op: z.literal('import'),
    registryId,
    records: z.array(podRecord).max(50_000),
    ledger: z.array(z.object({ path: ledgerFile, line: z.string().max(4000) })).max(1_000_000),
    reason: z.string().max(200),
  }),
]);

export type RegistryOp = z.infer<typeof registryOp>;
export type OpKind = RegistryOp['op'];
export type OpOf<K extends OpKind> = Extract<RegistryOp, { op: K }>;

/** What an applied op did, for the history: one line a person reads, one trailer a program reads. */
export type RegistryEvent = {
  readonly op: OpKind;
  readonly key: string;
  readonly at: number;
  readonly actor: Actor;
  /** `<provider>.<id>`; null for ops on the whole registry. */
  readonly pod: string | null;
  readonly rev: number | null;
  /** `register runpod.abc (H100) by acme/ml#7`. At most 72 characters, no line break. */
  readonly headline: string;
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
  /** Rows that the ledger must hold after this op. */
  readonly ledger?: readonly LedgerRow[];
};

/** What must be appended to which ledger file, unless the file says it already. */
export type LedgerRow = { readonly path: string; readonly line: string; readonly unless?: string };

/** Why an op was refused, from a closed list. */
export type RefusedBecause =
  | 'exists'
  | 'look-alike'
  | 'not-found'
  | 'rev-moved'
  | 'not-active'
  | 'not-terminating'
  | 'already-ended'
  | 'other-owner'
  | 'fence-held'
  | 'not-my-fence'
  | 'no-extension-left'
  | 'beyond-absolute'
  /** An extend never brings the owner deadline nearer. */
  | 'not-later'
  | 'not-fulfilled'
  /** The record's file is damaged and no valid version of it was found. */
  | 'quarantined'
  /** The op does not have the shape of its schema. */
  | 'invalid'
  | 'newer-schema'
  /** What is imported is another registry's. */
  | 'other-registry'
  | 'too-early';

export type Applied<State> =
  | { readonly kind: 'applied'; readonly state: State; readonly event: RegistryEvent }
  /** The same key was applied before, or the registry already says what the op asks for. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'refused'; readonly because: RefusedBecause; readonly detail: string };
