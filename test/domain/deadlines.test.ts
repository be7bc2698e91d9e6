/** Deadlines: what sets them, what moves them, and that nothing else does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deadlines,
  grantExtension,
  ownerDeadlineAt,
  secondsLeft,
  setDeadlines,
  setKeep,
  setOwnerDeadline,
  stopAt,
} from '../../src/domain/deadlines.ts';
import { Refusal } from '../../src/domain/errors.ts';
import { minutes, NOW } from './build.ts';

const wish = {
  now: NOW,
  killInMs: minutes(120),
  killAbsoluteMs: null,
  maxExtensions: 1,
  petMinMs: minutes(30),
  pullMarginMs: minutes(15),
};
const given = { ...wish, killAbsoluteMs: minutes(130) };

describe('deadlines', () => {
  it('default: absolute = owner + max-extensions × pet-min', () => {
    expect(setDeadlines(wish).absoluteDeadlineAt).toBe(NOW + minutes(150));
  });

  it('the switch stops a pull-margin after the owner deadline, at the latest at the absolute one', () => {
    expect(stopAt(setDeadlines(wish))).toBe(NOW + minutes(135));
    expect(stopAt(setDeadlines(given))).toBe(NOW + minutes(130));
  });

  it('the one automatic extension is owner + pet-min, cut by the absolute deadline, and there is no second', () => {
    const once = grantExtension(setDeadlines(wish));
    expect(once === null ? null : ownerDeadlineAt(once)).toBe(NOW + minutes(150));
    expect(once === null ? null : grantExtension(once)).toBeNull();
    const cut = grantExtension(setDeadlines(given));
    expect(cut === null ? null : ownerDeadlineAt(cut)).toBe(NOW + minutes(130));
  });

  it('a given absolute deadline does not move; what does not fit is refused with the time left', () => {
    const set = setDeadlines(given);
    expect(setOwnerDeadline(set, NOW + minutes(129), NOW).absoluteDeadlineAt).toBe(NOW + minutes(130));
    expect(() => setOwnerDeadline(set, NOW + minutes(131), NOW)).toThrow(Refusal);
    expect(() => setOwnerDeadline(set, NOW + minutes(131), NOW)).toThrow(/2 h 10 min/);
    expect(() => setDeadlines({ ...wish, killAbsoluteMs: minutes(60) })).toThrow(Refusal);
  });

  it('a defaulted absolute deadline follows the explicit act and not the automatic one', () => {
    const set = setDeadlines(wish);
    expect(grantExtension(set)?.absoluteDeadlineAt).toBe(set.absoluteDeadlineAt);
    expect(setOwnerDeadline(set, NOW + minutes(300), NOW).absoluteDeadlineAt).toBe(NOW + minutes(330));
  });

  it('a keep is cut to the absolute deadline (case C67 e)', () => {
    const { deadlines: kept, cut } = setKeep(
      setDeadlines({ ...wish, killAbsoluteMs: minutes(120) }),
      NOW + minutes(600),
    );
    expect(cut).toBe(true);
    expect([kept.keepUntilAt, stopAt(kept)]).toEqual([NOW + minutes(120), NOW + minutes(120)]);
  });

  it('a keep moves the stop to its end, earlier or later', () => {
    const kept = (untilMin: number) => stopAt(setKeep(setDeadlines(wish), NOW + minutes(untilMin)).deadlines);
    expect(kept(30)).toBe(NOW + minutes(30));
    expect(kept(145)).toBe(NOW + minutes(145));
  });

  it('seconds left are whole and never negative', () => {
    expect([secondsLeft(NOW + 1999, NOW), secondsLeft(NOW - 5000, NOW)]).toEqual([1, 0]);
  });

  it('any sequence of acts keeps owner ≤ absolute, stop ≤ absolute, and what was given', () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('extend' as const), at: fc.integer({ min: 1, max: 2000 }) }),
      fc.record({ kind: fc.constant('grant' as const), at: fc.constant(0) }),
      fc.record({ kind: fc.constant('keep' as const), at: fc.integer({ min: 1, max: 2000 }) }),
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(act, { maxLength: 12 }), (isGiven, acts) => {
        let of = setDeadlines(isGiven ? given : wish);
        for (const { kind, at } of acts) {
          const when = NOW + minutes(at);
          if (kind === 'grant') of = grantExtension(of) ?? of;
          else if (kind === 'keep') of = setKeep(of, when).deadlines;
          else if (!of.absoluteGiven || when <= of.absoluteDeadlineAt) of = setOwnerDeadline(of, when, NOW);
          expect(deadlines.encode(of)).toBeDefined();
          expect(ownerDeadlineAt(of)).toBeLessThanOrEqual(of.absoluteDeadlineAt);
          expect(stopAt(of)).toBeLessThanOrEqual(of.absoluteDeadlineAt);
          expect(of.extensions).toBeLessThanOrEqual(of.maxExtensions);
          expect(isGiven ? of.absoluteDeadlineAt : NOW + minutes(130)).toBe(NOW + minutes(130));
        }
      }),
    );
  });
});
