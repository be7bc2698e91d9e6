/** Renting a pod: the rules between fields, money, capacity, and the pod that comes out of it. */
import { nextHex, nextId } from './chance.ts';
import { takeFault } from './faults.ts';
import { podGpu } from './gpu-load.ts';
import { longDate } from './instant.ts';
import { meterPod, spendRate } from './ledger.ts';
import { tell } from './lifecycle.ts';
import { done, NO_CAPACITY, notFound, type Outcome, type Refused, refused, rule } from './outcome.ts';
import type { Cloud, Compute, Mount, Placement, PodState } from './pod-state.ts';
import { type PodWish, type SettledWish, settledCompute, withTemplate } from './pod-wish.ts';
import { containerDiskRate, microPerHour, volumeDiskRate } from './rates.ts';
import type { World } from './state.ts';
import { findMachine, type MachineWish, takeGpus } from './stock.ts';

const MAX_ENV = 50;
const MAX_HTTP_PORTS = 10;

function brokenRule(world: World, wish: SettledWish): Refused | null {
  const { compute, mounts } = wish;
  if (mounts.length > 1) return rule('mounts.persistent and mounts.network are mutually exclusive');
  if (compute.kind === 'cpu') {
    if (!Number.isInteger(Math.log2(compute.vcpuCount))) return rule('cpu.vcpuCount must be a power of two');
    if (mounts[0]?.kind === 'persistent') return rule('mounts.persistent is not supported on CPU pods');
  } else if (compute.minCuda !== null && (compute.allowedCuda?.length ?? 0) > 0) {
    return rule('gpu.allowedCudaVersions and gpu.minCudaVersion are mutually exclusive');
  }
  if (wish.diskGb === undefined) {
    return rule('Either a template id or pod configuration parameters must be provided');
  }
  if (Object.keys(wish.env).length > MAX_ENV)
    return rule(`env holds more than ${MAX_ENV} environment variables`);
  if (wish.ports.filter((port) => port.endsWith('/http')).length > MAX_HTTP_PORTS) {
    return rule(`ports holds more than ${MAX_HTTP_PORTS} http ports`);
  }
  if (wish.registryId !== null && !world.registries.has(wish.registryId)) return notFound();
  return null;
}

/** USD micro-dollars an hour of the machine alone. */
export function computeRate(world: World, compute: Compute, cloud: Cloud): number {
  if (compute.kind === 'gpu') {
    const price = world.catalog.gpus.find(({ id }) => id === compute.id)?.price[cloud] ?? 0;
    return microPerHour(price * compute.count);
  }
  const flavor = world.catalog.cpus.find(({ id }) => id === compute.id);
  return microPerHour((flavor?.pricePerVcpu ?? 0) * compute.vcpuCount);
}

function unaffordable(world: World, hourly: number): Refused | null {
  const broke = takeFault(world.faults, 'zero-balance', { operation: 'createPod', podId: null }) !== null;
  if (broke || world.account.purse.micro < hourly) {
    // The provider's own words for this are not known; the status is.
    return refused('insufficient-balance', 'Insufficient balance.');
  }
  if (spendRate(world) + hourly > world.account.spendLimitMicro)
    return rule('Account spend limit would be exceeded');
  return null;
}

function machineWish(
  world: World,
  wish: SettledWish,
  compute: Compute,
): Omit<MachineWish, 'cloud'> | Refused {
  const mount = wish.mounts[0];
  let { dataCenterIds } = wish;
  if (mount?.kind === 'network') {
    const volume = world.volumes.get(mount.volumeId);
    if (volume === undefined) return notFound();
    const home = volume.dataCenterId;
    if (dataCenterIds.length > 0 && !dataCenterIds.includes(home)) return refused('no-capacity', NO_CAPACITY);
    dataCenterIds = [home];
  }
  const gpu = wish.compute.kind === 'gpu' ? wish.compute : null;
  return {
    compute,
    dataCenterIds,
    minCuda: gpu?.minCuda ?? null,
    allowedCuda: gpu?.allowedCuda ?? [],
    minRamPerGpu: gpu?.minRamPerGpu ?? 0,
    minVcpuPerGpu: gpu?.minVcpuPerGpu ?? 0,
  };
}

