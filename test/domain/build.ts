/** Builders for domain tests: a whole value with the few fields a test cares about. */

import { type Deadlines, setDeadlines } from '../../src/domain/deadlines.ts';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import type { GpuReading } from '../../src/domain/gpu.ts';
import type { Heartbeat } from '../../src/domain/heartbeat.ts';
import { parseInstant } from '../../src/domain/instant.ts';
import { newRecord } from '../../src/domain/new-record.ts';
import type { Observation, Visit, VisitFailure } from '../../src/domain/observation.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { type Part, seen, unseen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import type { DecideInput } from '../../src/domain/policy/input.ts';
import type { ProviderPod } from '../../src/domain/provider-pod.ts';
import { emptyRegistry, type RegistryState } from '../../src/domain/registry/state.ts';
import { NO_SIGHTINGS, type Sightings } from '../../src/domain/registry/sweep.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import type { SwitchStatus } from '../../src/domain/switch.ts';

export const at = (text: string): number => {
  const epoch = parseInstant(text);
  if (epoch === null) throw new Error(`not an instant: ${text}`);
  return epoch;
};

export const NOW = at('2026-03-02T12:00:00Z');
export const REGISTRY = '0123456789abcdef0123456789abcdef';
export const minutes = (count: number): number => count * MINUTE_MS;

export function anOwner(of: Partial<Owner> = {}): Owner {
  return {
    label: 'acme/ml#7',
    labelGiven: false,
    key: { server: 'https://github.com', repositoryId: '501', runId: '7' },
    uuid: 'uuid-1',
    attempt: 1,
    job: 'train',
    matrix: null,
    checkRunId: null,
    repository: 'acme/ml',
    ...of,
  };
}

export function aPod(of: Partial<ProviderPod> = {}): ProviderPod {
  return {
    id: 'pod1',
    name: 'train-1',
    status: 'RUNNING',
    statusText: 'RUNNING',
    createdAt: NOW - minutes(120),
    startedAt: NOW - minutes(118),
    stamp: null,
    locked: false,
    costPerHourMicroUsd: 2_690_000,
    gpu: { type: 'NVIDIA H100', count: 1 },
    cpu: false,
    dataCenter: 'EU-RO-1',
    volumeId: null,
    volumePath: null,
    telemetry: seen({ uptimeMs: minutes(118), gpus: [{ util: 0, memoryUtil: 0 }], cpuUtil: 1 }),
    ssh: seen({ host: '203.0.113.20', port: 22117, username: 'root' }),
    proxied: false,
    ...of,
  };
}

export function someDeadlines(of: Partial<Deadlines> = {}): Deadlines {
  const set = setDeadlines({
    now: NOW - minutes(100),
    killInMs: minutes(360),
    killAbsoluteMs: minutes(480),
    maxExtensions: 1,
    petMinMs: minutes(30),
    pullMarginMs: minutes(15),
  });
  return { ...set, ...of };
}

export function aRecord(of: Partial<PodRecord> = {}): PodRecord {
  const record = newRecord({
    pod: aPod(),
    owner: anOwner(),
    account: 'user_1',
    nonce: null,
    gpu: '1 x NVIDIA H100',
    costPerHourMicroUsd: 2_690_000,
    deadlines: someDeadlines(),
    rules: DEFAULT_RULES,
    artifacts: { remotePath: '/workspace/results', none: false, allowEmpty: false, choice: null },
    hostKey: null,
    now: NOW - minutes(100),
    note: null,
  });
  const armed = { armedAt: NOW - minutes(99), credential: 'injected' as const };
  return {
    ...record,
    reachedAt: NOW - minutes(99),
    switch: { ...armed, mayRead: 'yes', mayTerminate: 'yes', petWindowMs: null, tool: 'curl' },
    keys: ['k'],
    ...of,
  };
}

export const gpuAt = (util: number | null, memoryUsedMib: number | null = 0): Part<GpuReading> =>
  seen({ state: 'figures', samples: [[{ index: '0', util, memoryUsedMib, memoryTotalMib: 81_559 }]] });

export const beat = (ageMs: number): Part<Heartbeat> =>
  seen({ state: 'beating', ageMs, disagreement: false });

export const armedSwitch: Part<SwitchStatus> = seen({
  armed: true,
  reason: null,
  watchdog: 'alive',
  supervisor: 'alive',
  deadlines: unseen('not told'),
  mark: unseen('not told'),
  fired: null,
  credential: 'present',
  key: unseen('not-asked'),
  keySource: 'injected',
  httpTool: 'curl',
  ca: null,
  jobTool: null,
});

export function aVisit(of: Partial<Visit> = {}): Observation['visit'] {
  const value: Visit = {
    podNow: seen(NOW),
    uptimeMs: seen(minutes(118)),
    heartbeat: seen({ state: 'absent' }),
    gpu: gpuAt(0),
    load1: seen(0.1),
    sshSessions: seen(0),
    switch: armedSwitch,
    hostKey: 'SHA256:abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq',
    ...of,
  };
  return { kind: 'seen', value };
}

export const noVisit = (failure: VisitFailure): Observation['visit'] => ({
  kind: 'unseen',
  failure,
  reason: failure,
});

export function anObservation(of: Partial<Observation> = {}): Observation {
  return {
    at: NOW,
    provider: { kind: 'present', pod: aPod() },
    visit: aVisit(),
    owner: unseen('not asked'),
    ...of,
  };
}

export const sighted = (count: number, overMs: number): Sightings => ({
  count,
  firstAt: NOW - overMs,
  lastAt: NOW,
});

export function anInput(of: Partial<DecideInput> = {}): DecideInput {
  return {
    record: aRecord(),
    observation: anObservation(),
    sightings: NO_SIGHTINGS,
    rules: DEFAULT_RULES,
    now: NOW,
    routeTrusted: true,
    ...of,
  };
}

export function aState(records: readonly PodRecord[]): RegistryState {
  const pods = Object.fromEntries(records.map((record) => [`runpod.${record.id}`, record]));
  return { ...emptyRegistry(REGISTRY, null, NOW), pods };
}
