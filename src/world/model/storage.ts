/** Network volumes: they outlive pods and bill until deleted. */
import { nextId } from './chance.ts';
import { meterVolume } from './ledger.ts';
import { done, notFound, type Outcome, refused, rule } from './outcome.ts';
import type { VolumeState, World } from './state.ts';

export interface VolumeWish {
  readonly name: string;
  readonly sizeGb: number;
  readonly dataCenterId: string;
  readonly type: 'STANDARD' | 'HIGH_PERFORMANCE';
  /** GraphQL takes ids in any case and finds out later; REST does not. */
  readonly checked: boolean;
}

export function createVolume(world: World, wish: VolumeWish): Outcome<VolumeState> {
  const center = world.catalog.dataCenters.find(({ id }) => id === wish.dataCenterId);
  if (wish.checked && center === undefined) return rule(`unknown data center '${wish.dataCenterId}'`);
  if (wish.checked && center?.networkVolumeTypes.includes(wish.type) !== true) {
    return rule(`data center '${wish.dataCenterId}' does not support ${wish.type} network volumes`);
  }
  const volume: VolumeState = {
    id: nextId(world.chance, 10),
    name: wish.name,
    sizeGb: wish.sizeGb,
    dataCenterId: wish.dataCenterId,
    type: wish.type,
    createdAt: world.now,
  };
  world.volumes.set(volume.id, volume);
  meterVolume(world, volume);
  return done(volume);
}

export function changeVolume(
  world: World,
  volumeId: string,
  wish: { readonly name?: string | undefined; readonly sizeGb?: number | undefined },
): Outcome<VolumeState> {
  const volume = world.volumes.get(volumeId);
  if (volume === undefined) return notFound();
  if (wish.sizeGb !== undefined && wish.sizeGb < volume.sizeGb) {
    return rule('size can only grow');
  }
  volume.name = wish.name ?? volume.name;
  volume.sizeGb = wish.sizeGb ?? volume.sizeGb;
  meterVolume(world, volume);
  return done(volume);
}

export function deleteVolume(world: World, volumeId: string): Outcome<null> {
  const volume = world.volumes.get(volumeId);
  if (volume === undefined) return notFound();
  const user = [...world.pods.values()].find(
    ({ mount, status }) =>
      status !== 'TERMINATED' && mount?.kind === 'network' && mount.volumeId === volumeId,
  );
  if (user !== undefined) return refused('in-use', `network volume is attached to pod ${user.id}`);
  meterVolume(world, volume, true);
  world.volumes.delete(volumeId);
  return done(null);
}
