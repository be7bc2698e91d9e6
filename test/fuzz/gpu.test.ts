/** nvidia-smi as no manual shows it: whatever stands around, inside or instead of its rows, a pod that works is never idle. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { gpuActivity, readGpu } from '../../src/domain/gpu.ts';
import { readProbe } from '../../src/domain/switch/probe.ts';
import { rounds, Tally, tell } from './runs.ts';

const tally = new Tally();
afterAll(() => tell('nvidia-smi texts', tally.counts));

type Gpu = { readonly util: string; readonly truth: 'busy' | 'idle' | 'unknown' };

const gpu: fc.Arbitrary<Gpu> = fc.oneof(
  fc.integer({ min: 1, max: 100 }).map((util): Gpu => ({ util: String(util), truth: 'busy' })),
  fc.constant<Gpu>({ util: '0', truth: 'idle' }),
  fc
    .constantFrom(
      '[N/A]',
      'N/A',
      '[Not Supported]',
      '[Unknown Error]',
      '',
      '[GPU requires reset]',
      '-1',
      '101',
      '1e2',
      'null',
    )
    .map((util): Gpu => ({ util, truth: 'unknown' })),
);
const unit = fc.constantFrom('', ' %', '%');
const memory = fc.constantFrom('0', '61440', '61440 MiB', '[N/A]', '');
const banner = fc.constantFrom(
  '',
  'Welcome, friend',
  '==========',
  'WARNING: infoROM is corrupted at gpu 0000:3B:00.0',
  '| NVIDIA-SMI 550.54    Driver Version: 550.54    CUDA Version: 12.4 |',
  'index, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB]',
  '\u001b[31mred\u001b[0m',
);
const end = fc.constantFrom('\n', '\r\n', ' \n');

/** A text with the truth that it tells, before anything is cut from it. */
const smi = fc
  .record({
    gpus: fc.array(gpu, { minLength: 1, maxLength: 10 }),
    before: fc.array(banner, { maxLength: 3 }),
    after: fc.array(banner, { maxLength: 2 }),
    unit,
    memory,
    end,
  })
  .map((of) => ({
    gpus: of.gpus,
    text: [
      ...of.before,
      ...of.gpus.map(
        (one, at) =>
          `${at}, GPU-1f0c-${at}, ${one.util}${one.util === '' ? '' : of.unit}, ${of.memory}, 81559`,
      ),
      ...of.after,
      '',
    ].join(of.end),
  }));

const judge = (stdout: string, exitCode = 0): string =>
  gpuActivity(readGpu([{ exitCode, stdout, stderr: '' }]), 0);

it('calls idle only what tells of every GPU that it rests', () => {
  fc.assert(
    fc.property(smi, ({ gpus, text }) => {
      const truths = new Set(gpus.map(({ truth }) => truth));
      const told = judge(text);
      const right = truths.has('busy') ? 'busy' : truths.has('unknown') ? 'unknown' : 'idle';
      tally.add(told);
      // A row that is no row makes the whole sample unknown, even beside a busy one: that kills nobody either.
      expect([text, told]).toEqual([text, told === 'unknown' ? told : right]);
    }),
    { numRuns: rounds(3000, 200_000) },
  );
});

it('takes no text that was cut, doubled or lost lines for rest while a GPU that it told of works', () => {
  const damage = fc.record({
    at: fc.nat(2000),
    line: fc.nat(12),
    how: fc.constantFrom('drop', 'double', 'cut', 'swap'),
  });
  fc.assert(
    fc.property(smi, damage, ({ gpus, text }, { at, line, how }) => {
      const lines = text.split('\n');
      const place = line % lines.length;
      if (how === 'drop') lines.splice(place, 1);
      if (how === 'double') lines.splice(place, 0, lines[place] ?? '');
      if (how === 'swap') lines.reverse();
      const damaged = how === 'cut' ? text.slice(0, at % (text.length + 1)) : lines.join('\n');
      const told = judge(damaged);
      tally.add(`damaged: ${told}`);
      // Rows that are gone from the end leave no trace in the text; the policy counts them against the provider's figure.
      const shown = damaged.split('\n').filter((one) => /^\s*\d+\s*,/.test(one)).length;
      const rest = gpus.slice(0, shown).every(({ truth }) => truth === 'idle');
      expect([damaged, told !== 'idle' || rest]).toEqual([damaged, true]);
    }),
    { numRuns: rounds(3000, 200_000) },
  );
});

it('reads any bytes of a whole visit without an error, and never as rest', () => {
  const line = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      'gpu| ',
      'gpu_exit=0',
      'gpu_exit=',
      'gpu_exit=unseen:too-long',
      'gpuerr| x',
      'hb=present',
      'pod_now=1e9',
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const look = readProbe({ exitCode: 0, stdout: lines.join('\n') });
      const told = gpuActivity(look.gpu, 0);
      tally.add(`garbage: ${told}`);
      expect(told).not.toBe('idle');
    }),
    { numRuns: rounds(2000, 100_000) },
  );
});
