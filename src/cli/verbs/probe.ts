/** probe: one look at a pod over SSH with six GPU samples; acts on nothing. */
import { formatDuration } from '../../domain/duration.ts';
import { type GpuReading, residentMemoryMib } from '../../domain/gpu.ts';
import type { Heartbeat } from '../../domain/heartbeat.ts';
import type { Visit } from '../../domain/observation.ts';
import type { Part } from '../../domain/part.ts';
import type { SwitchStatus } from '../../domain/switch.ts';
import { type Probed, probe } from '../../flows/probe.ts';
import { type Answer, type Call, ONLY_LOOKED, type Page, type Verb } from '../call.ts';
import { examples, registryFlags, sshFlags } from '../flags.ts';
import { podIdOf } from '../settings/pick.ts';
import { saysSwitch } from '../text/pod-facts.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const probed = await probe(world, podId);
  return {
    exitCode: probed.look.kind === 'seen' ? 0 : 1,
    value: json(probed),
    lines: (page) => lines(probed, page),
  };
}

function json({ record, pod, look, activity, api }: Probed): Readonly<Record<string, unknown>> {
  const visit = look.kind === 'seen' ? look.value : null;
  return {
    pod: record.id,
    status: pod.statusText,
    reached: visit !== null,
    failure: look.kind === 'unseen' ? look.failure : null,
    why: look.kind === 'unseen' ? look.reason : null,
    activity: activity?.kind ?? 'unknown',
    activityBy: activity?.kind === 'busy' ? activity.by : activity?.kind === 'unknown' ? activity.why : null,
    providerActivity: api,
    gpu: visit === null ? null : gpuJson(visit.gpu),
    residentMemoryMib: visit === null ? null : residentMemoryMib(visit.gpu),
    heartbeat: visit === null ? null : visit.heartbeat,
    load1: visit?.load1.kind === 'seen' ? visit.load1.value : null,
    sshSessions: visit?.sshSessions.kind === 'seen' ? visit.sshSessions.value : null,
    switch: visit === null ? null : visit.switch,
    hostKey: visit?.hostKey ?? null,
  };
}

function gpuJson(gpu: Part<GpuReading>): Readonly<Record<string, unknown>> {
  if (gpu.kind === 'unseen') return { state: 'unknown', why: gpu.reason };
  return gpu.value.state === 'no-gpu'
    ? { state: 'no-gpu' }
    : { state: 'figures', samples: gpu.value.samples };
}

function lines({ record, pod, look, activity, api }: Probed, page: Page): readonly string[] {
  if (look.kind === 'unseen') {
    return [
      `${page.paint('red', 'not reached')}: ${record.id} (${pod.statusText})`,
      `  ${look.reason.startsWith(look.failure) ? look.reason : `${look.failure}: ${look.reason}`}`,
      `  the provider's telemetry says: ${api}`,
    ];
  }
  const { value: visit } = look;
  const by =
    activity?.kind === 'busy'
      ? ` (${activity.by})`
      : activity?.kind === 'unknown'
        ? ` (${activity.why})`
        : '';
  return [
    `${record.id} (${pod.statusText}): ${page.paint('strong', `${activity?.kind ?? 'unknown'}`)}${by}`,
    `  GPU        ${saysGpu(visit.gpu)}`,
    `  heartbeat  ${saysHeartbeat(visit.heartbeat)}`,
    `  load       ${saysLoad(visit)}`,
    `  switch     ${saysStatus(visit.switch)}`,
    `  provider   ${api}`,
  ];
}

function saysGpu(gpu: Part<GpuReading>): string {
  if (gpu.kind === 'unseen') return `unknown: ${gpu.reason}`;
  if (gpu.value.state === 'no-gpu') return 'the pod has none';
  const utils = gpu.value.samples.map((sample) =>
    sample.map(({ util }) => (util === null ? '?' : String(util))).join('/'),
  );
  const memory = residentMemoryMib(gpu) ?? 0;
  return `util ${utils.join(', ')} %; ${memory} MiB in use; ${gpu.value.samples.length} samples`;
}

function saysHeartbeat(heartbeat: Part<Heartbeat>): string {
  if (heartbeat.kind === 'unseen') return `unknown: ${heartbeat.reason}`;
  return heartbeat.value.state === 'absent' ? 'none' : `${formatDuration(heartbeat.value.ageMs)} old`;
}

function saysLoad({ load1, sshSessions }: Visit): string {
  const load = load1.kind === 'seen' ? String(load1.value) : `unknown: ${load1.reason}`;
  const sessions = sshSessions.kind === 'seen' ? String(sshSessions.value) : 'unknown';
  return `${load}; other SSH sessions: ${sessions}`;
}

function saysStatus(status: Part<SwitchStatus>): string {
  if (status.kind === 'unseen') return `unknown: ${status.reason}`;
  if (!status.value.armed) return `not armed: ${status.value.reason ?? 'unknown'}`;
  const { deadlines } = status.value;
  return deadlines.kind === 'seen' ? `armed; ${saysSwitch(deadlines.value)}` : 'armed';
}

export const probeVerb: Verb = {
  concernsPod: true,
  whenCut: ONLY_LOOKED,
  define(command) {
    command.argument('<pod-id>', 'a pod of the registry');
    sshFlags(command);
    registryFlags(command);
    examples(command, 'podtrack probe abc123def456gh', 'podtrack probe abc123def456gh --json | jq .activity');
  },
  act,
};
