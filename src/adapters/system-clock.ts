/** The machine's own clock: the one place of the product where real time passes. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../ports.ts';

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: async (durationMs) => {
      await wait(Math.max(0, durationMs));
    },
  };
}
