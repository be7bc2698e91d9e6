/** nvidia-smi: a missing figure is unknown, never zero; an error text is no GPU list. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type GpuActivity,
  type GpuAnswer,
  gpuActivity,
  readGpu,
  residentMemoryMib,
} from '../../src/domain/gpu.ts';

const said = (stdout: string, exitCode = 0, stderr = '') => ({ exitCode, stdout, stderr });
const row = (util: string, used = '0') =>
  `0, GPU-1f0c7a52-9b1e-4c1f-8a54-3f0d2c1b0a01, ${util}, ${used}, 81920\n`;

const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index}, GPU-${index}, 0, 2, 3\n`).join('');

/** What a broken driver or tool says, and with which exit code. */
const BROKEN: readonly (readonly [string, number])[] = [
  ['Failed to initialize NVML: Unknown Error', 255],
  ['Failed to initialize NVML: GPU access blocked by the operating system', 17],
  ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 9],
  ["NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.", 12],
  ['Field "utilization.gpu" is not a valid field to query.', 2],
  ['Killed', 137],
];

describe('readGpu', () => {
  it.each<readonly [string, readonly GpuAnswer[], GpuActivity]>([
    ['MIG gives no figure (case C17)', [said(row('[N/A]', '30211'))], 'unknown'],
    ['an old driver gives no figure (case C17)', [said(row('[Not Supported]', '7'))], 'unknown'],
    ['a bare N/A (case C17)', [said(row('N/A', '24576'))], 'unknown'],
    ...[
      '[n/a]',
      '[Not Found]',
      '[Unknown Error]',
      '[Insufficient Permissions]',
      '[GPU requires reset]',
      '[Deprecated]',
      'ERR!',
      'N/A %',
      '-',
      'null',
      'NaN',
      '-1',
      '0x0',
      '00.',
      'O',
    ].map((word) => [`${word} for a figure (case C17)`, [said(row(word, '30211'))], 'unknown'] as const),
    ['a fraction is more than nothing (case C17)', [said(row('0.4 %'))], 'busy'],
    ['a decimal comma (case C17)', [said(row('0,4 %'))], 'unknown'],
    ['an empty figure (case C17)', [said(row(''))], 'unknown'],
    ['a figure above 100', [said(row('250'))], 'unknown'],
    [
      'a driver mismatch, told on stdout (case C18)',
      [
        said(
          'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n',
          18,
        ),
      ],
      'unknown',
    ],
    ['the tool is missing (case C18)', [said('', 127, 'sh: nvidia-smi: not found')], 'unknown'],
    ...BROKEN.flatMap(([text, exitCode]) => [
      [`"${text}", exit ${exitCode} (case C18)`, [said(`${text}\n`, exitCode)], 'unknown'] as const,
      [`"${text}" with exit 0 (case C18)`, [said(`${text}\n`)], 'unknown'] as const,
    ]),
    ['a row before a failure (case C18)', [said(row('0'), 15)], 'unknown'],
    ['no devices, on stderr (case C18)', [said('', 6, 'No devices were found\r\n')], 'no-gpu'],
    ['no devices under a banner (case C18)', [said('welcome\nNO DEVICES WERE FOUND\n', 0)], 'no-gpu'],
    ['devices and none (case C18)', [said(`${row('0')}No devices were found\n`)], 'unknown'],
    ['nothing at all', [said('')], 'unknown'],
    ['no sample', [], 'unknown'],
    ['no devices, exit 0 (case C18)', [said('No devices were found\n')], 'no-gpu'],
    ['no devices, exit 6 (case C18)', [said('No devices were found\n', 6)], 'no-gpu'],
    ['idle', [said(row('0', '61440'))], 'idle'],
    ['units and CR', [said('0, GPU-x, 0 %, 61440 MiB, 81559 MiB\r\n')], 'idle'],
    ['a banner above the row', [said(`welcome, friend\n${row('0')}`)], 'idle'],
    ['one of several GPUs busy', [said(`${row('0')}1, GPU-y, 97, 10, 20\n`)], 'busy'],
    ['one busy, one unknown', [said(`${row('[N/A]')}1, GPU-y, 97, 10, 20\n`)], 'busy'],
    ['one idle, one unknown', [said(`${row('[N/A]')}1, GPU-y, 0, 10, 20\n`)], 'unknown'],
    ['busy in one of six samples', ['0', '0', '30', '0', '0', '0'].map((util) => said(row(util))), 'busy'],
    ['one sample of six failed', [...[1, 2, 3, 4, 5].map(() => said(row('0'))), said('', 9)], 'unknown'],
    ['a row that was cut', [said(`${row('0')}1, GPU-y, 9`)], 'unknown'],
    ['a GPU that no row tells of, between others', [said(`${row('0')}2, GPU-y, 0, 1, 2\n`)], 'unknown'],
    ['a GPU told of twice', [said(`${row('0')}${row('0')}`)], 'unknown'],
    [
      'a lost device among rows, exit 0 (case C18)',
      [said(`${row('0')}Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.\n`)],
      'unknown',
    ],
    ...[
      '[31m1, GPU-1f0c7a52, 97, 3, 4[0m',
      '[N/A], GPU-1f0c7a52, 97, 3, 4',
      '[N/A], [N/A], [N/A], [N/A], [N/A]',
      'ERR!',
      '1; GPU-1f0c7a52; 97; 3; 4',
      '1\tGPU-1f0c7a52\t97\t3\t4',
      '"1", "GPU-1f0c7a52", "97", "3", "4"',
      '#1, GPU-1f0c7a52, 97, 3, 4',
      'GPU 1: NVIDIA H100 (UUID: GPU-1f0c7a52)',
      '  MIG 1g.10gb Device 0: (UUID: MIG-1f0c7a52)',
      '[GPU requires reset]',
    ].map(
      (line) =>
        [`a GPU in a line of its own kind: ${line} (case C18)`, [said(row('0') + line)], 'unknown'] as const,
    ),
    ...BROKEN.slice(0, 4).map(
      ([text]) => [`"${text}" beside a row (case C18)`, [said(row('0'), 0, text)], 'unknown'] as const,
    ),
    [
      'a header above the row',
      [said(`index, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n${row('0')}`)],
      'idle',
    ],
    [
      'a warning beside the row',
      [said(`${row('0')}WARNING: infoROM is corrupted at gpu 0000:3B:00.0\n`)],
      'idle',
    ],
    ['64 GPUs, the last of them busy', [said(`${many(63)}63, GPU-z, 1, 2, 3\n`)], 'busy'],
    ['64 GPUs at rest', [said(many(64))], 'idle'],
    ['a GPU got lost between samples', [said(`${row('0')}1, GPU-y, 0, 1, 2\n`), said(row('0'))], 'unknown'],
  ])('%s', (_what, answers, activity) => {
    expect(gpuActivity(readGpu(answers), 0)).toBe(activity);
  });

  it('min-gpu-util raises what counts as activity', () => {
    expect(gpuActivity(readGpu([said(row('5'))]), 5)).toBe('idle');
    expect(gpuActivity(readGpu([said(row('6'))]), 5)).toBe('busy');
  });

  it('held memory is told (case C20)', () => {
    expect(residentMemoryMib(readGpu([said(row('0', '61440'))]))).toBe(61_440);
    expect(residentMemoryMib(readGpu([said('', 127)]))).toBeNull();
  });

  it('no text is ever idle unless a row says 0', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 255 }), (stdout, exitCode) => {
        const activity = gpuActivity(readGpu([said(stdout, exitCode)]), 0);
        const saysZero = /^\s*\d{1,3}\s*,.*,\s*0/m.test(stdout);
        expect(activity === 'idle' && !saysZero).toBe(false);
      }),
    );
  });
});
