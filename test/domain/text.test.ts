/** Durations, instants, money and exit codes: texts that people write and read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accrued, formatUsd, microUsd, sumKnown } from '../../src/domain/budget.ts';
import { DAY_MS, formatDuration, HOUR_MS, MINUTE_MS, parseDuration } from '../../src/domain/duration.ts';
import { ConfigError, exitOf, Refusal, WorldError, worstExit } from '../../src/domain/errors.ts';
import { formatInstant, parseInstant } from '../../src/domain/instant.ts';

describe('durations', () => {
  it.each([
    ['30', 30 * MINUTE_MS],
    ['90s', 90_000],
    ['1.5h', 90 * MINUTE_MS],
    ['2D', 2 * DAY_MS],
    [' 1 m ', MINUTE_MS],
    ['1s', 1000],
    ['30d', 30 * DAY_MS],
  ])('%s', (text, milliseconds) => {
    expect(parseDuration(text, 'kill-in')).toBe(milliseconds);
  });

  it.each(['', '0', '0s', '-5', '31d', '1w', 'soon', '1e3', '5 minutes', '０', '0x10', '99999999999'])(
    'refuses %j and names the input',
    (text) => {
      expect(() => parseDuration(text, 'kill-in')).toThrow(ConfigError);
      expect(() => parseDuration(text, 'kill-in')).toThrow(/kill-in/);
    },
  );

  it.each([
    [0, '0 s'],
    [40_000, '40 s'],
    [2 * HOUR_MS + 5 * MINUTE_MS + 9000, '2 h 5 min'],
    [DAY_MS + 30_000, '1 d'],
    [-90_000, '-1 min 30 s'],
  ])('%d ms reads %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});

describe('instants', () => {
  it('agree with the platform for every time of four centuries', () => {
    const within = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2299, 11, 31) });
    fc.assert(
      fc.property(within, (epoch) => {
        expect(parseInstant(new Date(epoch).toISOString())).toBe(epoch);
        expect(Date.parse(formatInstant(epoch))).toBe(epoch);
      }),
    );
  });

  it.each([
    '2026-03-02T12:00:00',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-02T1',
    '',
    'yesterday',
  ])('%j says no instant', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});

describe('money', () => {
  it('an unknown rate costs an unknown amount, never zero', () => {
    expect(accrued(null, 0, HOUR_MS)).toBeNull();
    expect(accrued(2_690_000, 0, HOUR_MS / 2)).toBe(1_345_000);
    expect(accrued(2_690_000, HOUR_MS, 0)).toBe(0);
    expect(sumKnown([1, null, 2])).toEqual({ microUsd: 3, unknown: 1 });
    expect([microUsd(0.69), microUsd(Number.NaN), microUsd(-1)]).toEqual([690_000, null, null]);
    expect([formatUsd(null), formatUsd(1_234_000), formatUsd(4_000)]).toEqual(['unknown', '$1.23', '$0.004']);
  });
});

describe('exit codes', () => {
  const told = { tried: 't', cameBack: 'c', state: 's', next: 'n' };
  it('1 before 4 before 3 before 2', () => {
    expect(worstExit([2, 3, 4, 1])).toBe(1);
    expect(worstExit([2, 3, 4])).toBe(4);
    expect(worstExit([2, 3])).toBe(3);
    expect(worstExit([0, 2])).toBe(2);
    expect(worstExit([])).toBe(0);
  });

  it('a world error is 1 only where a pod of ours may bill', () => {
    expect(exitOf(new ConfigError('x', told), true)).toBe(2);
    expect(exitOf(new Refusal('x', told), true)).toBe(3);
    expect(exitOf(new WorldError('no-route', told), true)).toBe(1);
    expect(exitOf(new WorldError('no-route', told), false)).toBe(4);
    expect(exitOf(new Error('unexpected'), false)).toBe(1);
  });

  it('every error tells what was tried, what came back, the state and what to do', () => {
    expect(new Refusal('x', { tried: 'Tried', cameBack: 'no', state: 'Same', next: 'Do' }).message).toBe(
      'Tried: no. Same. Do.',
    );
  });
});
