/** One visit's look at a pod, taken apart: each part is seen or unseen by itself. */
import { type GpuAnswer, type GpuReading, readGpu } from '../gpu.ts';
import { type Heartbeat, readHeartbeat } from '../heartbeat.ts';
import { type Part, seen, unseen } from '../part.ts';
import { type Answered, type Lines, linesOf, type SwitchStatus, statusOf } from '../switch.ts';
import type { PodCall } from './calls.ts';

export type ProbeLook = {
  /** Epoch ms by the pod's own clock. */
  readonly podNow: Part<number>;
  readonly uptimeMs: Part<number>;
  readonly heartbeat: Part<Heartbeat>;
  readonly gpu: Part<GpuReading>;
  readonly load1: Part<number>;
  /** Logins besides our own. */
  readonly sshSessions: Part<number>;
  /** Whether anything lies below the artifact path, chosen or not: a visit counts no files. Unseen when not asked for. */
  readonly artifacts: Part<'present' | 'empty' | 'absent'>;
  readonly switch: Part<SwitchStatus>;
};

export type ProbeWish = {
  /** GPU samples: 1 a visit, 6 over about 5 s before an idle order. */
  readonly samples: 1 | 6;
  /** A path whose presence is looked at; `~/` is the login's home. */
  readonly artifact?: string;
};

const PROBE_MS = 45_000;

/** One visit. Read the answer with `readProbe`. */
export function probeCall(wish: ProbeWish): PodCall {
  const artifact = wish.artifact === undefined ? [] : [`artifact=${wish.artifact}`];
  const args = [`samples=${wish.samples}`, ...artifact];
  return { script: 'probe', args, timeoutMs: PROBE_MS + wish.samples * 1_000 };
}

export function readProbe(answered: Answered): ProbeLook {
  const text = answered.stdout.replaceAll('\r', '');
  const lines = linesOf(text);
  const podNow = secondsAt(lines, 'pod_now', 'the pod told no time');
  return {
    podNow,
    uptimeMs: secondsAt(lines, 'uptime', 'the pod told no uptime'),
    heartbeat: heartbeatOf(lines, podNow),
    gpu: gpuOf(text),
    load1: figure(lines, 'load1'),
    sshSessions: figure(lines, 'ssh_sessions'),
    artifacts: artifactsOf(lines.get('artifacts')),
    switch: statusOf(switchLines(lines)),
  };
}

function secondsAt(lines: Lines, name: string, otherwise: string): Part<number> {
  const text = lines.get(name);
  return text !== undefined && /^\d{1,11}$/.test(text) ? seen(Number(text) * 1000) : unseen(otherwise);
}

function figure(lines: Lines, name: string): Part<number> {
  const text = lines.get(name);
  if (text === undefined) return unseen(`the pod said nothing of ${name}`);
  if (text.startsWith('unseen:')) return unseen(text.slice('unseen:'.length));
  return /^\d{1,9}(?:\.\d{1,4})?$/.test(text) ? seen(Number(text)) : unseen(`${name} cannot be read`);
}

function heartbeatOf(lines: Lines, podNow: Part<number>): Part<Heartbeat> {
  const state = lines.get('hb');
  if (state === undefined) return unseen('the pod said nothing of a heartbeat');
  if (state.startsWith('unseen:')) return unseen(state.slice('unseen:'.length));
  if (podNow.kind === 'unseen') return podNow;
  if (state === 'absent') return readHeartbeat(null, podNow.value);
  const mtime = secondsAt(lines, 'hb_mtime', '');
  const mtimeAt = mtime.kind === 'seen' ? mtime.value : null;
  return readHeartbeat({ content: lines.get('hb_content') ?? '', mtimeAt }, podNow.value);
}

function artifactsOf(state: string | undefined): ProbeLook['artifacts'] {
  if (state === 'present' || state === 'empty' || state === 'absent') return seen(state);
  if (state?.startsWith('unseen:') === true) return unseen(state.slice('unseen:'.length));
  return unseen('not asked');
}

function switchLines(lines: Lines): Lines {
  const own = [...lines].filter(([name]) => name.startsWith('sw_'));
  return new Map(own.map(([name, value]) => [name.slice('sw_'.length), value]));
}

/** Each sample is its `gpu|` and `gpuerr|` lines, closed by its exit code. */
function gpuOf(text: string): Part<GpuReading> {
  const answers: GpuAnswer[] = [];
  let stdout = '';
  let stderr = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('gpu| ')) stdout += `${line.slice('gpu| '.length)}\n`;
    else if (line.startsWith('gpuerr| ')) stderr += `${line.slice('gpuerr| '.length)}\n`;
    else if (line.startsWith('gpu_exit=')) {
      const exit = line.slice('gpu_exit='.length);
      if (!/^\d{1,3}$/.test(exit)) return unseen(`nvidia-smi: ${exit.replace(/^unseen:/, '').slice(0, 80)}`);
      answers.push({ exitCode: Number(exit), stdout, stderr });
      stdout = '';
      stderr = '';
    }
  }
  // Lines without their exit code were cut off: not a sample.
  return stdout === '' && stderr === '' ? readGpu(answers) : unseen('the GPU sample was cut off');
}
