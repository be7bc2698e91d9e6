/** Counts what was sighted: spaced, in minutes, and a failed look neither adds nor clears. */

import { DAY_MS } from '../duration.ts';
import type { Observation, ProviderLook } from '../observation.ts';
import type { PodRecord } from '../pod.ts';
import type { ProviderPod } from '../provider-pod.ts';
import { type PodSightings, type Sightings, sight } from '../registry/sweep.ts';
import { ABSENCE_SPACING_MS, idleGapMs, type ReaperRules } from '../rules.ts';
import { apiActivity, visitActivity } from './activity.ts';

export type SightingInput = {
  readonly before: PodSightings;
  readonly record: PodRecord;
  readonly observation: Observation;
  readonly rules: ReaperRules;
  readonly now: number;
  readonly routeTrusted: boolean;
};

/** The sightings after this look; observation never changes a limit, only these counts. */
export function countSightings(input: SightingInput): PodSightings {
  const { before, observation, now } = input;
  const pod = observation.provider.kind === 'present' ? observation.provider.pod : null;
  return {
    ...before,
    idle: pod === null ? before.idle : countIdle(input, pod),
    unreachable: pod === null ? before.unreachable : countUnreachable(input, pod),
    absent: countAbsent(before.absent, observation.provider, now),
    ownerless: countOwnerless(before.ownerless, observation, now),
    exited: countExited(before.exited, pod, now),
  };
}

function inGrace({ record, rules, now }: SightingInput, pod: ProviderPod): boolean {
  return now - (pod.startedAt ?? pod.createdAt ?? record.registeredAt) < rules.startupGraceMs;
}

function countIdle(input: SightingInput, pod: ProviderPod): Sightings | null {
  const { before, observation, rules, now } = input;
  if (pod.status !== 'RUNNING' || pod.telemetry.kind === 'unseen') return before.idle;
  if (inGrace(input, pod)) return null;
  if (apiActivity(pod, rules) === 'busy') return null;
  if (observation.visit.kind === 'unseen') return before.idle;
  const activity = visitActivity(observation.visit.value, pod, rules);
  if (activity.kind === 'busy') return null;
  if (activity.kind !== 'idle') return before.idle;
  return sight(before.idle, now, { spacingMs: rules.sightingSpacingMs, gapMs: idleGapMs(rules) });
}

function countUnreachable(input: SightingInput, pod: ProviderPod): Sightings | null {
  const { before, observation, rules, now, routeTrusted } = input;
  const { visit } = observation;
  if (visit.kind === 'seen') return null;
  if (visit.failure === 'refused-login' || visit.failure === 'wrong-host-key') return null;
  const counts =
    visit.failure === 'no-route' && pod.status === 'RUNNING' && routeTrusted && !inGrace(input, pod);
  if (!counts) return before.unreachable;
  const gapMs = Math.max(2 * rules.unreachableWindowMs, idleGapMs(rules));
  return sight(before.unreachable, now, { spacingMs: rules.sightingSpacingMs, gapMs });
}

function countAbsent(before: Sightings | null, look: ProviderLook, now: number): Sightings | null {
  if (look.kind === 'present') return null;
  if (look.kind === 'unseen' || look.listedAway.kind === 'unseen') return before;
  return sight(before, now, { spacingMs: ABSENCE_SPACING_MS, gapMs: 7 * DAY_MS });
}

function countOwnerless(before: Sightings | null, { owner }: Observation, now: number): Sightings | null {
  if (owner.kind === 'unseen') return before;
  if (owner.value.state !== 'missing') return null;
  return sight(before, now, { spacingMs: ABSENCE_SPACING_MS, gapMs: DAY_MS });
}

function countExited(before: Sightings | null, pod: ProviderPod | null, now: number): Sightings | null {
  if (pod === null) return before;
  if (pod.status !== 'EXITED') return null;
  return sight(before, now, { spacingMs: 0, gapMs: 30 * DAY_MS });
}
