/** Heartbeat files with anything in them: every shell and the domain come to the same age, and none believes the future. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { isFresh, readHeartbeat } from '../../src/domain/heartbeat.ts';
import { formatInstant } from '../../src/domain/instant.ts';
import { inEachShell } from './in-shells.ts';
import { rounds, Tally, tell } from './runs.ts';

const tally = new Tally();
afterAll(() => tell('heartbeat files', tally.counts));

/** 2026-03-02T12:00:00Z, in seconds. */
const NOON = 1_772_452_800;
const GRACE_MS = 20 * 60_000;

// Not by a fraction of a second beyond what is believed: shells count in whole ones.
const date = fc
  .record({
    aheadS: fc.oneof(
      fc.integer({ min: -4000, max: 400 }),
      fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }),
    ),
    zone: fc.constantFrom('Z', 'z', '+00:00', '+02:00', '-0530', '', '+2', ' Z', '+24:00', '+23:60'),
    fraction: fc.constantFrom('', '', '.5', '.123456789', '.', '.x'),
    between: fc.constantFrom('T', 't', ' ', '_', ''),
  })
  .map(({ aheadS, zone, fraction, between }) =>
    formatInstant((NOON + aheadS) * 1000)
      .replace('Z', (aheadS === 120 ? '' : fraction) + zone)
      .replace('T', between),
  );
const digits = fc
  .array(fc.nat({ max: 99 }), { minLength: 5, maxLength: 5 })
  .map((of) => of.map((one) => String(one).padStart(2, '0')))
  .map(([month, day, hour, minute, second]) => `2026-${month}-${day}T${hour}:${minute}:${second}Z`);
const bytes = fc.uint8Array({ maxLength: 80 }).map((of) => Buffer.from(of).toString('latin1'));
const content = fc.oneof(
  date,
  digits,
  bytes,
  fc.tuple(date, fc.constantFrom('\n', '\r\n', '\r', ' ', '\nrest', '\0', '#x')).map((of) => of.join('')),
  fc.tuple(date, fc.nat(24)).map(([text, at]) => text.slice(0, at)),
  fc.tuple(bytes, date).map((of) => of.join('')),
);
/** Seconds from noon to the file's time; null = it could not be told. */
const file = fc.record({ content, written: fc.option(fc.integer({ min: -5000, max: 500 })) });

it('have the same age in each shell and in the domain', () => {
  const files = fc.sample(file, { numRuns: rounds(150, 800), seed: rounds(1, Date.now()) });
  const ages = inEachShell(
    files.map((one) => Buffer.from(one.content, 'latin1')),
    [
      '. "$parts/ground.sh"; . "$parts/heartbeat.sh"; settle_in; n=0',
      `wall_clock() { wall=${NOON}; }; modified() { mtime=$given; [ -n "$mtime" ]; }`,
      'while [ "$n" -lt "$count" ]; do eval "given=\\$written_$n"',
      'if heartbeat_age "$folder/$n"; then raw "$age|$words"; else raw "-|$words"; fi; n=$((n + 1)); done',
    ]
      .join('\n')
      .replace(
        'settle_in; n=0',
        `settle_in; n=0\n${files
          .map((one, index) => `written_${index}=${one.written === null ? '' : NOON + one.written}`)
          .join('\n')}`,
      ),
  );
  for (const [shell, lines] of ages) {
    expect([shell, lines.length]).toEqual([shell, files.length]);
    for (const [index, one] of files.entries()) {
      const [age = '', words = ''] = (lines[index] ?? '').split('|');
      const mtimeAt = one.written === null ? null : (NOON + one.written) * 1000;
      const read = readHeartbeat({ content: words, mtimeAt }, NOON * 1000);
      const told =
        read.kind === 'seen' && read.value.state === 'beating' ? Math.ceil(read.value.ageMs / 1000) : '-';
      tally.add(told === '-' ? 'unknown' : 'with an age');
      expect([shell, one.content, one.written, age]).toEqual([shell, one.content, one.written, String(told)]);
    }
  }
});

it('are never fresh by a time that lies ahead, nor stale while one of their times is young', () => {
  fc.assert(
    fc.property(file, (one) => {
      const mtimeAt = one.written === null ? null : (NOON + one.written) * 1000;
      const read = readHeartbeat({ content: one.content, mtimeAt }, NOON * 1000);
      const fresh = isFresh(read, GRACE_MS);
      tally.add(fresh ? 'fresh' : 'not fresh');
      const young = one.written !== null && one.written <= 120 && one.written >= -GRACE_MS / 1000;
      expect(fresh || !young).toBe(true);
      const ageMs = read.kind === 'seen' && read.value.state === 'beating' ? read.value.ageMs : 0;
      expect(ageMs).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: rounds(2000, 200_000) },
  );
});
