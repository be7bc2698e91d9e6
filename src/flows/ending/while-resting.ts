/** What was verified before a stop, as long as the provider shows the pod stopped under the same start. */
import { isSamePod, type PodRecord } from '../../domain/pod.ts';
import { restsStopped } from '../../domain/stopped.ts';
import type { World } from '../../ports.ts';
import { softly } from '../ask.ts';
import type { Resting } from './save-artifacts.ts';

/** null = it was not stopped by its owner with everything verified, or may run again. */
export async function whileResting(world: World, record: PodRecord): Promise<Resting | null> {
  if (record.stopped?.verified !== true) return null;
  const at = world.clock.now();
  const look = await softly(() => world.provider.get(record.id));
  if (look.kind === 'unseen' || look.value.kind === 'absent') return null;
  const { pod } = look.value;
  return isSamePod(record, pod) && restsStopped(record, pod) ? { kind: 'resting', at } : null;
}
