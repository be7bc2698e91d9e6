/** A pod as REST v2 tells it. */
import { rfc3339 } from '../../model/instant.ts';
import { ACTIONS, type PodState } from '../../model/pod-state.ts';
import { usd } from '../../model/rates.ts';
import type { World } from '../../model/state.ts';
import type { PodTelemetry } from '../../pod-hosts.ts';
import type { Lookout } from '../call.ts';
import type { PodAnswer } from './answers.ts';

/** A port as published: `publicPort` and `ip` null while nothing maps it. http ports show an inner address that is useless to dial. */
export interface PublishedPort {
  readonly privatePort: number;
  readonly publicPort: number | null;
  readonly type: string;
  readonly ip: string | null;
}

const INNER_ADDRESS = '100.65.0.101';

/** Whether a container is reported at all: RUNNING, or stopped so recently that old news still comes. */
export function isReported(world: World, pod: PodState): boolean {
  if (pod.status === 'RUNNING') return true;
  return pod.status === 'EXITED' && pod.staleUntilAt !== null && pod.staleUntilAt > world.now;
}

/** The port mappings of a reported container. */
export function publishedPorts(pod: PodState): PublishedPort[] {
  return pod.ports.map((text) => {
    const [number = '', type = 'tcp'] = text.split('/');
    const privatePort = Number(number);
    const mapped = pod.publicPorts[number] ?? null;
    if (type === 'http') return { privatePort, publicPort: mapped, type, ip: INNER_ADDRESS };
    if (pod.boot === 'private-ports' || pod.address === null) {
      return { privatePort, publicPort: null, type, ip: null };
    }
    const publicPort = privatePort === 22 ? pod.address.port : mapped;
    return { privatePort, publicPort, type, ip: pod.address.host };
  });
}

/** Telemetry of a reported container, or null when nothing is known of it: never booted, or the host did not answer. */
export function containerNews(world: World, pod: PodState, lookout: Lookout): PodTelemetry | null {
  if (!isReported(world, pod) || pod.boot === 'no-runtime') return null;
  if (pod.boot === 'normal' && pod.address === null) return null;
  return lookout.telemetry(pod);
}

export function uptimeSeconds(world: World, pod: PodState): number {
  return Math.max(0, Math.floor((world.now - (pod.startedAt ?? world.now)) / 1000));
}

function runtimeOf(world: World, pod: PodState, lookout: Lookout): PodAnswer['runtime'] {
  if (isReported(world, pod) && pod.boot === 'empty-runtime') return {};
  const news = containerNews(world, pod, lookout);
  if (news === null) return null;
  const ports = publishedPorts(pod).map((port) => ({
    private: port.privatePort,
    public: port.publicPort,
    type: port.type,
    ip: port.ip,
  }));
  const busiest = Math.max(0, ...news.gpus.map(({ util }) => util));
  return {
    uptime: uptimeSeconds(world, pod),
    gpus: news.gpus.map(({ util, memoryUtil }) => ({
      util: Math.round(util),
      memoryUtil: Math.round(memoryUtil),
    })),
    cpu: { util: Math.round(busiest / 8) + 2 },
    memory: { util: Math.round(busiest / 4) + 5 },
    ...(pod.boot === 'no-ports' ? {} : { ports }),
  };
}

function sshOf(pod: PodState): PodAnswer['ssh'] {
  const proxy = pod.placed
    ? {
        host: 'ssh.runpod.io',
        port: 22,
        username: pod.hostName,
        command: `ssh ${pod.hostName}@ssh.runpod.io`,
      }
    : null;
  const { address } = pod;
  const isOpen = pod.status === 'RUNNING' && pod.boot === 'normal' && pod.ports.includes('22/tcp');
  if (!isOpen || address === null) return { proxy, direct: null };
  const { host, port } = address;
  return { proxy, direct: { host, port, username: 'root', command: `ssh root@${host} -p ${port}` } };
}

function mountsOf(pod: PodState): PodAnswer['mounts'] {
  const { mount } = pod;
  if (mount === null) return {};
  if (mount.kind === 'persistent') return { persistent: { size: mount.sizeGb, path: mount.path } };
  return { network: [{ volumeId: mount.volumeId, path: mount.path }] };
}

function computeOf(world: World, pod: PodState): Pick<PodAnswer, 'gpu' | 'cpu'> {
  const { compute } = pod;
  if (compute.kind === 'cpu') {
    return { cpu: { id: compute.id, vcpuCount: compute.vcpuCount, memory: compute.memoryGb } };
  }
  const { id, count } = compute;
  const kind = world.catalog.gpus.find((one) => one.id === id);
  if (!world.settings.pagination || kind === undefined) return { gpu: { id, count } };
  return { gpu: { id, count, vcpuCount: kind.vcpuPerGpu * count, memory: kind.ramPerGpuGb * count } };
}

function commandOf(world: World, pod: PodState): Pick<PodAnswer, 'cmd' | 'entrypoint'> {
  if (!world.settings.pagination) return {};
  return {
    ...(pod.cmd === null ? {} : { cmd: [...pod.cmd] }),
    ...(pod.entrypoint === null ? {} : { entrypoint: [...pod.entrypoint] }),
  };
}

/** The inner address comes from the id, so that it stays the same for the pod's whole life. */
function networkingOf(pod: PodState): PodAnswer['globalNetworking'] {
  if (!pod.globalNetworking) return { enabled: false };
  const ip = `10.65.${pod.id.charCodeAt(1) % 250}.${pod.id.charCodeAt(2) % 250}`;
  return { enabled: true, ip, internalDns: `${pod.id}.runpod.internal` };
}

export function podAnswerOf(world: World, pod: PodState, lookout: Lookout): PodAnswer {
  const isRented = pod.status !== 'EXITED' && pod.status !== 'ERROR' && pod.status !== 'TERMINATED';
  return {
    id: pod.id,
    name: pod.name,
    image: pod.image,
    args: pod.args,
    ...commandOf(world, pod),
    disk: pod.diskGb,
    ports: [...pod.ports],
    env: { ...pod.env },
    registry: pod.registryId,
    status: pod.status,
    actions: [...ACTIONS[pod.status]],
    mounts: mountsOf(pod),
    ...computeOf(world, pod),
    cloud: pod.cloud,
    dataCenterId: pod.placed ? pod.placement.dataCenterId : null,
    cudaVersion: pod.placed ? pod.placement.cudaVersion : null,
    ssh: sshOf(pod),
    template: null,
    cost: isRented ? usd(pod.computeRate) : 0,
    locked: pod.locked,
    globalNetworking: networkingOf(pod),
    runtime: runtimeOf(world, pod, lookout),
    createdAt: rfc3339(pod.createdAt),
    startedAt: pod.startedAt === null ? null : rfc3339(pod.startedAt),
  };
}
