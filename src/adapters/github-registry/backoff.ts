/** How often and how soon to try again: full jitter for writers, next to nothing for who is in a hurry. */

const FIRST_MS = 250;
const LONGEST_MS = 20_000;
const TRIES = 6;
/** The reaper's: he must not starve behind writers, and all his waits stay within a second. */
const HURRY_TRIES = 20;
const HURRY_MS = 50;

export function triesOf(hurry: boolean): number {
  return hurry ? HURRY_TRIES : TRIES;
}

/** A wait after the `tries`-th try, for a random number from 0 to below 1. */
export function backoffMs(tries: number, random: number, hurry: boolean): number {
  const longest = hurry ? HURRY_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
  return Math.round(random * longest);
}
