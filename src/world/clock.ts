/** The world's clock: the machine's own, set to start at some instant, or one that stands still until it is moved. */

export interface WorldClock {
  /** Epoch ms. */
  now(): number;
  /** Calls `run` once that many ms from now; the returned function takes it back. */
  after(ms: number, run: () => void): () => void;
  /** Present where somebody else moves the hands. */
  readonly advance?: ((ms: number) => void) | undefined;
}

export interface VirtualClock extends WorldClock {
  /** Moves the hands and runs what falls due on the way, in order. */
  readonly advance: (ms: number) => void;
}

/** Beyond this setTimeout fires at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** Runs with the machine, shifted so that it says `startAt` now; its timers keep no process alive. */
export function realClock(startAt: number = Date.now()): WorldClock {
  const shiftMs = startAt - Date.now();
  return {
    now: () => Date.now() + shiftMs,
    after(ms, run) {
      const timer = setTimeout(run, Math.min(ms, MAX_TIMEOUT_MS));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

export function virtualClock(startAt: number): VirtualClock {
  let now = startAt;
  const waiting = new Set<{ readonly dueAt: number; readonly run: () => void }>();
  const nextDue = (untilAt: number) =>
    [...waiting].filter(({ dueAt }) => dueAt <= untilAt).sort((a, b) => a.dueAt - b.dueAt)[0];
  return {
    now: () => now,
    after(ms, run) {
      const entry = { dueAt: now + ms, run };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    advance(ms) {
      const untilAt = now + ms;
      for (let entry = nextDue(untilAt); entry !== undefined; entry = nextDue(untilAt)) {
        waiting.delete(entry);
        now = Math.max(now, entry.dueAt);
        entry.run();
      }
      now = untilAt;
    },
  };
}
