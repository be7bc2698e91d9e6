/** Puts an end to waiting: a limit in all, and one for silence, both measured on the injected clock. */
import type { Clock } from '../../ports.ts';

export type Limit = {
  readonly clock: Clock;
  /** Epoch ms after which the work is given up. */
  readonly untilAt: number;
  /** Longest time without a call of `alive`; left out = none. */
  readonly silenceMs?: number;
  /** Makes the error, and may cut what still runs. */
  readonly overdue: (kind: 'budget' | 'silence') => Error;
};

/** Runs `work` within the limit. The work is not stopped by itself: `overdue` must cut it. */
export async function bounded<T>(limit: Limit, work: (alive: () => void) => Promise<T>): Promise<T> {
  const { clock } = limit;
  let heardAt = clock.now();
  const settled = new AbortController();
  const result = work(() => {
    heardAt = clock.now();
  }).finally(() => {
    settled.abort();
  });
  const patience = async (): Promise<T> => {
    while (!settled.signal.aborted) {
      const left = limit.untilAt - clock.now();
      if (left <= 0) throw limit.overdue('budget');
      const quiet = limit.silenceMs === undefined ? left : heardAt + limit.silenceMs - clock.now();
      if (quiet <= 0) throw limit.overdue('silence');
      await clock.sleep(Math.min(left, quiet), settled.signal);
      // A clock of a test may not sleep at all; the work must get its turn all the same.
      await new Promise(setImmediate);
    }
    return result;
  };
  return Promise.race([result, patience()]);
}
