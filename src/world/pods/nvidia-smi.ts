/** Puts a scripted nvidia-smi on a pod's PATH: the script itself, and the state files beside it that it reads at each call. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAt } from '../model/gpu-load.ts';
import type { GpuFault, GpuState } from './gpu.ts';
import { NVIDIA_SMI_TEXT } from './nvidia-smi-text.ts';

const HOME = 'usr/local/lib/podtrack-world/gpu';

/** What the tool prints and how it ends, per failure (docs/facts/pod.md). */
const FAILURES: Readonly<Partial<Record<GpuFault, { text: string; stream: 1 | 2; exit: number }>>> = {
  'no-devices': { text: 'No devices were found', stream: 1, exit: 6 },
  'driver-mismatch': {
    text: 'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144',
    stream: 1,
    exit: 18,
  },
  'missing-tool': { text: 'sh: nvidia-smi: not found', stream: 2, exit: 127 },
};

/** Writes tool and state into the container at `root`; `start` marks the zero of the scripted steps. */
export async function installNvidiaSmi(root: string, state: GpuState): Promise<void> {
  await mkdir(join(root, HOME), { recursive: true });
  await writeFile(join(root, HOME, 'start'), `${await monotonicMs()}\n`);
  await writeFile(join(root, 'usr/local/bin/nvidia-smi'), NVIDIA_SMI_TEXT, { mode: 0o755 });
  await writeGpuState(root, state);
}

/** Writes what the tool says from its next call on. */
export async function writeGpuState(root: string, state: GpuState): Promise<void> {
  const place = join(root, HOME);
  const { gpu } = state;
  const moments = [0, ...(gpu.script ?? []).map((step) => step.afterMs)];
  const steps = moments.map((afterMs) => {
    const load = loadAt(gpu, afterMs);
    return `${afterMs} ${load.util} ${load.memUsedMiB}\n`;
  });
  await replaceFile(join(place, 'steps'), steps.join(''));
  await replaceFile(join(place, 'cycle'), `${state.cycle.join(' ')}\n`);
  await replaceFile(join(place, 'said'), `${saidInsteadOfUtil(state.fault)}\n`);
  await replaceFile(join(place, 'cards'), cards(state));
  await rm(join(place, 'fault'), { force: true });
  const fault = faultSnippet(state);
  if (fault !== null) await replaceFile(join(place, 'fault'), fault);
}

/** In one step, as the tool may be reading at this very moment. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

function cards(state: GpuState): string {
  const { gpu } = state;
  return Array.from({ length: gpu.count }, (_, index) => {
    const uuid = `GPU-1f0c7a52-9b1e-4c1f-8a54-${String(index).padStart(12, '0')}`;
    return `${index}|${uuid}|${gpu.name}|${Math.max(1, gpu.memTotalMiB)}\n`;
  }).join('');
}

function saidInsteadOfUtil(fault: GpuFault | null): string {
  if (fault === 'not-supported') return '[Not Supported]';
  return fault === 'mig' || fault === 'not-available' ? '[N/A]' : '';
}

/** A piece of shell that the tool sources first. */
function faultSnippet(state: GpuState): string | null {
  if (state.fault === 'hangs') return 'exec sleep 2000000\n';
  const kind = state.fault ?? (state.gpu.count === 0 ? 'no-devices' : null);
  const failure = kind === null ? undefined : FAILURES[kind];
  if (failure === undefined) return null;
  return `printf '%s\\n' '${failure.text}' >&${failure.stream}\nexit ${state.faultExit ?? failure.exit}\n`;
}

/** Milliseconds on the clock the script can read too: uptime where there is a /proc, else the wall clock in whole seconds. */
async function monotonicMs(): Promise<number> {
  if (!existsSync('/proc/uptime')) return Math.floor(Date.now() / 1000) * 1000;
  return Math.round(Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]) * 1000);
}
