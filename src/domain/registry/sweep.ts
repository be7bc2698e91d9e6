/** What the reaper remembers between cycles: spaced sightings, the last full sweep, the tip it saw. */
import { z } from 'zod';
import { instant } from '../instant.ts';
import { SCHEMA_VERSION } from '../pod.ts';
import { registryId } from '../stamp.ts';

/** A run of spaced sightings of one thing (idle, no route, absent, ownerless). */
export const sightings = z.object({
  count: z.number().int().min(1),
  firstAt: instant,
  lastAt: instant,
});
export type Sightings = z.infer<typeof sightings>;

export const podSightings = z.object({
  idle: sightings.nullable().default(null),
  unreachable: sightings.nullable().default(null),
  absent: sightings.nullable().default(null),
  ownerless: sightings.nullable().default(null),
  stray: sightings.nullable().default(null),
  exited: sightings.nullable().default(null),
  rearmFailures: z.number().int().min(0).default(0),
});
export type PodSightings = z.infer<typeof podSightings>;

export const NO_SIGHTINGS: PodSightings = {
  idle: null,
  unreachable: null,
  absent: null,
  ownerless: null,
  stray: null,
  exited: null,
  rearmFailures: 0,
};

/** Content of the state branch: one parentless commit with one file, replaced by lease. */
export const sweepState = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  registryId,
  lastFullSweepAt: instant.nullable(),
  /** Tip of the registry branch after the last sweep: a tip that is no descendant means rewound. */
  registryTip: z.string().max(80).nullable(),
  breakerTrippedAt: instant.nullable().default(null),
  /** Advisory only: it saves work, safety comes from the fence. */
  sweeping: z
    .object({ by: z.string().max(200), since: instant })
    .nullable()
    .default(null),
  /** By pod key for records, by provider id for strays. */
  pods: z.record(z.string().max(200), podSightings),
  /** Foreign pods that were told once. */
  foreignTold: z.array(z.string().max(100)).max(5000).default([]),
});
export type SweepState = z.infer<typeof sweepState>;

export function emptySweep(id: string): SweepState {
  return {
    schemaVersion: SCHEMA_VERSION,
    registryId: id,
    lastFullSweepAt: null,
    registryTip: null,
    breakerTrippedAt: null,
    sweeping: null,
    pods: {},
    foreignTold: [],
  };
}

/**
 * Adds a sighting at `now`: nearer than `spacingMs` to the last one it is the same one; a gap longer than
 * `gapMs` starts afresh. Strikes are minutes, not cycles.
 */
export function sight(
  before: Sightings | null,
  now: number,
  spacing: { readonly spacingMs: number; readonly gapMs: number },
): Sightings {
  if (before === null || now - before.lastAt > spacing.gapMs || now < before.firstAt) {
    return { count: 1, firstAt: now, lastAt: now };
  }
  if (now - before.lastAt < spacing.spacingMs) return before;
  return { count: before.count + 1, firstAt: before.firstAt, lastAt: now };
}
