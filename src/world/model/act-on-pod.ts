/** The actions on a pod (start, stop, restart, terminate) with their gates, and a pod's other changes of mind. */
import { takeFault } from './faults.ts';
import { meterPod, spendRate } from './ledger.ts';
import { beginStart, end, freshPorts, halt, restart, systemLine } from './lifecycle.ts';
import { done, HOST_FULL, notFound, type Outcome, type Refused, refused, rule } from './outcome.ts';
import { ACTIONS, type Mount, type PodAction, type PodState } from './pod-state.ts';
import type { World } from './state.ts';
import { freeGpus } from './stock.ts';

function livePod(world: World, podId: string): PodState | null {
  const pod = world.pods.get(podId);
  return pod === undefined || pod.status === 'TERMINATED' ? null : pod;
}

function startGate(world: World, pod: PodState): Refused | null {
  const occasion = { operation: 'podAction', podId: pod.id } as const;
  const { compute, placement } = pod;
  const taken = compute.kind === 'gpu' && freeGpus(world, compute.id, placement.dataCenterId) < compute.count;
  const known = compute.kind === 'gpu' && world.catalog.stock[compute.id] !== undefined;
  if (pod.hostFull || (known && taken) || takeFault(world.faults, 'host-full', occasion) !== null) {
    return refused('host-full', HOST_FULL);
  }
  const isBroke = takeFault(world.faults, 'zero-balance', occasion) !== null;
  if (isBroke || world.account.purse.micro < pod.computeRate)
    return refused('insufficient-balance', 'Insufficient balance.');
  if (spendRate(world) + pod.computeRate > world.account.spendLimitMicro) {
    return rule('Account spend limit would be exceeded');
  }
  return null;
}

function start(world: World, pod: PodState): Refused | null {
  const closed = startGate(world, pod);
  if (closed !== null) return closed;
  const occasion = { operation: 'podAction', podId: pod.id } as const;
  const noGpu = takeFault(world.faults, 'zero-gpu-start', occasion) !== null;
  pod.gpusFound = pod.compute.kind === 'gpu' && !noGpu ? pod.compute.count : 0;
  pod.boot = takeFault(world.faults, 'boot', occasion)?.how ?? 'normal';
  beginStart(world, pod);
  return null;
}

function stop(world: World, pod: PodState): Refused | null {
  if (pod.locked) return refused('wrong-status', 'Pod is locked');
  const stale = takeFault(world.faults, 'stale-runtime', { operation: 'podAction', podId: pod.id });
  const address = pod.address;
  halt(world, pod, 'user');
  if (stale !== null) {
    pod.staleUntilAt = world.now + stale.ms;
    pod.address = address;
  }
  return null;
}

/** Ends a pod as the user asked; the accepted DELETE may take its time, or the pod may be shown as TERMINATED for a while. */
export function terminatePod(world: World, podId: string): Outcome<null> {
  const pod = livePod(world, podId);
  if (pod === null) return notFound();
  const occasion = { operation: 'deletePod', podId } as const;
  const lag = takeFault(world.faults, 'delete-lags', occasion);
  if (lag !== null) {
    const dueAt = lag.ms === undefined ? null : world.now + lag.ms;
    pod.ending = { dueAt, pollsLeft: lag.polls ?? (dueAt === null ? 3 : null) };
    return done(null);
  }
  const lingers = takeFault(world.faults, 'terminated-lingers', occasion);
  end(world, pod, 'user');
  if (lingers === null) world.pods.delete(podId);
  else pod.shownUntilAt = lingers.ms === undefined ? Number.POSITIVE_INFINITY : world.now + lingers.ms;
  return done(null);
}

/** Takes an action that the pod's status must allow. */
export function actOnPod(world: World, podId: string, action: PodAction): Outcome<PodState> {
  const pod = livePod(world, podId);
  if (pod === null) return notFound();
  if (!ACTIONS[pod.status].includes(action)) {
    return refused('wrong-status', 'Action not valid for current pod status');
  }
  let refusal: Refused | null = null;
  if (action === 'start') refusal = start(world, pod);
  else if (action === 'stop') refusal = stop(world, pod);
  else if (action === 'restart') restart(world, pod);
  else terminatePod(world, podId);
  return refusal ?? done(pod);
}

/** A change of configuration; undefined = unchanged. */
export interface PodChangeWish {
  readonly name?: string | undefined;
  readonly image?: string | undefined;
  readonly args?: string | undefined;
  readonly cmd?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
  readonly diskGb?: number | undefined;
  readonly ports?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly registryId?: string | null | undefined;
  readonly mount?: Mount | undefined;
  readonly locked?: boolean | undefined;
  readonly globalNetworking?: boolean | undefined;
}

function mountRefusal(pod: PodState, mount: Mount): Refused | null {
  if (pod.mount?.kind !== mount.kind) return rule('mount kind is fixed at create');
  if (pod.mount.kind === 'network' && mount.kind === 'network' && pod.mount.volumeId !== mount.volumeId) {
    return rule('mounts.network[0].volumeId is immutable');
  }
  if (pod.mount.kind === 'persistent' && mount.kind === 'persistent' && mount.sizeGb < pod.mount.sizeGb) {
    return rule('mounts.persistent.size can only grow');
  }
  return null;
}

/** Changes a pod's settings; new ports get their mapping at once, the rest shows at the next start. */
export function changePod(world: World, podId: string, wish: PodChangeWish): Outcome<PodState> {
  const pod = livePod(world, podId);
  if (pod === null) return notFound();
  if (wish.registryId != null && !world.registries.has(wish.registryId)) return notFound();
  const wrong = wish.mount === undefined ? null : mountRefusal(pod, wish.mount);
  if (wrong !== null) return wrong;
  pod.name = wish.name ?? pod.name;
  pod.image = wish.image ?? pod.image;
  pod.args = wish.args ?? pod.args;
  pod.cmd = wish.cmd ?? pod.cmd;
  pod.entrypoint = wish.entrypoint ?? pod.entrypoint;
  pod.diskGb = wish.diskGb ?? pod.diskGb;
  pod.env = wish.env ?? pod.env;
  pod.mount = wish.mount ?? pod.mount;
  pod.locked = wish.locked ?? pod.locked;
  pod.globalNetworking = wish.globalNetworking ?? pod.globalNetworking;
  if (wish.registryId !== undefined) pod.registryId = wish.registryId;
  if (wish.ports !== undefined) {
    pod.publicPorts = { ...freshPorts(world, wish.ports), ...pod.publicPorts };
    pod.ports = wish.ports;
  }
  systemLine(world, pod, 'configuration changed');
  meterPod(world, pod);
  return done(pod);
}

/** Ends or stops a pod from the provider's side, as host loss and maintenance do. */
export function disturbPod(world: World, podId: string, how: 'vanish' | 'exit' | 'restart'): boolean {
  const pod = livePod(world, podId);
  if (pod === null) return false;
  if (how === 'vanish') {
    end(world, pod, 'Runpod');
    world.pods.delete(podId);
  } else if (how === 'exit') halt(world, pod, 'Runpod');
  else restart(world, pod);
  return true;
}
