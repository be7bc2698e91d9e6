/** Who acts in a flow, and the keys that make each of its ops happen at most once. */
import type { Owner } from '../domain/owner.ts';
import type { Actor } from '../domain/registry/ops.ts';
import type { World } from '../ports.ts';

export type Acting = {
  readonly actor: Actor;
  /** The name under which this process holds fences. */
  readonly holder: string;
};

/** The reaper acts under a fixed identity; the uuid keeps two reapers apart. */
export function actingReaper(uuid: string, run: string | null): Acting {
  return { actor: { kind: 'reaper', uuid, label: 'reaper', run }, holder: `reaper:${uuid}` };
}

export function actingOwner(owner: Owner, run: string | null): Acting {
  return { actor: { kind: 'owner', uuid: owner.uuid, label: owner.label, run }, holder: owner.uuid };
}

export type OpBase = { readonly key: string; readonly at: number; readonly actor: Actor };

/** `<holder>/<verb>/<random>`: the same op value may be submitted again and is applied once. */
export function opBase(world: World, acting: Acting, verb: string): OpBase {
  const key = `${acting.holder}/${verb}/${world.chance.hex(8)}`;
  return { key, at: world.clock.now(), actor: acting.actor };
}
