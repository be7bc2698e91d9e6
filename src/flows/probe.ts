/** Probe: one visit to one pod with six GPU samples, told and not acted upon. */
import type { VisitLook } from '../domain/observation.ts';
import type { PodRecord } from '../domain/pod.ts';
import { apiActivity, type VisitActivity, visitActivity } from '../domain/policy/activity.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import type { World } from '../ports.ts';
import { findRecord } from './find-record.ts';
import { shownPod } from './shown-pod.ts';
import { visit } from './watch/visit.ts';

export type Probed = {
  readonly record: PodRecord;
  readonly pod: ProviderPod;
  readonly look: VisitLook;
  /** What the policy makes of it; null = the visit failed. */
  readonly activity: VisitActivity | null;
  /** What the provider's telemetry says by itself. */
  readonly api: ReturnType<typeof apiActivity>;
};

const SURE_SAMPLES = 6;

/** Throws for an unknown or vanished pod; a failed visit is an answer. */
export async function probe(world: World, podId: string): Promise<Probed> {
  const { record } = await findRecord(world, podId);
  const pod = await shownPod(world, record);
  const { look, session } = await visit(world, { record, pod, samples: SURE_SAMPLES });
  await session?.close();
  const activity = look.kind === 'seen' ? visitActivity(look.value, pod, record.rules) : null;
  return { record, pod, look, activity, api: apiActivity(pod, record.rules) };
}
