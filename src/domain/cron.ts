/** How often a cron line of GitHub's `schedule` fires in 30 days. */

const DAYS = 30;

type Field = { readonly low: number; readonly high: number };
const FIELDS: readonly Field[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12 },
  { low: 0, high: 7 },
];

/** Rounded up; null = no line that is understood. Names of days and months are not. */
export function firesIn30Days(cron: string): number | null {
  const parts = cron.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return null;
  const counts = FIELDS.map((field, index) => valuesOf(parts[index] ?? '', field)?.size ?? null);
  const [minutes = null, hours = null, days = null, months = null, weekdays = null] = counts;
  if (minutes === null || hours === null || days === null || months === null || weekdays === null)
    return null;
  const aDay = minutes * hours;
  const byDate = days / 31;
  const byWeek = Math.min(weekdays, 7) / 7;
  // Where both are limited, either of them fires.
  const both = parts[2] !== '*' && parts[4] !== '*';
  const share = both ? Math.min(1, byDate + byWeek) : byDate * byWeek;
  return Math.ceil((aDay * DAYS * share * months) / 12 - 1e-9);
}

function valuesOf(text: string, { low, high }: Field): ReadonlySet<number> | null {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const read = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (read === null) return null;
    const [, first, last, step] = read;
    const from = first === undefined ? low : Number(first);
    const to = last === undefined ? (first === undefined || step !== undefined ? high : from) : Number(last);
    const by = step === undefined ? 1 : Number(step);
    if (from < low || to > high || by < 1) return null;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}
