/** What a pod's GPUs do: the seed's numbers, scripted steps, a repeating cycle of readings, and the ways the tool fails in the field. */
import { loadAt } from '../model/gpu-load.ts';
import type { GpuStep, PodGpu, PodTelemetry } from '../pod-hosts.ts';

/** How nvidia-smi fails, or what it says instead of a utilisation. */
export type GpuFault =
  | 'no-devices'
  | 'driver-mismatch'
  | 'missing-tool'
  | 'hangs'
  | 'not-available'
  | 'not-supported'
  | 'mig';

/** A change to make; what is left out stays. */
export interface GpuChange {
  readonly name?: string | undefined;
  readonly count?: number | undefined;
  /** 0–100, per cent. */
  readonly util?: number | undefined;
  readonly memUsedMiB?: number | undefined;
  readonly memTotalMiB?: number | undefined;
  /** Steps since the container started; [] ends them. */
  readonly script?: readonly GpuStep[] | undefined;
  /** Utilisation reading by reading, over and over, e.g. [0, 97, 0]: a job that is busy in bursts. [] ends it. */
  readonly cycle?: readonly number[] | undefined;
  readonly fault?: GpuFault | null | undefined;
  /** Exit code of a failing nvidia-smi, when another than the usual one is wanted. */
  readonly faultExit?: number | undefined;
}

/** The whole truth about a pod's GPUs. */
export interface GpuState {
  readonly gpu: PodGpu;
  readonly cycle: readonly number[];
  readonly fault: GpuFault | null;
  readonly faultExit: number | null;
}

const NO_GPU: PodGpu = { name: '', count: 0, util: 0, memUsedMiB: 0, memTotalMiB: 0 };

/** The state a pod starts with; a CPU pod's image has no nvidia-smi. */
export function gpuState(gpu: PodGpu | null): GpuState {
  return { gpu: gpu ?? NO_GPU, cycle: [], fault: gpu === null ? 'missing-tool' : null, faultExit: null };
}

/** The state after a change. */
export function changedGpu(state: GpuState, change: GpuChange): GpuState {
  const { cycle, fault, faultExit, ...numbers } = change;
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return {
    gpu: { ...state.gpu, ...Object.fromEntries(given) },
    cycle: cycle ?? state.cycle,
    fault: fault === undefined ? state.fault : fault,
    faultExit: faultExit ?? (fault === undefined ? state.faultExit : null),
  };
}

/** What the provider's API would report; it reads the card itself, so a broken tool inside the pod does not show. */
export function telemetryOf(state: GpuState, elapsedMs: number): PodTelemetry {
  const now = loadAt(state.gpu, elapsedMs);
  const memoryUtil = Math.round((100 * now.memUsedMiB) / Math.max(1, state.gpu.memTotalMiB));
  const util = state.cycle.length > 0 ? Math.max(...state.cycle) : now.util;
  return { gpus: Array.from({ length: state.gpu.count }, () => ({ util, memoryUtil })) };
}
