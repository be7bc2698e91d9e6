/** Re-arms that failed in a row: one may be chance, two leave the pod to the reaper alone and are an alert. */
import type { Outcome } from '../outcome.ts';
import { podKey } from '../pod.ts';
import type { SweepState } from '../registry/sweep.ts';
import type { Plan, PodPlan } from './plan.ts';

/** So many in a row are told as an alert of their own. */
export const REARMS_TO_ALERT = 2;

/** How many re-arms of this pod have failed in a row, this cycle's included; a cycle without a try changes nothing. */
export function failedRearms(of: PodPlan, outcomes: readonly Outcome[]): number {
  const { rearmFailures } = of.sightings;
  const tried = outcomes.find(({ pod, order }) => pod === of.record.id && order === 're-arm');
  if (tried !== undefined) return tried.kind === 'done' ? 0 : rearmFailures + 1;
  // Armed by somebody else meanwhile, or with nothing left to arm for.
  return of.observation.visit.kind === 'seen' ? 0 : rearmFailures;
}

/** The sweep state that a cycle leaves once its orders were carried out. */
export function sweepWithRearms({ sweep, pods }: Plan, outcomes: readonly Outcome[]): SweepState {
  const counted = pods.flatMap((of) => {
    const key = podKey(of.record);
    const sightings = sweep.pods[key];
    return sightings === undefined
      ? []
      : [[key, { ...sightings, rearmFailures: failedRearms(of, outcomes) }] as const];
  });
  return { ...sweep, pods: { ...sweep.pods, ...Object.fromEntries(counted) } };
}
