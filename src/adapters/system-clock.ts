/** The machine's own clock: the one place of the product where real time passes. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../ports.ts';

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: async (durationMs, signal) => {
      if (signal?.aborted === true) return;
      await wait(Math.max(0, durationMs), undefined, signal === undefined ? {} : { signal }).catch(
        (error: unknown) => {
          // An aborted sleep is an early end, not a failure.
          if (signal?.aborted !== true) throw error;
        },
      );
    },
  };
}
