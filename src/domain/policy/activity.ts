/** Whether a pod shows work, from each source alone: the provider, and the visit. */
import { gpuActivity, residentMemoryMib } from '../gpu.ts';
import { isFresh } from '../heartbeat.ts';
import type { Visit } from '../observation.ts';
import type { ProviderPod } from '../provider-pod.ts';
import type { Rules } from '../rules.ts';

export type ApiActivity = 'busy' | 'idle' | 'unknown';

/**
 * API-idle = every GPU at util 0 (≤ min-gpu-util) *and* memoryUtil ≤ 1, after the least uptime.
 * Anything missing is unknown.
 */
export function apiActivity(pod: ProviderPod, rules: Rules): ApiActivity {
  if (pod.telemetry.kind === 'unseen') return 'unknown';
  const { gpus, uptimeMs } = pod.telemetry.value;
  if (gpus.some((gpu) => gpu.util !== null && gpu.util > rules.minGpuUtil)) return 'busy';
  if (gpus.length === 0 || uptimeMs < rules.apiIdleMinUptimeMs) return 'unknown';
  const quiet = gpus.every((gpu) => gpu.util !== null && gpu.memoryUtil !== null && gpu.memoryUtil <= 1);
  return quiet ? 'idle' : 'unknown';
}

export type VisitActivity =
  | { readonly kind: 'busy'; readonly by: 'heartbeat-fresh' | 'gpu-busy' | 'ssh-session' }
  | { readonly kind: 'idle'; readonly memoryMib: number | null; readonly samples: number }
  | { readonly kind: 'no-gpu' }
  | { readonly kind: 'unknown'; readonly why: string };

/** A fresh heartbeat wins over every figure; figures decide only where there is none. */
export function visitActivity(visit: Visit, pod: ProviderPod, rules: Rules): VisitActivity {
  if (isFresh(visit.heartbeat, rules.hbGraceMs)) return { kind: 'busy', by: 'heartbeat-fresh' };
  if (rules.activity === 'jobs-and-ssh') {
    if (visit.sshSessions.kind === 'unseen') return { kind: 'unknown', why: visit.sshSessions.reason };
    if (visit.sshSessions.value > 0) return { kind: 'busy', by: 'ssh-session' };
  }
  const gpu = gpuActivity(visit.gpu, rules.minGpuUtil);
  if (gpu === 'busy') return { kind: 'busy', by: 'gpu-busy' };
  if (visit.heartbeat.kind === 'unseen') return { kind: 'unknown', why: visit.heartbeat.reason };
  if (pod.cpu) return cpuActivity(visit);
  if (gpu === 'no-gpu') return { kind: 'no-gpu' };
  if (gpu === 'unknown') {
    return { kind: 'unknown', why: visit.gpu.kind === 'unseen' ? visit.gpu.reason : 'a GPU gives no figure' };
  }
  const samples =
    visit.gpu.kind === 'seen' && visit.gpu.value.state === 'figures' ? visit.gpu.value.samples : [];
  const shown = samples[0]?.length ?? 0;
  if (shown < (pod.gpu?.count ?? 0))
    return { kind: 'unknown', why: `nvidia-smi tells of ${shown} of the pod's ${pod.gpu?.count} GPUs` };
  return { kind: 'idle', memoryMib: residentMemoryMib(visit.gpu), samples: samples.length };
}

/** A heartbeat that keeps a pod alive while every figure of its GPUs is at rest: told, and decides nothing. */
export function restsUnderBeat(visit: Visit, pod: ProviderPod, rules: Rules): boolean {
  if (!isFresh(visit.heartbeat, rules.hbGraceMs)) return false;
  return gpuActivity(visit.gpu, rules.minGpuUtil) === 'idle' && apiActivity(pod, rules) !== 'busy';
}

/** A pod without a GPU is judged by its heartbeat alone: one that has stopped beating is idle. */
function cpuActivity(visit: Visit): VisitActivity {
  const stopped = visit.heartbeat.kind === 'seen' && visit.heartbeat.value.state === 'beating';
  if (stopped) return { kind: 'idle', memoryMib: null, samples: 0 };
  return { kind: 'unknown', why: 'a pod without a GPU is judged by its heartbeat, and it writes none' };
}
