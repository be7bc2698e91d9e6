/** A pod as the retired REST v1 told it; it never carried a runtime. */
import { goDate } from '../../model/instant.ts';
import type { PodState } from '../../model/pod-state.ts';
import { usd } from '../../model/rates.ts';
import type { World } from '../../model/state.ts';
import { desiredStatus, displayName, location, machineSize } from '../graphql/pod-view.ts';
import { isReported, publishedPorts } from '../v2/pod-answer.ts';

/** Go's way to write a date, or ISO with milliseconds: v1 answers were seen to use either, field by field. */
const iso = (at: number) => new Date(at).toISOString();

function portMappings(world: World, pod: PodState): Record<string, number> | null {
  if (!isReported(world, pod) || pod.boot !== 'normal' || pod.address === null) return null;
  const open = publishedPorts(pod).flatMap(({ type, privatePort, publicPort }) =>
    type === 'tcp' && publicPort !== null ? [[String(privatePort), publicPort] as const] : [],
  );
  return Object.fromEntries(open);
}

export function v1PodView(world: World, pod: PodState) {
  const size = machineSize(world, pod);
  const mappings = portMappings(world, pod);
  const { compute, mount } = pod;
  return {
    id: pod.id,
    name: pod.name,
    consumerUserId: world.account.userId,
    aiApiId: null,
    desiredStatus: desiredStatus(pod),
    image: pod.image,
    env: pod.env,
    // A text here and a number below: both were seen.
    costPerHr: usd(pod.computeRate).toString(),
    adjustedCostPerHr: usd(pod.computeRate),
    ...(compute.kind === 'gpu'
      ? { gpu: { id: compute.id, count: compute.count, displayName: displayName(world, pod) } }
      : { cpuFlavorId: compute.id }),
    containerDiskInGb: pod.diskGb,
    volumeInGb: mount?.kind === 'persistent' ? mount.sizeGb : 0,
    volumeMountPath: mount?.path ?? '/workspace',
    volumeEncrypted: false,
    memoryInGb: size.memoryGb,
    vcpuCount: size.vcpu,
    machineId: pod.placement.machineId,
    interruptible: false,
    locked: pod.locked,
    createdAt: goDate(pod.createdAt),
    lastStartedAt: iso(pod.startedAt ?? pod.createdAt),
    lastStatusChange: pod.lastChange,
    ports: pod.ports,
    portMappings: mappings,
    publicIp: mappings === null ? '' : (pod.address?.host ?? ''),
    templateId: null,
    machine: {
      dataCenterId: pod.placement.dataCenterId,
      gpuTypeId: compute.kind === 'gpu' ? compute.id : null,
      location: location(world, pod),
      secureCloud: pod.cloud === 'SECURE',
      costPerHr: usd(pod.computeRate),
    },
  };
}
