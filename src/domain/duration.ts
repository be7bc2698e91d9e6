/** Durations as people write them: a bare number is minutes, a suffix s, m, h or d says otherwise. */
import { ConfigError } from './errors.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** 1 s ≤ d ≤ 30 d: shorter collapses to now, longer to never. */
export const LONGEST_MS = 30 * DAY_MS;

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const SHAPE = /^(\d{1,9}(?:\.\d{1,3})?)\s*([smhd])?$/;

/** Milliseconds of `30`, `90s`, `1.5h`, `2d`. Throws a ConfigError that names `input`. */
export function parseDuration(text: string, input: string): number {
  const match = SHAPE.exec(text.trim().toLowerCase());
  const unit = UNIT_MS[match?.[2] ?? 'm'];
  if (match === null || unit === undefined)
    throw notADuration(text, input, 'it is not a number with s, m, h or d');
  const milliseconds = Math.round(Number(match[1]) * unit);
  if (milliseconds < SECOND_MS || milliseconds > LONGEST_MS) {
    throw notADuration(text, input, 'it lies outside 1 second to 30 days');
  }
  return milliseconds;
}

function notADuration(text: string, input: string, why: string): ConfigError {
  return new ConfigError(input, {
    tried: `Reading ${input} as a duration`,
    cameBack: `"${text.slice(0, 40)}" was given, and ${why}`,
    state: 'Nothing was changed',
    next: `Give minutes (${input} 30) or a suffix (90s, 30m, 2h, 1d), between 1s and 30d`,
  });
}

const STEPS: readonly (readonly [string, number])[] = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
  ['s', SECOND_MS],
];

/** At most two units, for people: `2 h 5 min`, `40 s`, `0 s`. Negative durations get a minus. */
export function formatDuration(durationMs: number): string {
  const sign = durationMs < 0 ? '-' : '';
  let rest = Math.round(Math.abs(durationMs) / SECOND_MS) * SECOND_MS;
  const words: string[] = [];
  for (const [unit, unitMs] of STEPS) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) words.push(`${count} ${unit}`);
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.length === 0 ? '0 s' : sign + words.join(' ');
}
