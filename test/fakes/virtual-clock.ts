/** A Clock whose time passes only when nothing else can happen: sleepers wake in order, at once. */
import type { Clock } from '../../src/ports.ts';

type Sleeper = { readonly wakeAt: number; readonly wake: () => void };

export type VirtualClock = Clock & {
  /** Moves time without waking anybody in between: the machine was asleep. */
  jump(durationMs: number): void;
};

export function virtualClock(startAt: number): VirtualClock {
  let now = startAt;
  let sleepers: Sleeper[] = [];
  let ticking = false;

  function tick(): void {
    ticking = false;
    const next = sleepers.reduce<Sleeper | null>(
      (first, one) => (first === null || one.wakeAt < first.wakeAt ? one : first),
      null,
    );
    if (next === null) return;
    sleepers = sleepers.filter((one) => one !== next);
    now = Math.max(now, next.wakeAt);
    next.wake();
    schedule();
  }

  // setImmediate runs after every promise that can go on has gone on.
  function schedule(): void {
    if (ticking || sleepers.length === 0) return;
    ticking = true;
    setImmediate(tick);
  }

  return {
    now: () => now,
    jump: (durationMs) => {
      now += durationMs;
    },
    sleep: (durationMs, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = { wakeAt: now + Math.max(0, durationMs), wake: resolve };
        if (signal?.aborted === true) return resolve();
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((one) => one !== sleeper);
          resolve();
        });
        sleepers.push(sleeper);
        schedule();
      }),
  };
}
