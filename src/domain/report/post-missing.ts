/** A job that is over without a word of its post step: the runner was lost, or the step was cut before it could write. */
import type { PodRecord } from '../pod.ts';
import type { PodPlan } from '../policy/plan.ts';

/** Ends that a post step, had it run, would have come before. */
const AFTER_THE_JOB: ReadonlySet<string> = new Set([
  'orphan',
  'owner-deadline',
  'absolute-deadline',
  'idle',
  'unreachable',
]);

/** What a post step leaves in the record when it does not end the pod. */
const BY_POST = /^(?:handed over by the post step|kept until|stopped by its owner|released:)/;

function heardOf({ owner, fence, notes }: PodRecord): boolean {
  return fence?.holder === owner.uuid || notes.some((note) => BY_POST.test(note));
}

/** Null where a post step has written, or none was to come: a record of a whole run, or from no job. */
export function saysPostMissing({ record, verdict, observation: { owner } }: PodPlan): string | null {
  if (owner.kind === 'unseen' || owner.value.state !== 'completed') return null;
  if (record.owner.job === null || !AFTER_THE_JOB.has(verdict.reason) || heardOf(record)) return null;
  return `post step missing: job ${record.owner.job} is over, and nothing was heard of its post step (runner lost, or the step cut before it could write)`;
}
