/** Who would end the pod if this job were lost: the reaper's last sweep, and whether anybody can see that the job is over. */
import { formatDuration } from '../../domain/duration.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Owner } from '../../domain/owner.ts';
import type { Snapshot, World } from '../../ports.ts';
import { softly } from '../ask.ts';
import type { RegisterInput } from './register-checks.ts';

/** A reaper that never came, or came too long ago for this job's taste: the job does not begin. */
export function checkReaper(
  { sweep }: Snapshot,
  { podId, freshReaperMs: freshMs }: Pick<RegisterInput, 'podId' | 'freshReaperMs'>,
  now: number,
): void {
  if (freshMs === null) return;
  const { lastFullSweepAt } = sweep;
  if (lastFullSweepAt !== null && now - lastFullSweepAt <= freshMs) return;
  const since =
    lastFullSweepAt === null ? 'there was none yet' : `was ${formatDuration(now - lastFullSweepAt)} ago`;
  throw new Refusal('reaper-late', {
    tried: `Registering ${podId} with require-fresh-reaper (${formatDuration(freshMs)})`,
    cameBack: `the reaper's last full sweep: ${since}`,
    state: 'The pod was not touched and is not registered',
    next: 'Run the reaper workflow once and look at its schedule, or leave require-fresh-reaper out',
  });
}

/** The question that the reaper will ask, asked once while a person can still grant what it needs. */
export async function saysDeaf(world: World, owner: Owner): Promise<readonly string[]> {
  if (owner.key === null) return [];
  const asked = await softly(() => world.ci.liveness([owner]));
  const answer = asked.kind === 'seen' ? asked.value[0] : asked;
  if (answer?.kind !== 'unseen') return [];
  return [
    `whether this run is over cannot be asked (${answer.reason}): if its runner is lost, deadline and idleness alone end the pod`,
  ];
}
