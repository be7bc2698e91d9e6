/** Full jitter: writers that lost the same race must not meet again. */

const FIRST_MS = 250;
const LONGEST_MS = 20_000;

/** A wait after the `tries`-th try, for a random number from 0 to below 1. */
export function backoffMs(tries: number, random: number): number {
  return Math.round(random * Math.min(LONGEST_MS, FIRST_MS * 2 ** tries));
}
