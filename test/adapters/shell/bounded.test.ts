/** The limit on waiting: by budget, by silence, and with a clock that does not sleep. */
import { describe, expect, it } from 'vitest';
import { bounded } from '../../../src/adapters/ssh/bounded.ts';
import type { Clock } from '../../../src/ports.ts';

const overdue = (kind: 'budget' | 'silence'): Error => new Error(kind);

/** Time passes by sleeping alone, and no sleep takes any. */
function jumping(): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: async (durationMs) => {
      now += durationMs;
    },
  };
}

/** Sleeps that end at once and pass no time; the count ends a test that would spin for ever. */
function sleepless(most: number): Clock {
  let sleeps = 0;
  return {
    now: () => 0,
    sleep: async () => {
      sleeps += 1;
      if (sleeps > most) throw new Error('nobody else got a turn');
    },
  };
}

describe('bounded', () => {
  it('ends by the budget when nothing comes back', async () => {
    const never = bounded({ clock: jumping(), untilAt: 100, overdue }, () => new Promise(() => undefined));
    await expect(never).rejects.toThrow('budget');
  });

  it('ends by silence before the budget', async () => {
    const limit = { clock: jumping(), untilAt: 1000, silenceMs: 10, overdue };
    await expect(bounded(limit, () => new Promise(() => undefined))).rejects.toThrow('silence');
  });

  it('lets the work go on under a clock whose sleep returns at once', async () => {
    const turns = async (): Promise<string> => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      return 'done';
    };
    expect(await bounded({ clock: sleepless(1000), untilAt: 1, overdue }, turns)).toBe('done');
  });
});
