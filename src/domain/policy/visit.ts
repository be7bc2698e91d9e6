/** The part of the policy that judges what the visit saw: activity, idleness, and no route. */
import type { Visit, VisitFailure } from '../observation.ts';
import type { ProviderPod } from '../provider-pod.ts';
import type { PodSightings } from '../registry/sweep.ts';
import { apiActivity, restsUnderBeat, visitActivity } from './activity.ts';
import type { DecideInput } from './input.ts';
import { type KeepReason, type Verdict, verdict } from './reasons.ts';

/** The last rule of `decide`: always speaks. */
export function judgeVisit(input: DecideInput, pod: ProviderPod): Verdict {
  const { record, rules, now, observation } = input;
  const startedAt = pod.startedAt ?? pod.createdAt ?? record.registeredAt;
  const sinceMs = now - startedAt;
  if (sinceMs < rules.startupGraceMs) return verdict('starting', { sinceMs });
  const { visit } = observation;
  if (visit.kind === 'seen') return judgeSeen(input, pod, visit.value);
  if (apiActivity(pod, rules) === 'busy') return verdict('api-busy', { visit: visit.failure });
  if (visit.failure === 'no-route') return judgeNoRoute(input, pod);
  return verdict(FAILURE_REASON[visit.failure], { failure: visit.failure, why: visit.reason });
}

const FAILURE_REASON: Readonly<Record<Exclude<VisitFailure, 'no-route'>, KeepReason>> = {
  'not-ready': 'not-ready',
  'proxy-only': 'visit-failed',
  'private-address': 'not-ready',
  'refused-login': 'login-refused',
  'wrong-host-key': 'host-key-changed',
  'held-shut': 'visit-failed',
  'incomplete-answer': 'visit-failed',
  'timed-out': 'visit-failed',
  'not-shown': 'visit-failed',
  'no-key': 'visit-failed',
};

function judgeSeen(input: DecideInput, pod: ProviderPod, visit: Visit): Verdict {
  const { rules, sightings, now } = input;
  const activity = visitActivity(visit, pod, rules);
  if (activity.kind === 'busy')
    return verdict(activity.by, restsUnderBeat(visit, pod, rules) ? { gpu: 'idle' } : {});
  if (apiActivity(pod, rules) === 'busy') return verdict('api-busy');
  if (activity.kind === 'unknown') return verdict('idle-unknown', { why: activity.why });
  if (activity.kind === 'no-gpu') return verdict('no-gpu');
  const evidence = {
    strikes: sightings.idle?.count ?? 0,
    needed: rules.idleStrikes,
    sinceMs: sightings.idle === null ? 0 : now - sightings.idle.firstAt,
    windowMs: rules.idleWindowMs,
    samples: activity.samples,
    residentMemoryMib: activity.memoryMib,
  };
  return verdict(idleProven(sightings, input) ? 'idle' : 'idle-counting', evidence);
}

/** A count *and* an elapsed time between spaced sightings. */
function idleProven(sightings: PodSightings, { rules }: DecideInput): boolean {
  const idle = sightings.idle;
  return idle !== null && idle.count >= rules.idleStrikes && idle.lastAt - idle.firstAt >= rules.idleWindowMs;
}

/** Only "no route", long enough, idle by the provider, and the owner not in progress. */
function judgeNoRoute(
  { sightings, rules, observation, routeTrusted, now }: DecideInput,
  pod: ProviderPod,
): Verdict {
  const gone = sightings.unreachable;
  const api = apiActivity(pod, rules);
  const inProgress = observation.owner.kind === 'seen' && observation.owner.value.state === 'in-progress';
  const evidence = {
    sightings: gone?.count ?? 0,
    needed: rules.unreachableReaps,
    sinceMs: gone === null ? 0 : now - gone.firstAt,
    provider: api,
    ownerInProgress: inProgress,
    routeTrusted,
  };
  const proven =
    gone !== null &&
    gone.count >= rules.unreachableReaps &&
    gone.lastAt - gone.firstAt >= rules.unreachableWindowMs;
  const unreachable = proven && routeTrusted && api === 'idle' && !inProgress;
  return verdict(unreachable ? 'unreachable' : 'unreachable-counting', evidence);
}
