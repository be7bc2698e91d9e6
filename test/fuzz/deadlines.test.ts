/** Deadlines from anywhere: none collapses to now or to never, in no shell and not in the domain. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import {
  type Deadlines,
  deadlines,
  grantExtension,
  ownerDeadlineAt,
  setDeadlines,
  setKeep,
  setOwnerDeadline,
  stopAt,
} from '../../src/domain/deadlines.ts';
import { Refusal } from '../../src/domain/errors.ts';
import { petCall, switchLimits } from '../../src/domain/switch/calls.ts';
import { inEachShell } from './in-shells.ts';
import { rounds, Tally, tell } from './runs.ts';

const tally = new Tally();
afterAll(() => tell('deadlines', tally.counts));

const LONGEST_S = 31 * 86_400;
const NOW = 1_772_452_800_000;

const span = fc.oneof(
  fc.nat({ max: 2 * LONGEST_S }).map(String),
  fc.constantFrom(
    '',
    '0',
    '00',
    '08',
    '-1',
    '+5',
    '1e3',
    '0x10',
    '1.5',
    ' 7',
    '7 ',
    '12\r',
    '١٢',
    'NaN',
    'now',
    'never',
  ),
  fc.constantFrom(
    '2147483647',
    '2147483648',
    '4294967296',
    '9223372036854775807',
    '9223372036854775808',
    '2147483648000',
  ),
  fc.nat({ max: LONGEST_S }).map((of) => String(of).padStart(12, '0')),
  fc.stringMatching(/^[0-9a-z$`'"\\*? -]{0,12}$/),
  fc.string({ maxLength: 8 }).filter((of) => !/[\0\n]/.test(of)),
);

it('are taken by each shell exactly where they are whole seconds within 31 days', () => {
  const values = fc.sample(span, { numRuns: rounds(400, 5000), seed: rounds(1, Date.now()) });
  const lines = inEachShell(
    values,
    [
      '. "$parts/ground.sh"; settle_in; n=0',
      'while [ "$n" -lt "$count" ]; do value=; IFS= read -r value <"$folder/$n" || :',
      'if span "$value"; then raw "$number"; else raw no; fi; n=$((n + 1)); done',
    ].join('\n'),
  );
  for (const [shell, told] of lines) {
    for (const [index, value] of values.entries()) {
      const taken = /^\d+$/.test(value) && Number(value) <= LONGEST_S;
      tally.add(taken ? 'spans taken' : 'spans refused');
      expect([shell, value, told[index]]).toEqual([shell, value, taken ? String(Number(value)) : 'no']);
    }
  }
});

const anyMs = fc.oneof(
  fc.integer({ min: -1000, max: 40 * 86_400_000 }),
  fc.constantFrom(0, 1, 999, 1000, 2 ** 31, 2 ** 31 * 1000, 2 ** 40),
);
const act = fc.oneof(
  fc.constant({ act: 'grant' as const, byMs: 0 }),
  anyMs.map((byMs) => ({ act: 'extend' as const, byMs })),
  anyMs.map((byMs) => ({ act: 'keep' as const, byMs })),
);
const wish = fc.record({
  killInMs: fc.integer({ min: 1000, max: 30 * 86_400_000 }),
  killAbsoluteMs: fc.option(fc.integer({ min: 1000, max: 31 * 86_400_000 })),
  maxExtensions: fc.nat({ max: 3 }),
  petMinMs: fc.integer({ min: 1000, max: 86_400_000 }),
  pullMarginMs: fc.nat({ max: 3_600_000 }),
});

/** What an act makes of the deadlines, or what they were where it was refused. */
function after(
  of: Deadlines,
  { act: name, byMs }: { act: 'grant' | 'extend' | 'keep'; byMs: number },
): Deadlines {
  try {
    if (name === 'grant') return grantExtension(of) ?? of;
    if (name === 'keep') return setKeep(of, NOW + byMs).deadlines;
    return setOwnerDeadline(of, NOW + byMs, NOW);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tally.add('acts refused');
    return of;
  }
}

it('stay in their order through any acts, and a given absolute one never moves', () => {
  fc.assert(
    fc.property(wish, fc.array(act, { maxLength: 12 }), (given, acts) => {
      if (given.killAbsoluteMs !== null && given.killInMs > given.killAbsoluteMs) return;
      let of = setDeadlines({ now: NOW, ...given });
      const { absoluteDeadlineAt } = of;
      for (const one of acts) {
        of = after(of, one);
        tally.add('acts');
        expect(ownerDeadlineAt(of)).toBeLessThanOrEqual(of.absoluteDeadlineAt);
        expect(stopAt(of)).toBeLessThanOrEqual(of.absoluteDeadlineAt);
        expect(of.absoluteDeadlineAt === absoluteDeadlineAt || given.killAbsoluteMs === null).toBe(true);
        expect(deadlines.safeParse(JSON.parse(JSON.stringify(deadlines.encode(of)))).success).toBe(true);
      }
    }),
    { numRuns: rounds(2000, 100_000) },
  );
});

it('reach the pod only as whole seconds that it takes, or not at all', () => {
  fc.assert(
    fc.property(
      wish,
      fc.array(act, { maxLength: 4 }),
      fc.option(anyMs),
      anyMs,
      (given, acts, ownStop, later) => {
        if (given.killAbsoluteMs !== null && given.killInMs > given.killAbsoluteMs) return;
        const of = acts.reduce(after, setDeadlines({ now: NOW, ...given }));
        try {
          const limits = switchLimits({
            deadlines: of,
            now: NOW + later,
            ...(ownStop === null ? {} : { stopAt: NOW + ownStop }),
          });
          const said = new Map(
            petCall(limits)
              .args.slice(1)
              .map((word) => word.split('=') as [string, string]),
          );
          const number = (name: string): number => Number(said.get(name));
          tally.add('told to the pod');
          for (const value of said.values()) expect(value).toMatch(/^\d{1,7}$/);
          expect(number('stop_in')).toBeGreaterThanOrEqual(1);
          expect(number('stop_in')).toBeLessThanOrEqual(number('absolute_in'));
          expect(number('owner_in')).toBeLessThanOrEqual(number('absolute_in'));
          expect(number('absolute_in')).toBeLessThanOrEqual(LONGEST_S);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          tally.add(`not told: ${error.gate}`);
        }
      },
    ),
    { numRuns: rounds(3000, 100_000) },
  );
});
