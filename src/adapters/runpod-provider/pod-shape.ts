/** A RunPod pod, of either generation, as the ProviderPod that the product reasons about. */
import { z } from 'zod';
import { type Part, seen, unseen } from '../../domain/part.ts';
import { podId } from '../../domain/pod.ts';
import type { MalformedItem, ProviderPod, ProviderStatus, Telemetry } from '../../domain/provider-pod.ts';
import { type PodV1, type PodV2, podV1, podV2 } from './schemas.ts';
import { proxiedV2, sshOfV1, sshOfV2 } from './ssh-address.ts';

const STATUSES: ReadonlySet<string> = new Set([
  'PROVISIONING',
  'STARTING',
  'RUNNING',
  'EXITED',
  'ERROR',
  'TERMINATED',
] satisfies ProviderStatus[]);

const isKnown = (word: string): word is ProviderStatus => STATUSES.has(word);

function statusOf(word: string): { status: ProviderStatus; statusText: string } {
  const upper = word.toUpperCase();
  return { status: isKnown(upper) ? upper : 'OTHER', statusText: word.slice(0, 64) };
}

/** A stopped pod may go on reporting its last runtime for a while: that is no telemetry. */
function telemetryOf(pod: PodV2, status: ProviderStatus): Part<Telemetry> {
  if (status === 'EXITED' || status === 'TERMINATED') return unseen('not-running');
  if (pod.runtime === null || pod.runtime.uptime === null) return unseen('no-runtime');
  return seen({
    uptimeMs: Math.round(pod.runtime.uptime * 1000),
    gpus: pod.runtime.gpus ?? [],
    cpuUtil: pod.runtime.cpu?.util ?? null,
  });
}

function ofV2(pod: PodV2, ownWorld: boolean): ProviderPod {
  const { status, statusText } = statusOf(pod.status);
  const volume = pod.mounts?.network?.[0] ?? null;
  return {
    id: pod.id,
    name: pod.name,
    status,
    statusText,
    createdAt: pod.createdAt,
    startedAt: pod.startedAt,
    stamp: pod.env,
    locked: pod.locked,
    costPerHourMicroUsd: pod.cost,
    gpu: pod.gpu === null ? null : { type: pod.gpu.id, count: pod.gpu.count },
    cpu: pod.cpu !== null,
    dataCenter: pod.dataCenterId,
    volumeId: volume?.volumeId ?? null,
    volumePath: volume?.path ?? pod.mounts?.persistent?.path ?? null,
    telemetry: telemetryOf(pod, status),
    ssh: sshOfV2(pod, status, ownWorld),
    proxied: proxiedV2(pod),
  };
}

function gpuOfV1(pod: PodV1): ProviderPod['gpu'] {
  if (pod.gpu !== null) return { type: pod.gpu.id, count: pod.gpu.count };
  if (pod.gpuCount === null || pod.gpuCount === 0) return null;
  return { type: pod.machine?.gpuTypeId ?? 'unknown', count: pod.gpuCount };
}

function ofV1(pod: PodV1, ownWorld: boolean): ProviderPod {
  const { status, statusText } = statusOf(pod.desiredStatus);
  return {
    id: pod.id,
    name: pod.name,
    status,
    statusText,
    createdAt: pod.createdAt,
    startedAt: pod.lastStartedAt,
    stamp: pod.env,
    locked: pod.locked,
    costPerHourMicroUsd: pod.costPerHr,
    gpu: gpuOfV1(pod),
    cpu: pod.cpuFlavorId !== null,
    dataCenter: pod.machine?.dataCenterId ?? null,
    volumeId: pod.networkVolumeId ?? pod.networkVolume?.id ?? null,
    volumePath: pod.volumeMountPath,
    telemetry: unseen('not-in-this-answer'),
    ssh: sshOfV1(pod, status, ownWorld),
    proxied: false,
  };
}

/** Field and kind of failure only; a value may be a secret. */
function problemOf(error: z.ZodError): string {
  const first = error.issues[0];
  const field = first?.path.join('.') ?? '';
  return field === '' ? 'not a pod' : `${field} is missing or of another shape`;
}

export type ReadPod = { readonly pod: ProviderPod } | { readonly malformed: MalformedItem };

/** Reads one item of either generation; `desiredStatus` without `status` is v1. Never throws. */
export function readPod(item: unknown, ownWorld: boolean): ReadPod {
  const old = z.object({ desiredStatus: z.unknown(), status: z.never().optional() }).safeParse(item);
  const read = old.success ? podV1.safeParse(item) : podV2.safeParse(item);
  if (read.success) {
    return { pod: 'desiredStatus' in read.data ? ofV1(read.data, ownWorld) : ofV2(read.data, ownWorld) };
  }
  const id = z.object({ id: podId }).safeParse(item).data?.id ?? null;
  return { malformed: { id, problem: problemOf(read.error) } };
}
