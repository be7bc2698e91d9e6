/** What the outside can see of a run, numbered in order, and where a test may cut it. */
import type { FileCommand } from './file-commands.ts';

export type Effect = {
  /** 1, 2, …: over the whole run, in the order in which it was seen. */
  readonly number: number;
  /** `world` is what the test itself reports by `run.note()`: a request, a push, an SSH exec. */
  readonly kind: 'process-start' | 'process-end' | 'file' | 'world';
  /** A file write and what the world reports are asked about twice: before and after it is done. */
  readonly when: 'before' | 'after';
  /** The file command, or the words of the world. */
  readonly what: FileCommand | string;
  readonly job: string;
  readonly step: string;
  readonly stage: 'main' | 'post';
};

/**
 * `kill-step`: SIGKILL to the entry process of the step. `crash-worker`: nothing of the job runs on but its processes.
 * `lose-runner`: SIGKILL to everything at once. `shutdown`: the runner process is told to stop.
 */
export type Cut = 'cancel' | 'kill-step' | 'shutdown' | 'crash-worker' | 'lose-runner';

export type OnEffect = (effect: Effect) => Cut | undefined;

export type Effects = {
  /** null = nobody asks, so that nothing needs to be watched. */
  readonly watched: boolean;
  note(effect: Omit<Effect, 'number'>): Cut | undefined;
  seen(): readonly Effect[];
};

export function createEffects(ask: OnEffect | null): Effects {
  const seen: Effect[] = [];
  return {
    watched: ask !== null,
    seen: () => seen,
    note(effect) {
      const numbered = { ...effect, number: seen.length + 1 };
      seen.push(numbered);
      return ask?.(numbered);
    },
  };
}
