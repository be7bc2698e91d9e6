/** Reconcile: the registry beside the live account, judged and told; on request its strays are ended. */
import type { World } from '../ports.ts';
import { endStrays } from './ending/strays.ts';
import { type Cycle, type ReapOptions, reap } from './reap.ts';

export type ReconcileOptions = Omit<ReapOptions, 'dryRun' | 'mirror'> & {
  /** Ends what the policy would end of the strays; every other pod is only read. */
  readonly terminateStrays: boolean;
};

export async function reconcileAccount(world: World, options: ReconcileOptions): Promise<Cycle> {
  const cycle = await reap(world, { ...options, dryRun: true, mirror: false });
  if (!options.terminateStrays) return cycle;
  const outcomes = await endStrays(world, options, cycle.plan.strays);
  await rememberStrays(world, cycle);
  return { ...cycle, outcomes };
}

/** A stray must be seen twice, so this look counts as one; it is no full sweep and renews no mark. */
async function rememberStrays(world: World, { plan }: Cycle): Promise<void> {
  const { sweep, version } = await world.registry.read();
  if (version === null) return;
  const seenNow = plan.strays
    .filter((stray) => stray.verdict.kind !== 'end')
    .map((stray) => [stray.pod.id, stray.sightings] as const);
  if (seenNow.length === 0) return;
  await world.registry.saveSweep({ ...sweep, pods: { ...sweep.pods, ...Object.fromEntries(seenNow) } });
}
