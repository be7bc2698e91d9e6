/** The judging knobs: their names, defaults, profiles and limits. */
import { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

/** Every knob that a verdict may rest on. Durations in ms, counts ≥ 1, percentages 0-100. */
export type Rules = {
  /** No idle or unreachable verdict before this long after the provider's start. */
  readonly startupGraceMs: number;
  /** Spaced idle sightings needed. */
  readonly idleStrikes: number;
  /** Least time from first to last idle sighting. */
  readonly idleWindowMs: number;
  /** Two sightings nearer than this are one. */
  readonly sightingSpacingMs: number;
  /** A heartbeat younger than this on the pod's clock is fresh. */
  readonly hbGraceMs: number;
  /** How far a pet, or an automatic extension, moves the deadline. */
  readonly petMinMs: number;
  /** Spaced "no route" sightings needed. */
  readonly unreachableReaps: number;
  /** Least time from first to last "no route" sighting. */
  readonly unreachableWindowMs: number;
  /** A stray younger than this is left alone. */
  readonly untrackedGraceMs: number;
  /** An EXITED pod is left alone for this long. */
  readonly exitedGraceMs: number;
  /** A pod we created must be reachable by then. */
  readonly bootLimitMs: number;
  /** Time kept after the owner deadline so that a pull is not cut. */
  readonly pullMarginMs: number;
  /** Automatic extensions while a heartbeat is fresh. */
  readonly maxExtensions: number;
  /** Least uptime before the provider's telemetry may say idle. */
  readonly apiIdleMinUptimeMs: number;
  /** GPU utilisation above this percentage is activity. */
  readonly minGpuUtil: number;
  /** Whether live SSH sessions count as activity. */
  readonly activity: 'jobs' | 'jobs-and-ssh';
};

/** Knobs of the reaper alone; they are never frozen into a record. */
export type ReaperRules = Rules & {
  /** More inferred verdicts than this in a cycle, or by the fences of the last hour: none of them. */
  readonly maxKills: number;
  /** Wait after an owner's run completed. */
  readonly orphanGraceMs: number;
};

export const BREAKER_WINDOW_MS = HOUR_MS;
export const ABSENCE_SPACING_MS = 10 * MINUTE_MS;
export const FENCE_MS = 30 * MINUTE_MS;
/** How far ahead the clock of a fence's holder may be. */
export const FENCE_SKEW_MS = 5 * MINUTE_MS;
/** A pod whose end was accepted may be shown for this long before its DELETE counts as lost. */
export const LINGER_MS = 10 * MINUTE_MS;
/** A pull that may not hold up the end of its pod gets this long. */
export const BRIEF_PULL_MS = 2 * MINUTE_MS;
/** Policy and artifacts are looked at no longer than this before DELETE. */
export const LATEST_LOOK_MS = 60 * SECOND_MS;
/** So long the record of an ended pod stays, so that one that comes back is known. */
export const TOMBSTONE_MS = 30 * DAY_MS;
export const HEARTBEAT_SKEW_MS = 2 * MINUTE_MS;
/** A stamp minted longer than this before the pod was created is a copied stamp. */
export const STAMP_MINT_MS = HOUR_MS;

export type ProfileName = 'long' | 'smoke' | 'cpu-heavy';

/** What a profile sets: the knobs that differ, and the owner deadline when none is given. */
export type Profile = { readonly killInMs: number; readonly rules: Partial<Rules> };

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  long: { killInMs: 360 * MINUTE_MS, rules: {} },
  smoke: {
    killInMs: 45 * MINUTE_MS,
    rules: { startupGraceMs: 5 * MINUTE_MS, idleStrikes: 2, hbGraceMs: 10 * MINUTE_MS },
  },
  'cpu-heavy': {
    killInMs: 360 * MINUTE_MS,
    rules: { idleStrikes: 5, hbGraceMs: 60 * MINUTE_MS },
  },
};

/** Minutes of sustained idleness that one strike stands for: the cadence of the seed's timer. */
export const IDLE_STEP_MS = 5 * MINUTE_MS;

export const DEFAULT_RULES: ReaperRules = {
  startupGraceMs: 15 * MINUTE_MS,
  idleStrikes: 3,
  idleWindowMs: 3 * IDLE_STEP_MS,
  sightingSpacingMs: 4 * MINUTE_MS,
  hbGraceMs: 20 * MINUTE_MS,
  petMinMs: 30 * MINUTE_MS,
  unreachableReaps: 3,
  unreachableWindowMs: 30 * MINUTE_MS,
  untrackedGraceMs: 30 * MINUTE_MS,
  exitedGraceMs: 24 * HOUR_MS,
  bootLimitMs: 15 * MINUTE_MS,
  pullMarginMs: 15 * MINUTE_MS,
  maxExtensions: 1,
  apiIdleMinUptimeMs: 600 * SECOND_MS,
  minGpuUtil: 0,
  activity: 'jobs',
  maxKills: 10,
  orphanGraceMs: 60 * SECOND_MS,
};

/** Idle sightings further apart than this start the count afresh. */
export function idleGapMs(rules: Rules): number {
  return Math.max(2 * rules.idleWindowMs, 30 * MINUTE_MS);
}

/** The knobs that register freezes into the record, so that the rules travel with the pod. */
export const frozenRules = z.object({
  startupGraceMs: z.number().int().min(SECOND_MS),
  idleStrikes: z.number().int().min(1),
  idleWindowMs: z.number().int().min(SECOND_MS),
  sightingSpacingMs: z.number().int().min(0),
  hbGraceMs: z.number().int().min(SECOND_MS),
  petMinMs: z.number().int().min(SECOND_MS),
  unreachableReaps: z.number().int().min(1),
  unreachableWindowMs: z.number().int().min(SECOND_MS),
  untrackedGraceMs: z.number().int().min(SECOND_MS),
  exitedGraceMs: z.number().int().min(SECOND_MS),
  bootLimitMs: z.number().int().min(SECOND_MS),
  pullMarginMs: z.number().int().min(SECOND_MS),
  maxExtensions: z.number().int().min(0),
  apiIdleMinUptimeMs: z.number().int().min(0),
  minGpuUtil: z.number().min(0).max(100),
  activity: z.enum(['jobs', 'jobs-and-ssh']),
});

/** The part of `rules` that belongs into a record. */
export function freeze(rules: Rules): Rules {
  return frozenRules.parse(rules);
}
