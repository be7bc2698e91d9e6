/** Scripted GPU load: what a pod's cards do at a moment, for telemetry in memory and for the pod's own nvidia-smi. */
import type { PodGpu, PodTelemetry } from '../pod-hosts.ts';
import type { Compute, PodState } from './pod-state.ts';
import type { World } from './state.ts';

/** The load wished for by a seed; what is left out is an idle, empty card of the right size. */
type Scripted = 'util' | 'memUsedMiB' | 'memTotalMiB' | 'script';
export type GpuLoad = { readonly [Key in Scripted]?: PodGpu[Key] | undefined };

/** null on CPU pods. */
export function podGpu(world: World, compute: Compute, load: GpuLoad): PodGpu | null {
  if (compute.kind === 'cpu') return null;
  const kind = world.catalog.gpus.find(({ id }) => id === compute.id);
  return {
    name: compute.id,
    count: compute.count,
    util: load.util ?? 0,
    memUsedMiB: load.memUsedMiB ?? 0,
    memTotalMiB: load.memTotalMiB ?? (kind?.memoryGb ?? 24) * 1024,
    script: load.script,
  };
}

/** Utilisation and used memory so many ms after the container started. */
export function loadAt(gpu: PodGpu, elapsedMs: number): { util: number; memUsedMiB: number } {
  let now = { util: gpu.util, memUsedMiB: gpu.memUsedMiB };
  for (const step of gpu.script ?? []) {
    if (step.afterMs <= elapsedMs) now = { util: step.util, memUsedMiB: step.memUsedMiB ?? now.memUsedMiB };
  }
  return now;
}

/** Telemetry without a host: computed from the script. */
export function scriptedTelemetry(world: World, pod: PodState): PodTelemetry {
  if (pod.gpu === null) return { gpus: [] };
  const { util, memUsedMiB } = loadAt(pod.gpu, world.now - (pod.startedAt ?? world.now));
  const memoryUtil = Math.round((memUsedMiB / pod.gpu.memTotalMiB) * 100);
  return { gpus: Array.from({ length: pod.gpusFound }, () => ({ util, memoryUtil })) };
}
