/** What is free where: counting GPUs in and out, and finding a machine for a wish. */

import { nextId } from './chance.ts';
import type { Cloud, Compute, Placement } from './pod-state.ts';
import type { GpuKind, World } from './state.ts';

export type Availability = 'NONE' | 'LOW' | 'MEDIUM' | 'HIGH';

export function freeGpus(world: World, gpuId: string, dataCenterId: string): number {
  return world.catalog.stock[gpuId]?.[dataCenterId] ?? 0;
}

/** How the catalog words a number of free GPUs when `count` are wanted at once. */
export function availabilityOf(free: number, count: number): Availability {
  if (free < count) return 'NONE';
  if (free < count * 4) return 'LOW';
  return free < count * 16 ? 'MEDIUM' : 'HIGH';
}

/** Takes GPUs out of a data center's stock, or with a negative count gives them back. */
export function takeGpus(world: World, compute: Compute, dataCenterId: string, sign: 1 | -1): void {
  if (compute.kind !== 'gpu') return;
  const sites = world.catalog.stock[compute.id];
  if (sites === undefined) return;
  sites[dataCenterId] = (sites[dataCenterId] ?? 0) - sign * compute.count;
}

/** "12.11" is above "12.2": compared number by number. */
export function isCudaAtLeast(version: string, floor: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [floorMajor = 0, floorMinor = 0] = floor.split('.').map(Number);
  return major > floorMajor || (major === floorMajor && minor >= floorMinor);
}

/** What a rental asks of the machine it lands on. */
export interface MachineWish {
  readonly compute: Compute;
  readonly cloud: Cloud;
  /** Enforced, although the specification calls it a preference; empty = anywhere. */
  readonly dataCenterIds: readonly string[];
  readonly minCuda: string | null;
  /** Exact versions; empty = any. */
  readonly allowedCuda: readonly string[];
  readonly minRamPerGpu: number;
  readonly minVcpuPerGpu: number;
}

function cudaFor(kind: GpuKind, wish: MachineWish): string | null {
  const fitting = kind.cudaVersions.filter((version) => {
    if (wish.allowedCuda.length > 0) return wish.allowedCuda.includes(version);
    return wish.minCuda === null || isCudaAtLeast(version, wish.minCuda);
  });
  return fitting.at(-1) ?? null;
}

/** A machine for the wish, or null = no capacity. */
export function findMachine(world: World, wish: MachineWish): Placement | null {
  const { compute } = wish;
  const centers = world.catalog.dataCenters.filter(
    ({ id }) => wish.dataCenterIds.length === 0 || wish.dataCenterIds.includes(id),
  );
  const machineId = () => nextId(world.chance, 12);
  if (compute.kind === 'cpu') {
    const first = centers[0];
    return first === undefined ? null : { dataCenterId: first.id, machineId: machineId(), cudaVersion: null };
  }
  const kind = world.catalog.gpus.find(({ id }) => id === compute.id);
  if (kind === undefined || compute.count > kind.maxCount[wish.cloud]) return null;
  if (wish.minRamPerGpu > kind.ramPerGpuGb || wish.minVcpuPerGpu > kind.vcpuPerGpu) return null;
  const cudaVersion = cudaFor(kind, wish);
  if (cudaVersion === null) return null;
  const site = centers.find(({ id }) => freeGpus(world, kind.id, id) >= compute.count);
  return site === undefined ? null : { dataCenterId: site.id, machineId: machineId(), cudaVersion };
}
