/** Instants as the provider writes them. */

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

const two = (n: number) => String(n).padStart(2, '0');

/** RFC 3339 in UTC to the second: "2026-09-01T12:00:00Z". */
export function rfc3339(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The long form inside `lastStatusChange`: "Tue Sep 01 2026 12:00:00 GMT+0000 (Coordinated Universal Time)". */
export function longDate(at: number): string {
  const date = new Date(at);
  const day = `${WEEKDAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())} ${date.getUTCFullYear()}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${day} ${time} GMT+0000 (Coordinated Universal Time)`;
}

/** As v1 answers were seen to write a creation time: "2026-10-02 05:28:38.366 +0000 UTC". */
export function goDate(at: number): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} +0000 UTC`;
}

/** Epoch ms of an RFC 3339 text, null when it is none. */
export function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
