/** Host keys by the table: which may be shown when, which is recorded, and what a log says of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptedKeys, fingerprintsIn, pinOnceShown } from '../../src/domain/host-key.ts';
import { seen } from '../../src/domain/part.ts';
import type { HostKeyPin } from '../../src/domain/pod.ts';
import { aPod, aRecord, minutes, NOW } from './build.ts';

const key = (letter: string): string => `SHA256:${letter.repeat(43)}`;
const started = NOW - minutes(60);
const pinned = (of: Partial<HostKeyPin> = {}) =>
  aRecord({
    hostKey: { fingerprint: key('A'), seenAt: started + 1000, startedAt: started, from: 'first-use', ...of },
  });
const pod = (of: Parameters<typeof aPod>[0] = {}) => aPod({ startedAt: started, ...of });
const upFor = (uptimeMs: number) => seen({ uptimeMs, gpus: [], cpuUtil: null });

describe('after a reset (case C30)', () => {
  it('any key is accepted once, where the start time or the uptime proves a later start', () => {
    expect(acceptedKeys(pinned(), pod({ telemetry: upFor(minutes(60)) }), NOW)).toEqual([key('A')]);
    expect(acceptedKeys(pinned(), pod({ startedAt: NOW - minutes(1) }), NOW)).toBeNull();
    expect(acceptedKeys(pinned(), pod({ telemetry: upFor(45_000) }), NOW)).toBeNull();
  });

  it.each([
    [
      'the same start, seen by a runner whose clock is slow',
      pod({ startedAt: started }),
      started - minutes(9),
    ],
    ['a start before the pin', pod({ startedAt: started - minutes(9) }), started],
    ['no start time and no uptime', pod({ startedAt: null }), started],
    ['an uptime that has grown', pod({ startedAt: null, telemetry: upFor(minutes(61)) }), started],
    ['an uptime rounded by seconds', pod({ startedAt: null, telemetry: upFor(minutes(60) - 4000) }), started],
  ])('%s proves no restart: the pinned key alone', (_what, of, seenAt) => {
    expect(acceptedKeys(pinned({ seenAt }), of, NOW)).toEqual([key('A')]);
  });

  it('the new one is recorded as of that restart, and binds from then on', () => {
    const restarted = pod({ startedAt: NOW - minutes(1) });
    const next = pinOnceShown(pinned(), restarted, key('B'), NOW);
    expect(next).toEqual({
      fingerprint: key('B'),
      seenAt: NOW,
      startedAt: NOW - minutes(1),
      from: 'restart',
    });
    const record = aRecord({ hostKey: next });
    expect(acceptedKeys(record, restarted, NOW + minutes(9))).toEqual([key('B')]);
    expect(pinOnceShown(record, restarted, key('B'), NOW + minutes(9))).toBeNull();
  });

  it('what an earlier start printed binds no more: every kind of it is forgotten', () => {
    const record = pinned({ others: [key('R')], from: 'container-log' });
    const restarted = pod({ startedAt: NOW - minutes(1) });
    expect(acceptedKeys(record, restarted, NOW)).toBeNull();
    expect(pinOnceShown(record, restarted, key('R'), NOW)).toMatchObject({
      fingerprint: key('R'),
      from: 'restart',
    });
  });
});

describe('keys of several kinds', () => {
  const record = pinned({ others: [key('R'), key('C')], from: 'container-log' });

  it('are all accepted until one was shown, which alone is recorded, as from the log', () => {
    expect(acceptedKeys(record, pod(), NOW)).toEqual([key('A'), key('R'), key('C')]);
    for (const shown of [key('A'), key('R')])
      expect(pinOnceShown(record, pod(), shown, NOW)).toEqual({
        fingerprint: shown,
        seenAt: NOW,
        startedAt: started,
        from: 'container-log',
      });
  });
});

describe('a container log', () => {
  const line = (letter: string, kind: string): string => `256 ${key(letter)} root@a1b2c3d4e5f6 (${kind})`;

  it.each([
    ['nothing', ['Pod Started'], []],
    [
      'one of each kind, ED25519 first',
      [line('R', 'RSA'), line('C', 'ECDSA'), line('E', 'ED25519')],
      ['E', 'R', 'C'],
    ],
    ['the last start alone', [line('R', 'RSA'), 'Pod Started', line('E', 'ED25519')], ['E']],
    [
      'the last container alone',
      [line('R', 'RSA'), 'start container for x:1: begin', line('S', 'RSA')],
      ['S'],
    ],
    [
      'the newest of a kind, where no start is to be seen',
      [line('E', 'ED25519'), line('F', 'ED25519')],
      ['F'],
    ],
    ['a key without its kind', [key('X')], ['X']],
    ['no key inside a word', [`x${key('A')}`, `${key('A')}b`, 'SHA256:short'], []],
  ])('tells of %s', (_what, lines, letters) => {
    expect(fingerprintsIn(lines)).toEqual(letters.map(key));
  });

  it('of any text gives at most eight keys, each of the shape that a record takes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom(line('E', 'ED25519'), key('Q')))),
        (lines) => {
          const told = fingerprintsIn(lines);
          expect(told.length).toBeLessThanOrEqual(8);
          for (const one of told) expect(one).toMatch(/^SHA256:[A-Za-z0-9+/]{43}=?$/);
        },
      ),
    );
  });
});
