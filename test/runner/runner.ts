/** A runner for tests: executes workflow and action YAML the way GitHub's runner does. Start reading here. */
import { existsSync, readFileSync } from 'node:fs';
import { readWorkflow } from './documents.ts';
import { type Cut, createEffects, type Effect } from './effects.ts';
import type { Status } from './expressions.ts';
import { type JobReport, obeyCut, type RunningJob } from './job-run.ts';
import { beginJob, type Course, contextsOf, type Desk } from './job-setup.ts';
import type { RunnerOptions, StartWish } from './options.ts';
import { conclusionOf, type JobSum, type RunningAttempt, startAttempt } from './run.ts';

export type RunReport = {
  readonly id: number;
  readonly attempt: number;
  readonly conclusion: Status;
  /** Every leg that ran, in the order in which they ended. */
  readonly jobs: readonly JobReport[];
  /** By key: result and outputs over all legs. */
  readonly sums: Readonly<Record<string, JobSum>>;
  readonly effects: readonly Effect[];
};

export type Run = {
  readonly id: number;
  readonly attempt: number;
  /** Jobs that run now, with their machines. */
  jobs(): readonly RunningJob[];
  /** The run is cancelled, as by a person: every job of it. */
  cancel(): void;
  /** To the machines of all running jobs: the runner process is told to stop; the worker dies; the machine is gone. */
  shutdown(): void;
  crashWorker(): void;
  lose(): void;
  /** Puts what the world saw into the stream of effects, and does what `onEffect` answers. */
  note(effect: Pick<Effect, 'when' | 'what'>): Cut | undefined;
  readonly finished: Promise<RunReport>;
  /** Once finished: the same run again with attempt + 1; `failed` keeps what succeeded. */
  rerun(which: 'all' | 'failed', wish?: StartWish): Run;
};

export type Runner = {
  /** `file` is a path, or the YAML itself if it has more than one line. Throws RefusedDocument. */
  start(file: string, wish?: StartWish): Promise<Run>;
  /** Ends what still runs, and takes every folder away. */
  close(): void;
};

function startRun(course: Course, kept: ReadonlyMap<string, JobSum>): Run {
  const { desk, workflow, wish, effects, id, attempt } = course;
  const { forge } = desk.options;
  const only = wish.job === undefined ? null : { job: wish.job, needs: wish.needs ?? {} };
  if (only !== null && !workflow.jobs.some(({ key }) => key === only.job))
    throw new Error(`no job ${only.job}`);
  forge?.runChanged?.({ id, attempt, status: 'in_progress', conclusion: null });
  const running: RunningAttempt = startAttempt({
    workflow,
    contexts: contextsOf(course),
    kept,
    only,
    begin: (document, leg, part) => beginJob(course, document, leg, part),
  });
  let last: ReadonlyMap<string, JobSum> = new Map();
  const finish = async (): Promise<RunReport> => {
    last = await running.finished;
    const conclusion = conclusionOf(last);
    forge?.runChanged?.({ id, attempt, status: 'completed', conclusion });
    const jobs = [...last.values()].flatMap(({ legs }) => legs);
    return { id, attempt, conclusion, jobs, sums: Object.fromEntries(last), effects: effects.seen() };
  };
  const each = (act: (job: RunningJob) => void) => () => {
    for (const job of [...running.running]) act(job);
  };
  return {
    id,
    attempt,
    jobs: () => [...running.running],
    cancel: () => running.cancel(),
    shutdown: each((job) => job.shutdown()),
    crashWorker: each((job) => job.crashWorker()),
    lose: each((job) => job.lose()),
    note({ when, what }) {
      const cut = effects.note({ kind: 'world', when, what, job: '', step: '', stage: 'main' });
      if (cut === 'cancel') running.cancel();
      else for (const job of [...running.running]) obeyCut(job, cut);
      return cut;
    },
    finished: finish(),
    rerun(which, again) {
      const good = [...last].filter(([, { result }]) => which === 'failed' && result === 'success');
      const next = { ...course, wish: { ...wish, ...again }, attempt: attempt + 1 };
      const asks = again?.onEffect ?? null;
      return startRun({ ...next, effects: createEffects(asks) }, new Map(good));
    },
  };
}

export function createRunner(options: RunnerOptions = {}): Runner {
  const desk: Desk = { options, machines: [], nextRunId: 1001, nextCheckRunId: 4711 };
  return {
    async start(file, wish = {}) {
      const written = file.includes('\n');
      if (!written && !existsSync(file)) throw new Error(`no such workflow: ${file}`);
      const name = written ? 'workflow.yml' : file;
      const workflow = await readWorkflow(name, written ? file : readFileSync(file, 'utf8'));
      const id = wish.runId ?? desk.nextRunId++;
      const effects = createEffects(wish.onEffect ?? null);
      return startRun({ desk, workflow, file: name, wish, id, attempt: 1, effects }, new Map());
    },
    close() {
      for (const machine of desk.machines.splice(0)) {
        machine.killAll();
        machine.remove();
      }
    },
  };
}
