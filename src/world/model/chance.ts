/** Seeded chance: ids, ports and addresses come from one 32-bit state kept in the world, so a history can be played again. */

export interface Chance {
  state: number;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The next number in 0 ≤ n < below (mulberry32: small, fast, good enough for a simulated world). */
export function nextInt(chance: Chance, below: number): number {
  chance.state = (chance.state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(chance.state ^ (chance.state >>> 15), 1 | chance.state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
}

/** A lower-case alphanumeric id that starts with a letter, as RunPod's ids look (14 characters for pods, 10 for the rest). */
export function nextId(chance: Chance, length: number): string {
  let id = LETTERS.charAt(nextInt(chance, 26));
  while (id.length < length) id += LETTERS.charAt(nextInt(chance, LETTERS.length));
  return id;
}

export function nextHex(chance: Chance, length: number): string {
  let text = '';
  while (text.length < length) text += nextInt(chance, 16).toString(16);
  return text;
}
