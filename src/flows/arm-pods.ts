/** Arms several pods side by side: one that cannot be armed keeps no other from it. */
import type { World } from '../ports.ts';
import type { Armed } from './arm.ts';
import { type ArmWish, armPod } from './arm-pod.ts';
import { inLanes } from './lanes.ts';
import type { OwnerAct } from './move-deadline.ts';
import type { LimitsWish } from './switch/set-limits.ts';
import { type Apart, apart } from './wall.ts';

/** As many logins as are open at the same time. */
const LANES = 32;

export type ArmedOne = { readonly podId: string; readonly armed: Apart<Armed> };

/** Never throws for one pod: what it failed with stands in its place, in the order of the ids. */
export async function armPods(
  world: World,
  acts: readonly OwnerAct[],
  wish: ArmWish & LimitsWish,
): Promise<readonly ArmedOne[]> {
  return await inLanes(LANES, acts, async (act) => ({
    podId: act.podId,
    armed: await apart(() => armPod(world, act, wish)),
  }));
}
