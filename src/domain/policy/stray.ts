/** The policy for strays: pods with this registry's own stamp and no record. */
import type { Owner, OwnerLiveness } from '../owner.ts';
import type { Part } from '../part.ts';
import type { PodSightings } from '../registry/sweep.ts';
import type { ReaperRules } from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { type Verdict, verdict } from './reasons.ts';
import type { Stray } from './reconcile.ts';

/** A stray with what this cycle knows of the run that its stamp names. */
export type StrayLook = Stray & {
  readonly owner: Part<OwnerLiveness>;
  /** Sightings with this one counted in. */
  readonly sightings: PodSightings;
};

/** The owner that a stamp names: a repository and a run, and nobody by name. `server` = the registry's forge. */
export function stampOwner({ repositoryId, runId, nonce }: Stamp, server: string): Owner {
  const key = repositoryId === null || runId === null ? null : { server, repositoryId, runId };
  const nobody = { attempt: null, job: null, matrix: null, checkRunId: null, repository: null };
  return { label: null, labelGiven: false, key, uuid: nonce, ...nobody };
}

/** Ended when past the grace, seen twice spaced, and its run is completed by id or its ttl has passed. */
export function judgeStray(stray: StrayLook, rules: ReaperRules, now: number): Verdict {
  const { pod, stamp, owner } = stray;
  const seenTwice = stray.sightings.stray !== null && stray.sightings.stray.count >= 2;
  const ageMs = pod.createdAt === null ? null : now - pod.createdAt;
  const evidence = { ageMs, sightings: stray.sightings.stray?.count ?? 0, ttlLeftMs: stamp.ttlAt - now };
  if (pod.status === 'TERMINATED') return verdict('provider-terminated', evidence);
  if (pod.locked) return verdict('locked', evidence);
  if (ageMs === null || ageMs < rules.untrackedGraceMs || !seenTwice)
    return verdict('stray-waiting', evidence);
  if (now >= stamp.ttlAt) return verdict('stray-expired', evidence);
  const completed = owner.kind === 'seen' && owner.value.state === 'completed';
  return completed
    ? verdict('stray-orphan', evidence)
    : verdict('stray-waiting', { ...evidence, owner: owner.kind });
}
