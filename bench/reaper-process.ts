/** A reaper as a schedule starts it: a fresh process that registers a fleet, or runs one cycle and tells what it cost. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gitRegistry } from '../src/adapters/git-registry.ts';
import { nodeChance } from '../src/adapters/node-chance.ts';
import { systemClock } from '../src/adapters/system-clock.ts';
import { reap } from '../src/flows/reap.ts';
import type { Clock } from '../src/ports.ts';
import { enterFleet, fleetReap, fleetWorld } from '../test/fakes/fleet.ts';
import { answer, costOf, heard } from './child-side.ts';
import type { CycleResult, ReaperStart } from './messages.ts';

const { task, world: place, privateKey, folder, shiftMs } = await heard<ReaperStart>();
const real = systemClock();
const clock: Clock = { ...real, now: () => real.now() - shiftMs };
const scratchFolder = join(folder, 'scratch');
mkdirSync(scratchFolder, { recursive: true });
const registry = gitRegistry({
  remote: join(folder, 'registry.git'),
  scratchFolder,
  clock,
  chance: nodeChance(),
  repository: null,
  createMissing: true,
});
const world = fleetWorld({ ...place, privateKey, mirrorRoot: join(folder, 'mirrors'), clock, registry });

if (task === 'enter') {
  await enterFleet(world);
  await answer({});
} else {
  const { cost, result } = await costOf(() => reap(world, fleetReap()));
  const done: Record<string, number> = {};
  const notDone: string[] = [];
  for (const { kind, order, pod, says } of result.outcomes) {
    if (kind === 'done') done[order] = (done[order] ?? 0) + 1;
    else notDone.push(`${pod}: ${order} ${kind}: ${says}`);
  }
  const told: CycleResult = { ...cost, done, notDone };
  await answer(told);
}
process.exit(0);
