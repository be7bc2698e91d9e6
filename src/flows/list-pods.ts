/** The two sides of a list: what the registry says, and what the account shows. */
import { type Part, unseen } from '../domain/part.ts';
import type { Listing } from '../domain/provider-pod.ts';
import type { RegistryState } from '../domain/registry/state.ts';
import type { World } from '../ports.ts';
import { softly } from './ask.ts';

export type Sides = {
  readonly state: RegistryState;
  readonly listing: Part<Listing>;
  /** When a reaper last saw the whole account; null = never. */
  readonly lastSweepAt: number | null;
};

/** Throws WorldError when the registry cannot be read; an account that cannot is an unseen part. */
export async function readSides(world: World, askProvider: boolean): Promise<Sides> {
  const asked = askProvider
    ? softly(() => world.provider.list())
    : Promise.resolve(unseen<Listing>('not asked'));
  const [{ state, sweep }, listing] = await Promise.all([world.registry.read(), asked]);
  return { state, listing, lastSweepAt: sweep.lastFullSweepAt };
}
