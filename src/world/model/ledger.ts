/** Meters that run while something costs money, and the purse they are paid from. */

import type { PodState } from './pod-state.ts';
import { billedSeconds, containerDiskRate, networkVolumeRate, volumeDiskRate } from './rates.ts';
import type { Meter, Purse, VolumeState, World } from './state.ts';

/** Micro-dollars per hour that the account spends now. */
export function spendRate(world: World): number {
  return world.openMeters.reduce((sum, meter) => sum + meter.ratePerHour, 0);
}

/** Takes out of the purse what all open meters ran up from `world.now` to `untilAt`. */
export function charge(world: World, untilAt: number): void {
  const { purse } = world.account;
  const owed = purse.rest + spendRate(world) * billedSeconds(world.now, untilAt);
  purse.micro -= Math.floor(owed / 3600);
  purse.rest = owed % 3600;
}

/** Epoch ms at which the purse is empty at today's rate; Infinity when nothing is spent. */
export function emptyAt(world: World): number {
  const rate = spendRate(world);
  if (rate === 0) return Number.POSITIVE_INFINITY;
  const { micro, rest } = world.account.purse;
  // Whole seconds of the clock are billed, so the count starts at the second that runs, not at this millisecond.
  const second = Math.floor(world.now / 1000) * 1000;
  return second + Math.ceil(Math.max(0, micro * 3600 - rest) / rate) * 1000;
}

export function purseOf(micro: number): Purse {
  return { micro, rest: 0 };
}

function closeMeters(world: World, of: Meter['of'], id: string): void {
  for (let i = world.openMeters.length - 1; i >= 0; i -= 1) {
    const meter = world.openMeters[i];
    if (meter === undefined || meter.of !== of || meter.id !== id) continue;
    world.openMeters.splice(i, 1);
    world.closedMeters.push({ ...meter, toAt: world.now });
  }
}

function openMeter(world: World, meter: Omit<Meter, 'fromAt' | 'toAt'>): void {
  if (meter.ratePerHour > 0) world.openMeters.push({ ...meter, fromAt: world.now, toAt: null });
}

/**
 * Sets a pod's meters to what its status costs: compute and disks from provisioning on (the image pull is billed),
 * the volume disk at double rate while stopped, nothing once terminated.
 */
export function meterPod(world: World, pod: PodState): void {
  closeMeters(world, 'pod', pod.id);
  if (pod.status === 'TERMINATED') return;
  const rented = pod.status !== 'EXITED' && pod.status !== 'ERROR';
  const disk = { of: 'pod', id: pod.id, part: 'disk', product: '' } as const;
  if (rented) {
    const { kind, id } = pod.compute;
    openMeter(world, { of: 'pod', id: pod.id, part: kind, product: id, gb: 0, ratePerHour: pod.computeRate });
    openMeter(world, { ...disk, gb: pod.diskGb, ratePerHour: containerDiskRate(pod.diskGb) });
  }
  if (pod.mount?.kind !== 'persistent') return;
  const gb = pod.mount.sizeGb;
  openMeter(world, { ...disk, gb, ratePerHour: volumeDiskRate(gb, !rented) });
}

/** Sets a network volume's meter to its size; `gone` stops it. */
export function meterVolume(world: World, volume: VolumeState, gone = false): void {
  closeMeters(world, 'volume', volume.id);
  if (gone) return;
  const { id, sizeGb, type } = volume;
  const part = type === 'STANDARD' ? 'standard' : 'high-performance';
  openMeter(world, {
    of: 'volume',
    id,
    part,
    product: '',
    gb: sizeGb,
    ratePerHour: networkVolumeRate(sizeGb, type),
  });
}
