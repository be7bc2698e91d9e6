/** Looks at sizes before anything is pulled: a full disk kills the runner itself. */
import { statfsSync } from 'node:fs';
import type { WorldError } from '../../../domain/errors.ts';
import type { PullSpec } from '../../../ports.ts';
import { pullFailure } from './failures.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Bytes for people, decimal. */
export function amount(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** What an ordinary user may still write where `folder` is. */
export function freeBytesAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export type Need = { readonly path: string; readonly bytes: number };

/** The error when the files to fetch do not fit beside the reserve, else null. Sizes are what they take on a disk. */
export function lackOfRoom(
  spec: PullSpec,
  needs: readonly Need[],
  free: number,
  reserve: number,
): WorldError | null {
  const total = needs.reduce((sum, need) => sum + need.bytes, 0);
  if (total + reserve <= free) return null;
  const largest = needs.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  const names = largest.map((need) => `${need.path} ${amount(need.bytes)}`).join(', ');
  return pullFailure('no-space', spec, {
    cameBack: `${amount(total)} are to come and ${amount(free)} are free here, of which ${amount(reserve)} stay reserved; the largest: ${names}`,
  });
}
