/** How long to wait before the next try: full jitter for writers, next to nothing for who is in a hurry. */

const FIRST_MS = 250;
const LONGEST_MS = 20_000;
/** Five of them stay within a second. */
const HURRY_MS = 150;

/** A wait after the `tries`-th try, for a random number from 0 to below 1. */
export function backoffMs(tries: number, random: number, hurry: boolean): number {
  const longest = hurry ? HURRY_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
  return Math.round(random * longest);
}
