/** A first record of a pod: what is known of it at entry, and everything else empty. */
import type { Deadlines } from './deadlines.ts';
import type { Owner } from './owner.ts';
import { type HostKeyPin, type PodRecord, SCHEMA_VERSION } from './pod.ts';
import type { ProviderPod } from './provider-pod.ts';
import { freeze, type Rules } from './rules.ts';

/** The note of a pod that was taken from another registry on purpose: its mark may be written over. */
export const ADOPTED = 'adopted from another registry';

export type NewRecord = {
  readonly pod: ProviderPod;
  readonly owner: Owner;
  readonly account: string | null;
  readonly nonce: string | null;
  readonly gpu: string | null;
  readonly costPerHourMicroUsd: number | null;
  readonly deadlines: Deadlines;
  readonly rules: Rules;
  readonly artifacts: PodRecord['artifacts'];
  readonly hostKey: HostKeyPin | null;
  readonly now: number;
  readonly note: string | null;
};

export function newRecord(of: NewRecord): PodRecord {
  const { pod, now } = of;
  return {
    schemaVersion: SCHEMA_VERSION,
    provider: 'runpod',
    id: pod.id,
    name: pod.name.slice(0, 200),
    account: of.account,
    status: 'active',
    rev: 1,
    owner: of.owner,
    createdAt: pod.createdAt,
    startedAt: pod.startedAt,
    nonce: of.nonce,
    gpu: of.gpu?.slice(0, 120) ?? null,
    costPerHourMicroUsd: of.costPerHourMicroUsd,
    volumeId: pod.volumeId,
    deadlines: of.deadlines,
    rules: freeze(of.rules),
    artifacts: of.artifacts,
    registeredAt: now,
    updatedAt: now,
    reachedAt: null,
    heartbeatAt: null,
    fence: null,
    switch: null,
    hostKey: of.hostKey,
    lastMirror: null,
    lastVerdict: null,
    confirmed: null,
    end: null,
    notes: of.note === null ? [] : [of.note],
    keys: [],
  };
}

/** `2 x NVIDIA H100`, or null for a pod without a GPU. */
export function gpuText(pod: ProviderPod): string | null {
  return pod.gpu === null ? null : `${pod.gpu.count} x ${pod.gpu.type}`;
}
