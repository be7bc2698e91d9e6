/** Turns a seed into a world whose pods already have a past. */
import { nextHex } from './model/chance.ts';
import { computeRate, enterPod, newPod } from './model/create-pod.ts';
import { activate } from './model/faults.ts';
import { podGpu } from './model/gpu-load.ts';
import { parseInstant } from './model/instant.ts';
import { meterVolume } from './model/ledger.ts';
import { freshPorts, tell } from './model/lifecycle.ts';
import { newWorld } from './model/new-world.ts';
import type { Boot, Compute, Mount, Placement, PodState } from './model/pod-state.ts';
import type { WishedCompute } from './model/pod-wish.ts';
import { microPerHour } from './model/rates.ts';
import type { World } from './model/state.ts';
import { instantIn, type Seed, SeedError, type SeedPod } from './seed.ts';
import { applySwitches } from './switches.ts';

function computeOf(pod: SeedPod): Compute {
  const { cpu, gpu } = pod;
  if (cpu !== undefined) {
    return { kind: 'cpu', id: cpu.id, vcpuCount: cpu.vcpuCount, memoryGb: cpu.memory ?? cpu.vcpuCount * 2 };
  }
  return { kind: 'gpu', id: gpu?.id ?? 'NVIDIA GeForce RTX 4090', count: gpu?.count ?? 1 };
}

function mountOf(world: World, pod: SeedPod): Mount | null {
  const { persistent, network } = pod.mounts;
  const first = network?.[0];
  if (persistent !== undefined && first !== undefined) {
    throw new SeedError(`seed pod '${pod.name}' has both a persistent and a network mount`);
  }
  if (persistent !== undefined) return { kind: 'persistent', sizeGb: persistent.size, path: persistent.path };
  if (first === undefined) return null;
  if (!world.volumes.has(first.volumeId)) {
    throw new SeedError(
      `seed pod '${pod.name}' mounts volume '${first.volumeId}', which is not among volumes`,
    );
  }
  return { kind: 'network', ...first };
}

/** A runtime that was pasted as null or {} says how far the pod ever got. */
function bootOf(pod: SeedPod): Boot {
  if (pod.boot !== undefined) return pod.boot;
  if (pod.status !== 'RUNNING' || pod.runtime === undefined) return 'normal';
  if (pod.runtime === null) return 'no-runtime';
  return Object.keys(pod.runtime).length === 0 ? 'empty-runtime' : 'normal';
}

function placementOf(world: World, pod: SeedPod, mount: Mount | null): Placement {
  const home = mount?.kind === 'network' ? world.volumes.get(mount.volumeId)?.dataCenterId : undefined;
  const dataCenterId = pod.dataCenterId ?? home ?? world.catalog.dataCenters[0]?.id ?? 'EU-RO-1';
  const cudaVersion = pod.cpu === undefined ? (pod.cudaVersion ?? '12.8') : null;
  return { dataCenterId, machineId: nextHex(world.chance, 12), cudaVersion };
}

function wishedCompute(compute: Compute): WishedCompute {
  if (compute.kind === 'cpu') return compute;
  return { ...compute, minCuda: null, allowedCuda: null, minRamPerGpu: 0, minVcpuPerGpu: 0 };
}

function blankPod(world: World, pod: SeedPod): PodState {
  const mount = mountOf(world, pod);
  const compute = computeOf(pod);
  const wish = {
    name: pod.name,
    image: pod.image,
    compute: wishedCompute(compute),
    clouds: [pod.cloud],
    dataCenterIds: [],
    diskGb: pod.disk,
    mounts: mount === null ? [] : [mount],
    ports: pod.ports,
    env: pod.env,
    args: pod.args,
    cmd: pod.cmd,
    entrypoint: pod.entrypoint,
    registryId: null,
    startSsh: false,
    startJupyter: false,
    globalNetworking: pod.globalNetworking?.enabled ?? false,
  };
  return newPod(world, wish, { placement: placementOf(world, pod, mount), cloud: pod.cloud, compute });
}