function place(
  world: World,
  wish: SettledWish,
  compute: Compute,
): { placement: Placement; cloud: Cloud } | Refused {
  const none = refused('no-capacity', NO_CAPACITY);
  if (takeFault(world.faults, 'no-capacity', { operation: 'createPod', podId: null }) !== null) return none;
  // Seen live: a body without gpu.count never finds an instance, whatever the documented default says.
  if (wish.compute.kind === 'gpu' && wish.compute.count === null) return none;
  const asked = machineWish(world, wish, compute);
  if ('ok' in asked) return asked;
  for (const cloud of wish.clouds) {
    const placement = findMachine(world, { ...asked, cloud });
    if (placement !== null) return { placement, cloud };
  }
  return none;
}

function environment(world: World, wish: SettledWish): Record<string, string> {
  const env = { ...wish.env };
  const { sshKeys } = world.account;
  if (wish.startSsh && sshKeys.length > 0) env['PUBLIC_KEY'] ??= sshKeys.join('\n');
  if (wish.startJupyter) env['JUPYTER_PASSWORD'] ??= nextHex(world.chance, 32);
  return env;
}

function diskRates(mount: Mount | null, diskGb: number): number {
  const volume = mount?.kind === 'persistent' ? volumeDiskRate(mount.sizeGb, false) : 0;
  return containerDiskRate(diskGb) + volume;
}

/** A new pod's record, nothing of it entered anywhere yet. */
export function newPod(
  world: World,
  wish: SettledWish,
  where: { placement: Placement; cloud: Cloud; compute: Compute },
): PodState {
  const id = nextId(world.chance, 14);
  const scopedKey = `rpa_${nextHex(world.chance, 40).toUpperCase()}`;
  return {
    id,
    name: wish.name,
    image: wish.image,
    args: wish.args,
    cmd: wish.cmd ?? null,
    entrypoint: wish.entrypoint ?? null,
    diskGb: wish.diskGb ?? 1,
    ports: wish.ports,
    env: environment(world, wish),
    registryId: wish.registryId,
    cloud: where.cloud,
    compute: where.compute,
    mount: wish.mounts[0] ?? null,
    locked: false,
    globalNetworking: wish.globalNetworking,
    placement: where.placement,
    placed: false,
    hostName: `${id}-${nextHex(world.chance, 8)}`,
    status: 'PROVISIONING',
    createdAt: world.now,
    startedAt: null,
    dueAt: world.now + world.settings.timing.provisionMs,
    boot: 'normal',
    address: null,
    publicPorts: {},
    gpusFound: where.compute.kind === 'gpu' ? where.compute.count : 0,
    gpu: podGpu(world, where.compute, {}),
    hostFull: false,
    computeRate: computeRate(world, where.compute, where.cloud),
    scopedKey,
    lastChange: `Rented by User: ${longDate(world.now)}`,
    systemLog: [],
    files: {},
    sshKeys: [],
    ending: null,
    shownUntilAt: null,
    staleUntilAt: null,
  };
}

/** Puts a pod on the books: stock, meters, its own key. */
export function enterPod(world: World, pod: PodState): void {
  world.pods.set(pod.id, pod);
  world.keys.push({ key: pod.scopedKey, scope: 'pod', podId: pod.id, revoked: false });
  if (pod.status !== 'EXITED' && pod.status !== 'ERROR') {
    takeGpus(world, pod.compute, pod.placement.dataCenterId, 1);
  }
  meterPod(world, pod);
}

/** Rents a pod; it bills from this moment on, also if nobody hears of the answer. */
export function createPod(world: World, wish: PodWish): Outcome<PodState> {
  const settled = withTemplate(world, wish);
  if (!settled.ok) return settled;
  const broken = brokenRule(world, settled.value);
  if (broken !== null) return broken;
  const compute = settledCompute(world, settled.value.compute);
  if (compute === null) return refused('no-capacity', NO_CAPACITY);
  const disks = diskRates(settled.value.mounts[0] ?? null, settled.value.diskGb ?? 0);
  const cheapest = Math.min(...wish.clouds.map((cloud) => computeRate(world, compute, cloud)));
  const poor = unaffordable(world, cheapest + disks);
  if (poor !== null) return poor;
  const placed = place(world, settled.value, compute);
  if ('ok' in placed) return placed;
  const pod = newPod(world, settled.value, { ...placed, compute });
  pod.boot = takeFault(world.faults, 'boot', { operation: 'createPod', podId: null })?.how ?? 'normal';
  if (pod.boot === 'stuck-provisioning') pod.dueAt = null;
  enterPod(world, pod);
  tell(world, pod, 'created');
  return done(pod);
}
