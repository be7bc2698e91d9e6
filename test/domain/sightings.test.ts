/** Sightings: minutes, not cycles; a failed look neither adds nor clears. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../src/domain/observation.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import { decide } from '../../src/domain/policy/decide.ts';
import { countSightings } from '../../src/domain/policy/sightings.ts';
import { NO_SIGHTINGS, type PodSightings, sight } from '../../src/domain/registry/sweep.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import {
  anInput,
  anObservation,
  aPod,
  aRecord,
  at,
  aVisit,
  beat,
  gpuAt,
  minutes,
  NOW,
  noVisit,
} from './build.ts';

const idle = anObservation({ visit: aVisit({ gpu: gpuAt(0) }) });

function lookedAt(times: readonly number[], look: (at: number) => Observation): PodSightings {
  let before = NO_SIGHTINGS;
  for (const now of times) {
    const observation = look(now);
    before = countSightings({
      before,
      observation,
      record: aRecord(),
      rules: DEFAULT_RULES,
      now,
      routeTrusted: true,
    });
  }
  return before;
}

const idleAt = (times: readonly number[]): PodSightings => lookedAt(times, () => idle);

describe('sightings are spaced', () => {
  it('three hand-started runs within 90 seconds are one strike', () => {
    expect(idleAt([NOW, NOW + 40_000, NOW + 90_000]).idle?.count).toBe(1);
  });

  it('one gap of 461 minutes is no window: the count starts afresh', () => {
    expect(idleAt([NOW, NOW + minutes(461)]).idle).toEqual({
      count: 1,
      firstAt: NOW + minutes(461),
      lastAt: NOW + minutes(461),
    });
  });

  it('five-minute cycles need count and window together', () => {
    expect(idleAt([0, 5, 10].map((m) => NOW + minutes(m))).idle).toMatchObject({ count: 3 });
    const four = idleAt([0, 5, 10, 15].map((m) => NOW + minutes(m)));
    expect(decide(anInput({ sightings: four, now: NOW + minutes(15) })).reason).toBe('idle');
    const three = idleAt([0, 5, 10].map((m) => NOW + minutes(m)));
    expect(decide(anInput({ sightings: three, now: NOW + minutes(10) })).reason).toBe('idle-counting');
  });

  it('the cron that really came (case C22) never makes an idle verdict out of late runs alone', () => {
    const delivered = ['00:03:00', '00:17:36', '00:38:54', '01:05:00', '08:46:00', '08:50:30', '08:51:00'];
    const times = delivered.map((clock) => at(`2026-03-03T${clock}Z`));
    expect(idleAt(times.slice(0, 4)).idle?.count).toBe(4);
    expect(idleAt(times.slice(0, 5)).idle?.count).toBe(1);
    expect(idleAt(times).idle?.count).toBe(2);
  });

  it.each([
    ['a fresh heartbeat', aVisit({ heartbeat: beat(minutes(1)) })],
    ['a busy GPU', aVisit({ gpu: gpuAt(3) })],
  ])('%s resets the strikes', (_what, visit) => {
    const times = [NOW, NOW + minutes(5), NOW + minutes(10)];
    expect(lookedAt(times, (now) => (now === times[2] ? anObservation({ visit }) : idle)).idle).toBeNull();
  });

  it.each([
    ['a failed visit', anObservation({ visit: noVisit('timed-out') })],
    [
      'an unreadable provider',
      anObservation({ provider: { kind: 'unseen', reason: 'HTML' }, visit: noVisit('not-shown') }),
    ],
    ['a GPU that reads N/A', anObservation({ visit: aVisit({ gpu: gpuAt(null) }) })],
    ['an unknown heartbeat', anObservation({ visit: aVisit({ heartbeat: unseen('future') }) })],
    ['a pod without its GPU', anObservation({ visit: aVisit({ gpu: seen({ state: 'no-gpu' }) }) })],
    [
      'a pod that is not ready',
      anObservation({
        provider: { kind: 'present', pod: aPod({ telemetry: unseen('none') }) },
        visit: noVisit('not-ready'),
      }),
    ],
  ])('%s neither adds nor clears', (_what, blind) => {
    const times = [0, 5, 10, 15].map((m) => NOW + minutes(m));
    const counted = lookedAt(times, (now) => (now === times[2] ? blind : idle)).idle;
    expect(counted).toMatchObject({ count: 3, firstAt: NOW });
  });

  it('a refused login or a wrong host key proves a route; held shut proves nothing', () => {
    const away = anObservation({ visit: noVisit('no-route') });
    const times = [NOW, NOW + minutes(20), NOW + minutes(40)];
    const last = (failure: 'refused-login' | 'wrong-host-key' | 'held-shut') =>
      lookedAt(times, (now) => (now === times[2] ? anObservation({ visit: noVisit(failure) }) : away))
        .unreachable;
    expect(last('refused-login')).toBeNull();
    expect(last('wrong-host-key')).toBeNull();
    expect(last('held-shut')?.count).toBe(2);
  });

  it('two partial lists nine seconds apart are one absence (case C15)', () => {
    const away = anObservation({
      provider: { kind: 'absent', listedAway: seen(true) },
      visit: noVisit('not-shown'),
    });
    const absence = lookedAt([NOW, NOW + 9000], () => away);
    expect(absence.absent?.count).toBe(1);
    expect(decide(anInput({ sightings: absence, observation: away, now: NOW + 9000 })).reason).toBe(
      'absent-counting',
    );
    expect(
      lookedAt([NOW, NOW + 9000, NOW + minutes(21)], (now) => (now > NOW + 9000 ? idle : away)).absent,
    ).toBeNull();
  });

  it('any burst of looks counts no more than its spacing allows', () => {
    const looks = fc.array(fc.integer({ min: 0, max: minutes(600) }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(looks, fc.integer({ min: 1, max: minutes(30) }), (offsets, spacingMs) => {
        const times = offsets.map((offset) => NOW + offset).sort((a, b) => a - b);
        const gapMs = minutes(30) + 2 * spacingMs;
        let run: ReturnType<typeof sight> | null = null;
        for (const now of times) run = sight(run, now, { spacingMs, gapMs });
        if (run === null) throw new Error('at least one look');
        expect(run.count).toBeLessThanOrEqual(1 + Math.floor((run.lastAt - run.firstAt) / spacingMs));
      }),
    );
  });
});
