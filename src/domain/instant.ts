/** Points in time: epoch milliseconds in code, RFC 3339 UTC text in files. */
import { z } from 'zod';

const DAY_MS = 86_400_000;
const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

/** Days since 1970-01-01 of a proleptic Gregorian date (month 1-12). */
function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function dateOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** Minutes east of UTC of `Z`, `+hh:mm` or `+hhmm`. */
function offsetMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.slice(1).replace(':', '');
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
}

/** Epoch ms of an RFC 3339 text *with a zone*, or null. A text without a zone says no instant. */
export function parseInstant(text: string): number | null {
  const match = SHAPE.exec(text.trim());
  if (match === null) return null;
  const part = (index: number): number => Number(match[index] ?? '0');
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const days = daysOf(year, month, day);
  const back = dateOf(days);
  if (back.month !== month || back.day !== day || hour > 23 || minute > 59 || second > 60) return null;
  const milliseconds = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000);
  const clock = ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
  return days * DAY_MS + clock - offsetMinutes(match[8] ?? 'Z') * 60_000;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-03-02T12:00:00Z`, with milliseconds only where there are some. */
export function formatInstant(epochMs: number): string {
  const days = Math.floor(epochMs / DAY_MS);
  const rest = epochMs - days * DAY_MS;
  const { year, month, day } = dateOf(days);
  const seconds = Math.floor(rest / 1000);
  const milliseconds = Math.floor(rest % 1000);
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}${fraction}Z`;
}

/** Epoch ms in code, RFC 3339 UTC in the file: decodes on read, encodes on write. */
export const instant = z.codec(z.string(), z.number().int(), {
  decode: (text, context) => {
    const at = parseInstant(text);
    if (at !== null) return at;
    context.issues.push({ code: 'custom', message: 'not an RFC 3339 time with a zone', input: text });
    return z.NEVER;
  },
  encode: (at) => formatInstant(at),
});
