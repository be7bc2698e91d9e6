/** How often and how soon to try again: full jitter for writers, next to nothing for who is in a hurry. */
import type { RegistryOp } from './ops.ts';
import { mayWait } from './queue-entry.ts';

const FIRST_MS = 250;
const LONGEST_MS = 20_000;
const TRIES = 6;
/** The reaper's: he must not starve behind writers, and all his waits stay within a second. */
const HURRY_TRIES = 20;
const HURRY_MS = 50;

/**
 * A try takes longer than the gap between two commits of others when there are many of them: more tries of the hurried
 * only win what has no other way. What may wait counts as soon as it is queued, for the next winner takes it along.
 */
export function triesOf(hurry: boolean, ops: readonly Pick<RegistryOp, 'op'>[]): number {
  return hurry && !(ops.length > 0 && ops.every(mayWait)) ? HURRY_TRIES : TRIES;
}

/** A wait after the `tries`-th try, for a random number from 0 to below 1. */
export function backoffMs(tries: number, random: number, hurry: boolean): number {
  const longest = hurry ? HURRY_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
  return Math.round(random * longest);
}
