/** The job log: what it prints cannot act, hides secrets, and stays within what GitHub shows. */
import { expect, it } from 'vitest';
import { actionsLog } from '../../../src/adapters/actions-log.ts';
import { redactor } from '../../../src/adapters/redact.ts';
import type { Clock, Log } from '../../../src/ports.ts';

/** What the runner would read of everything that `speak` says. */
function heard(speak: (log: Log) => void, clock: Partial<Clock> = {}): string[] {
  const real = process.stdout.write.bind(process.stdout);
  let said = '';
  process.stdout.write = ((chunk: string | Uint8Array) => {
    said += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    return true;
  }) as typeof process.stdout.write;
  try {
    const still: Clock = { now: () => 0, sleep: async () => undefined, ...clock };
    speak(actionsLog({ clock: still, redact: () => redactor(['s3cret-value']) }));
  } finally {
    process.stdout.write = real;
  }
  return said.split('\n').filter((line) => line !== '');
}

it.each([
  ['a command at the beginning', '::set-output name=x::y'],
  ['a command after blanks', '   ::stop-commands::t'],
  ['a command on a line of its own', 'pod says\n::error::gotcha'],
  ['a command after a carriage return', 'pod says\r::add-mask::a'],
  ['an old command anywhere', 'pod says ##[error]gotcha'],
])('a text of a pod that holds %s stays a text', (_what, text) => {
  const lines = heard((log) => log.say('info', text));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/^\s*::/);
  expect(lines[0]).not.toContain('##[');
});

it('secrets that are known are hidden on every level', () => {
  const lines = heard((log) => {
    for (const level of ['debug', 'info', 'notice', 'warning', 'error'] as const)
      log.say(level, 'key s3cret-value');
    log.progress('key s3cret-value');
  });
  expect(lines.length).toBeGreaterThanOrEqual(5);
  expect(lines.join('\n')).not.toContain('s3cret-value');
});

it('of many errors nine are annotations and every one is in the log', () => {
  const lines = heard((log) => {
    for (let pod = 1; pod <= 30; pod += 1) log.say('error', `pod ${pod} is up`);
  });
  expect(lines.filter((line) => line.startsWith('::error'))).toHaveLength(9);
  expect(lines).toHaveLength(30);
  expect(lines.at(-1)).toBe('error: pod 30 is up');
});

it('an annotation keeps below the length at which GitHub cuts it', () => {
  const [line] = heard((log) => log.say('warning', 'x'.repeat(10_000)));
  expect(line?.length).toBeLessThan(4096);
});

it('progress is told now and then, not at every block', () => {
  let now = 100_000;
  const lines = heard(
    (log) => {
      for (let block = 0; block < 100; block += 1) {
        now += 1_000;
        log.progress(`block ${block}`);
      }
    },
    { now: () => now },
  );
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.length).toBeLessThan(10);
});
