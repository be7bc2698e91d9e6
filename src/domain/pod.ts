/** The record of one pod: what the registry branch holds about it. */
import { z } from 'zod';
import { mirrorFacts } from './artifacts.ts';
import { choice } from './choice.ts';
import { deadlines } from './deadlines.ts';
import { instant } from './instant.ts';
import { owner } from './owner.ts';
import { FENCE_MS, FENCE_SKEW_MS, frozenRules } from './rules.ts';
import { stoppedFacts } from './stopped.ts';

export const SCHEMA_VERSION = 1;

/** Lifecycle: intent → active ⇄ terminating → terminated | lost; a pod seen again is reopened. */
export const podStatus = z.enum(['intent', 'active', 'terminating', 'terminated', 'lost']);

/** A provider id (or, for an intent, the exact name that will be given). */
export const podId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/);

export const isPodId = (text: string): boolean => podId.safeParse(text).success;

/** Ids that look alike in a path or to a person: refused beside each other. */
export const lookAlike = (id: string): string => id.toLowerCase().replaceAll('_', '-');

/** What the artifact rule works with. `none` = the user declined artifacts at register. */
export const artifactSpec = z.object({
  remotePath: z.string().max(1000).nullable(),
  none: z.boolean(),
  allowEmpty: z.boolean().default(false),
  /** Which files below the path; null = all, as in every record from before there were patterns. */
  choice: choice.nullable().default(null),
});

/** Who holds the right to end the pod, why, and until when. */
export const fence = z.object({
  /** `reaper` or the owner's uuid. */
  holder: z.string().min(1).max(200),
  reason: z.string().max(80),
  /** The record's rev at which the verdict was made. */
  rev: z.number().int().min(1),
  at: instant,
  until: instant,
  inferred: z.boolean(),
  /** How far the holder is: said in the history, decides nothing. */
  step: z.enum(['fenced', 'pulled', 'verified', 'deleted']).default('fenced'),
});
export type Fence = z.infer<typeof fence>;

/** Which rung of the credential ladder is on the pod and what it was measured to be able to do. */
export const switchFacts = z.object({
  armedAt: instant,
  credential: z.enum(['explicit', 'injected', 'deadman', 'full']),
  /** `yes`, `no` or `unknown` for each ability. */
  mayRead: z.enum(['yes', 'no', 'unknown']).default('unknown'),
  mayTerminate: z.enum(['yes', 'no', 'unknown']).default('unknown'),
  petWindowMs: z.number().int().min(0).nullable().default(null),
  tool: z.string().max(40).nullable().default(null),
});
export type SwitchFacts = z.infer<typeof switchFacts>;

/** SHA-256 fingerprints only; an address never stands in the registry. */
const fingerprint = z.string().regex(/^SHA256:[A-Za-z0-9+/=]{20,64}$/);

export const hostKeyPin = z.object({
  fingerprint,
  /** Keys of other kinds that the same start printed; gone once a connection has shown which one is served. */
  others: z.array(fingerprint).max(8).optional(),
  seenAt: instant,
  /** The provider start under which it was seen: a later start may bring a new key. */
  startedAt: instant.nullable(),
  from: z.enum(['container-log', 'first-use', 'restart']),
});
export type HostKeyPin = z.infer<typeof hostKeyPin>;

/** The last verdict that differed from the one before, with its evidence. */
export const verdictFacts = z.object({
  at: instant,
  kind: z.enum(['keep', 'end', 'gone']),
  reason: z.string().max(80),
  evidence: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** What it was computed from, for `replay`; its form is the policy's (`policy/basis.ts`). Left out = an owner's word. */
  basis: z.record(z.string(), z.unknown()).optional(),
});
export type VerdictFacts = z.infer<typeof verdictFacts>;

export const podEnd = z.object({
  at: instant,
  how: z.enum(['terminated', 'lost']),
  reason: z.string().max(80),
  /** Whether the artifacts were verified before; null = none were wanted. */
  verified: z.boolean().nullable(),
  costMicroUsd: z.number().int().min(0).nullable(),
  inferred: z.boolean().default(false),
});

export const podRecord = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  provider: z.literal('runpod'),
  id: podId,
  name: z.string().max(200),
  /** The account as the provider names it; null where it could not be asked. */
  account: z.string().max(100).nullable(),
  status: podStatus,
  rev: z.number().int().min(1),
  owner,
  /** The provider's creation time: id and createdAt together say that it is this pod. */
  createdAt: instant.nullable(),
  startedAt: instant.nullable(),
  nonce: z.string().max(40).nullable(),
  gpu: z.string().max(120).nullable(),
  costPerHourMicroUsd: z.number().int().min(0).nullable(),
  volumeId: z.string().max(100).nullable(),
  deadlines,
  rules: frozenRules,
  artifacts: artifactSpec,
  registeredAt: instant,
  updatedAt: instant,
  /** First time a login worked; set once for ever. */
  reachedAt: instant.nullable(),
  heartbeatAt: instant.nullable(),
  fence: fence.nullable(),
  switch: switchFacts.nullable(),
  hostKey: hostKeyPin.nullable(),
  lastMirror: mirrorFacts.extend({ at: instant }).nullable(),
  lastVerdict: verdictFacts.nullable(),
  confirmed: z.object({ at: instant, proof: z.string().max(120) }).nullable(),
  end: podEnd.nullable(),
  /** Left out = its owner has not stopped it. */
  stopped: stoppedFacts.optional(),
  notes: z.array(z.string().max(300)).max(20).default([]),
  /** Idempotency keys of the last operations. */
  keys: z.array(z.string().max(300)).max(16),
});

export type PodRecord = z.infer<typeof podRecord>;

/** The key of a pod in the registry: `<provider>.<id>`. */
export function podKey(of: { readonly provider: string; readonly id: string }): string {
  return `${of.provider}.${of.id}`;
}

/** One answer of the provider gives fractions of a second, another does not. */
const CREATION_SLACK_MS = 1000;

/** Id and creation time together say that it is this pod; where a side does not know its time, the id does. */
export function isSamePod(
  record: Pick<PodRecord, 'id' | 'createdAt'>,
  pod: { readonly id: string; readonly createdAt: number | null },
): boolean {
  if (record.id !== pod.id) return false;
  if (record.createdAt === null || pod.createdAt === null) return true;
  return Math.abs(record.createdAt - pod.createdAt) < CREATION_SLACK_MS;
}

/**
 * Whether a fence binds others than its holder. One that would run for longer than any can be set was written by
 * hand, or by a clock that is far off: it would be a lock that stays, and binds nobody.
 */
export function fenceBinds(fence: Fence, now: number): boolean {
  return fence.until > now && fence.until <= now + FENCE_MS + FENCE_SKEW_MS;
}

/** Records that stand for a pod that may bill. */
export function isLive(record: PodRecord): boolean {
  return record.status === 'active' || record.status === 'terminating';
}