/** When the container last started: as told, else a little after the pod was made. */
function startOf(pod: SeedPod, now: number, createdAt: number): number | null {
  if (pod.startedAt != null) return instantIn(pod.startedAt, now);
  if (pod.startedAt === null || pod.status === 'PROVISIONING' || pod.status === 'STARTING') return null;
  return Math.min(now, createdAt + 120_000);
}

/** When the next step is due: a pod seeded in the middle of its start goes on from there. */
function dueOf(world: World, pod: SeedPod, boot: Boot): number | null {
  if (pod.status === 'PROVISIONING') {
    return boot === 'stuck-provisioning' ? null : world.now + world.settings.timing.provisionMs;
  }
  if (pod.status !== 'STARTING' || boot === 'stuck-starting') return null;
  return world.now + world.settings.timing.startMs;
}

function addPod(world: World, seed: SeedPod): void {
  const blank = blankPod(world, seed);
  const createdAt = instantIn(seed.createdAt, world.now);
  const boot = bootOf(seed);
  const rate = seed.cost === undefined || seed.status === 'EXITED' ? null : microPerHour(seed.cost);
  const pod: PodState = {
    ...blank,
    id: seed.id ?? blank.id,
    hostName: `${seed.id ?? blank.id}-64410abc`,
    scopedKey: seed.podKey ?? blank.scopedKey,
    status: seed.status,
    createdAt,
    startedAt: startOf(seed, world.now, createdAt),
    placed: seed.status !== 'PROVISIONING',
    boot,
    dueAt: dueOf(world, seed, boot),
    gpu: podGpu(world, blank.compute, seed.gpu ?? {}),
    publicPorts: freshPorts(world, seed.ports),
    locked: seed.locked,
    hostFull: seed.hostFull,
    computeRate: rate ?? computeRate(world, blank.compute, seed.cloud),
    files: seed.files,
    sshKeys: seed.sshKeys,
  };
  if (world.pods.has(pod.id)) throw new SeedError(`seed pod id '${pod.id}' is given twice`);
  const isUp = pod.status === 'RUNNING' || pod.status === 'STARTING';
  if (isUp && boot === 'normal') {
    if (world.hosted) tell(world, pod, 'started');
    else pod.address = { host: '203.0.113.17', port: pod.publicPorts['22'] ?? 22 };
  }
  enterPod(world, pod);
}

function addVolumes(world: World, seed: Seed): void {
  for (const { id, name, size, dataCenter, type, createdAt } of seed.volumes) {
    if (world.volumes.has(id)) throw new SeedError(`seed volume id '${id}' is given twice`);
    const at = instantIn(createdAt, world.now);
    const volume = { id, name, sizeGb: size, dataCenterId: dataCenter, type, createdAt: at };
    world.volumes.set(id, volume);
    meterVolume(world, volume);
  }
}

/** The instant a seed starts at, or undefined for the machine's now. */
export function startIn(seed: Seed): number | undefined {
  return seed.now === undefined ? undefined : (parseInstant(seed.now) ?? undefined);
}

/** Builds the world of a seed at `now` (epoch ms); throws SeedError where the seed contradicts itself. */
export function worldFromSeed(seed: Seed, now: number, hosted: boolean): World {
  const world = newWorld({
    now,
    randomSeed: seed.randomSeed,
    balanceUsd: seed.balance,
    spendLimitUsd: seed.spendLimit,
    sshKeys: seed.sshKeys,
    apiKey: seed.apiKey,
    readOnlyKey: seed.readOnlyKey,
    hosted,
  });
  applySwitches(world.settings, seed.switches);
  for (const [gpuId, sites] of Object.entries(seed.stock)) {
    world.catalog.stock[gpuId] = { ...world.catalog.stock[gpuId], ...sites };
  }
  addVolumes(world, seed);
  for (const pod of seed.pods) addPod(world, pod);
  world.faults = activate(seed.faults);
  return world;
}
