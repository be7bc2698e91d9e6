/** What `nvidia-smi` says: figures, "no GPU", or unknown. A missing figure is never zero. */
import { type Part, seen, unseen } from './part.ts';

/** One row; null where the driver gives no figure ([N/A], [Not Supported], MIG). */
export type GpuFigures = {
  readonly index: string;
  readonly util: number | null;
  readonly memoryUsedMib: number | null;
  readonly memoryTotalMib: number | null;
};

export type GpuReading =
  | { readonly state: 'no-gpu' }
  /** One or more samples, each with every GPU of the pod. */
  | { readonly state: 'figures'; readonly samples: readonly (readonly GpuFigures[])[] };

/** The raw answer of one run of nvidia-smi. */
export type GpuAnswer = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

const ROW = /^\s*(\d{1,3})\s*,\s*([^,]*),\s*([^,]*),\s*([^,]*),\s*([^,]*?)\s*$/;
/** What only a row has: its beginning, a device's uuid, or five fields. A line that has it and is no row hides a GPU. */
const OF_A_ROW = /^\s*\d{1,3}\s*,|\b(?:GPU|MIG)-[0-9a-f]{4}|^(?!\s*index\s*,)[^,]*(?:,[^,]*){4}$/i;
const DEVICE_FAILED =
  /GPU is lost|Unable to determine the device handle|Unknown Error|fallen off the bus|requires reset\]?\s*$|ERR!|Failed to initialize NVML|NVIDIA-SMI (?:has failed|couldn't)/im;
const NO_DEVICES = /no devices were found/i;

/** A figure with or without unit (`97`, `97 %`, `1024 MiB`), or null; of a fraction the next whole one, since a little is not nothing. */
function figure(text: string | undefined): number | null {
  const match = /^(\d{1,7}(?:\.\d+)?)\s*(?:%|MiB)?$/.exec((text ?? '').trim());
  return match === null ? null : Math.ceil(Number(match[1]));
}

function parseGpuSample(answer: GpuAnswer): Part<'no-gpu' | readonly GpuFigures[]> {
  const text = answer.stdout.replaceAll('\r', '');
  const lines = text.split('\n');
  if (NO_DEVICES.test(text) || NO_DEVICES.test(answer.stderr)) {
    const both = lines.some((line) => OF_A_ROW.test(line));
    return both ? unseen('nvidia-smi told of GPUs and of none') : seen('no-gpu');
  }
  if (answer.exitCode === 127) return unseen('nvidia-smi is not on the pod');
  if (answer.exitCode !== 0) return unseen(`nvidia-smi failed with exit code ${answer.exitCode}`);
  if (DEVICE_FAILED.test(text) || DEVICE_FAILED.test(answer.stderr)) return unseen('a GPU was lost');
  if (lines.some((line) => OF_A_ROW.test(line) && !ROW.test(line)))
    return unseen('nvidia-smi gave a row that cannot be read');
  const rows = rowsOf(lines);
  if (rows.length === 0) return unseen('nvidia-smi gave no row that can be read');
  // Inside a container they are counted from 0: a gap is a GPU that nobody told of, and it may be the busy one.
  const whole = rows.every((row) => rows.filter((other) => other.index === row.index).length === 1);
  if (!whole || rows.some((row) => Number(row.index) >= rows.length))
    return unseen('nvidia-smi did not tell of every GPU');
  return seen(rows);
}

function rowsOf(lines: readonly string[]): readonly GpuFigures[] {
  return lines.flatMap((line): GpuFigures[] => {
    const match = ROW.exec(line);
    if (match === null) return [];
    const util = figure(match[3]);
    return [
      {
        index: String(Number(match[1])),
        util: util !== null && util <= 100 ? util : null,
        memoryUsedMib: figure(match[4]),
        memoryTotalMib: figure(match[5]),
      },
    ];
  });
}

/** Reads the samples of one visit. One unreadable sample makes the reading unknown. */
export function readGpu(answers: readonly GpuAnswer[]): Part<GpuReading> {
  const samples: (readonly GpuFigures[])[] = [];
  for (const answer of answers) {
    const sample = parseGpuSample(answer);
    if (sample.kind === 'unseen') return sample;
    if (sample.value === 'no-gpu') return seen({ state: 'no-gpu' });
    samples.push(sample.value);
  }
  if (samples.length === 0) return unseen('no GPU sample was taken');
  const counts = new Set(samples.map((sample) => sample.length));
  if (counts.size > 1) return unseen('the number of GPUs changed between samples');
  return seen({ state: 'figures', samples });
}

export type GpuActivity = 'busy' | 'idle' | 'unknown' | 'no-gpu';

/** Busy if any figure of any sample is above `minUtil`; unknown if any is missing; else idle. */
export function gpuActivity(reading: Part<GpuReading>, minUtil: number): GpuActivity {
  if (reading.kind === 'unseen') return 'unknown';
  if (reading.value.state === 'no-gpu') return 'no-gpu';
  const utils = reading.value.samples.flatMap((sample) => sample.map((gpu) => gpu.util));
  if (utils.some((util) => util !== null && util > minUtil)) return 'busy';
  return utils.some((util) => util === null) ? 'unknown' : 'idle';
}

/** Most device memory held in any sample, MiB: told, and decides nothing. */
export function residentMemoryMib(reading: Part<GpuReading>): number | null {
  if (reading.kind === 'unseen' || reading.value.state === 'no-gpu') return null;
  const totals = reading.value.samples.map((sample) =>
    sample.reduce((sum, gpu) => sum + (gpu.memoryUsedMib ?? 0), 0),
  );
  return Math.max(...totals);
}
