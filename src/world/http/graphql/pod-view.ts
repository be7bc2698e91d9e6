/** A pod as GraphQL tells it: intent instead of status, env as "K=V" lines, ports as one comma text. */
import { rfc3339 } from '../../model/instant.ts';
import type { PodState } from '../../model/pod-state.ts';
import { usd } from '../../model/rates.ts';
import type { World } from '../../model/state.ts';
import type { Lookout } from '../call.ts';
import { containerNews, isReported, publishedPorts, uptimeSeconds } from '../v2/pod-answer.ts';

/** What was wanted, not what is: only a stop or an end changes it. */
export function desiredStatus(pod: PodState): 'RUNNING' | 'EXITED' | 'TERMINATED' {
  return pod.status === 'EXITED' || pod.status === 'TERMINATED' ? pod.status : 'RUNNING';
}

function runtimeView(world: World, pod: PodState, lookout: Lookout) {
  if (isReported(world, pod) && pod.boot === 'empty-runtime') {
    return { uptimeInSeconds: 0, ports: null, gpus: [], container: null };
  }
  const news = containerNews(world, pod, lookout);
  if (news === null) return null;
  const ports = publishedPorts(pod).map((port) => ({
    ...port,
    isIpPublic: port.type === 'tcp' && port.ip !== null,
  }));
  return {
    uptimeInSeconds: uptimeSeconds(world, pod),
    ports: pod.boot === 'no-ports' ? null : ports,
    gpus: news.gpus.map(({ util, memoryUtil }, i) => ({
      id: `GPU-${pod.placement.machineId.slice(0, 8)}-0000-0000-0000-${String(i).padStart(12, '0')}`,
      gpuUtilPercent: Math.round(util),
      memoryUtilPercent: Math.round(memoryUtil),
    })),
    container: { cpuPercent: 0, memoryPercent: 0 },
  };
}

/** vCPUs, memory and GPU count of the rented machine. */
export function machineSize(world: World, pod: PodState): { vcpu: number; memoryGb: number; gpus: number } {
  const { compute } = pod;
  if (compute.kind === 'cpu') return { vcpu: compute.vcpuCount, memoryGb: compute.memoryGb, gpus: 0 };
  const kind = world.catalog.gpus.find(({ id }) => id === compute.id);
  return {
    vcpu: (kind?.vcpuPerGpu ?? 8) * compute.count,
    memoryGb: (kind?.ramPerGpuGb ?? 32) * compute.count,
    gpus: compute.count,
  };
}

export function displayName(world: World, pod: PodState): string | null {
  const { compute } = pod;
  if (compute.kind === 'cpu') return null;
  return world.catalog.gpus.find(({ id }) => id === compute.id)?.name ?? compute.id;
}

export function location(world: World, pod: PodState): string | null {
  return world.catalog.dataCenters.find(({ id }) => id === pod.placement.dataCenterId)?.country ?? null;
}

/** Unlike v2, this API names the machine at once. */
function machineView(world: World, pod: PodState) {
  return {
    podHostId: pod.hostName,
    gpuDisplayName: displayName(world, pod),
    gpuTypeId: pod.compute.kind === 'gpu' ? pod.compute.id : null,
    dataCenterId: pod.placement.dataCenterId,
    location: location(world, pod),
    secureCloud: pod.cloud === 'SECURE',
    costPerHr: usd(pod.computeRate),
  };
}

export function podView(world: World, pod: PodState, lookout: Lookout) {
  const size = machineSize(world, pod);
  const { mount } = pod;
  return {
    id: pod.id,
    name: pod.name,
    desiredStatus: desiredStatus(pod),
    podType: 'RESERVED',
    costPerHr: usd(pod.computeRate),
    adjustedCostPerHr: usd(pod.computeRate),
    gpuCount: size.gpus,
    vcpuCount: size.vcpu,
    memoryInGb: size.memoryGb,
    imageName: pod.image,
    env: Object.entries(pod.env).map(([key, value]) => `${key}=${value}`),
    ports: pod.ports.join(','),
    port: null,
    containerDiskInGb: pod.diskGb,
    volumeInGb: mount?.kind === 'persistent' ? mount.sizeGb : 0,
    volumeMountPath: mount?.path ?? '',
    dockerArgs: pod.args,
    dockerId: null,
    machineId: pod.placement.machineId,
    lastStatusChange: pod.lastChange,
    lastStartedAt: pod.startedAt === null ? null : rfc3339(pod.startedAt),
    createdAt: rfc3339(pod.createdAt),
    // Permanently 0 on the real API too; the runtime has the true one.
    uptimeSeconds: 0,
    templateId: null,
    networkVolumeId: mount?.kind === 'network' ? mount.volumeId : null,
    locked: pod.locked,
    machine: machineView(world, pod),
    runtime: runtimeView(world, pod, lookout),
  };
}
