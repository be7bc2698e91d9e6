/** Brings what waits in the queue into the branch, so that a cycle judges what the history tells. */
import type { RegistryState } from '../../domain/registry/state.ts';
import type { Snapshot, World } from '../../ports.ts';

/** A commit takes up to a hundred ops along; more than this many commits are left to the next cycle. */
const ROUNDS = 10;

/** The state after; the same state where nothing waited. */
export async function foldQueue(world: World, before: Snapshot): Promise<RegistryState> {
  let [state, version] = [before.state, before.version];
  if (before.queued === 0) return state;
  for (let round = 0; round < ROUNDS; round += 1) {
    const folded = await world.registry.submit([]);
    ({ state } = folded);
    if (folded.version === version) break;
    ({ version } = folded);
  }
  return state;
}
