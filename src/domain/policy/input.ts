/** What the policy is asked with: the record, what was seen, what was seen before, the rules and the time. */
import type { Observation } from '../observation.ts';
import type { PodRecord } from '../pod.ts';
import type { PodSightings } from '../registry/sweep.ts';
import type { ReaperRules } from '../rules.ts';

export type DecideInput = {
  readonly record: PodRecord;
  readonly observation: Observation;
  /** Sightings with this observation already counted in (`countSightings`). */
  readonly sightings: PodSightings;
  readonly rules: ReaperRules;
  readonly now: number;
  /** Whether "no route" may be believed: our own network works and not every pod is unreachable. */
  readonly routeTrusted: boolean;
};
