/** One job on one machine: set up, steps, posts, outputs; and what a cancel, a shutdown or a loss make of it. */
import type { JobDocument } from './documents.ts';
import type { Cut } from './effects.ts';
import { type Plain, type Scope, type Status, saidBy, type Texts, textsOf, valueIn } from './expressions.ts';
import { type Frame, type Instance, type JobCore, jobContext, newInstance, WorkerGone } from './job-core.ts';
import { prepare } from './repositories.ts';
import type { Annotation, StepReport } from './step-record.ts';
import { plannedName, runJobStep } from './steps.ts';

export type JobReport = {
  /** Its key in the workflow. */
  readonly key: string;
  readonly name: string;
  readonly matrix: Plain;
  readonly checkRunId: number;
  readonly result: Status | 'skipped';
  readonly outputs: Texts;
  /** Main steps in order, then the posts that ran. */
  readonly steps: readonly StepReport[];
  /** Every line of every step, masked. */
  readonly log: readonly string[];
  /** What the page of the run shows: every summary of every step, inner ones too, in order. */
  readonly summary: string;
  /** Of the job itself; those of its steps stand there. */
  readonly annotations: readonly Annotation[];
  readonly permissions: Plain;
  /** The token that `github.token` was. */
  readonly token: string;
};

/** Where a test may lend a hand while a job runs. Awaited. */
export type JobHooks = {
  /** After "Set up job", before the first step. */
  readonly onJob?: (job: RunningJob) => void | Promise<void>;
  readonly onPosts?: (job: RunningJob) => void | Promise<void>;
};

export type RunningJob = {
  readonly key: string;
  readonly name: string;
  readonly core: JobCore;
  cancel(): void;
  shutdown(): void;
  crashWorker(): void;
  lose(): void;
  /** SIGKILL to the entry process of the step that runs. */
  killStep(): void;
};

export type JobCall = {
  readonly document: JobDocument;
  readonly name: string;
  readonly core: JobCore;
  readonly hooks: JobHooks;
  readonly permissions: Plain;
  readonly token: string;
};

export type Job = RunningJob & { readonly finished: Promise<JobReport> };

function scopeOfJob(core: JobCore, frame: Frame): Scope {
  return {
    contexts: { ...core.contexts, env: core.env, steps: frame.steps, job: jobContext(core) },
    status: core.status,
    cancelled: core.status === 'cancelled',
  };
}

/** A value that would show a secret is dropped, and so is an empty one. */
function jobOutputs(call: JobCall, frame: Frame, annotations: Annotation[]): Texts {
  const { core, document } = call;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(textsOf(document.outputs, scopeOfJob(core, frame)))) {
    if (value === '') continue;
    if (core.masks.apply(value) !== value)
      annotations.push({
        kind: 'warning',
        message: `Skip output '${name}' since it may contain secret.`,
        title: '',
      });
    else kept[name] = value;
  }
  return kept;
}

async function runSteps(call: JobCall, job: RunningJob, frame: Frame, steps: StepReport[]): Promise<void> {
  const { core, document } = call;
  const names = new Map<Instance, string>();
  for (const step of document.steps) {
    const instance = newInstance(step, core.repositories.workflow);
    const report = await runJobStep(
      core,
      frame,
      { instance, stage: 'main', mainName: plannedName(step) },
      steps,
    );
    names.set(instance, report.name);
  }
  if (core.posts.length > 0) await call.hooks.onPosts?.(job);
  for (let instance = core.posts.pop(); instance !== undefined; instance = core.posts.pop())
    await runJobStep(core, frame, { instance, stage: 'post', mainName: names.get(instance) ?? '' }, steps);
}

/** The ways to stop a job, and what each leaves undone. */
function stops(
  core: JobCore,
  annotations: Annotation[],
  vanish: () => void,
): Omit<RunningJob, 'key' | 'name' | 'core'> {
  let budget: NodeJS.Timeout | null = null;
  const stop = (how: 'cancel' | 'shutdown'): void => {
    if (core.isGone || core.stopping !== null) return;
    core.stopping = how;
    core.status = how === 'cancel' ? 'cancelled' : 'failure';
    for (const told of core.onStop.toReversed()) told();
    budget = setTimeout(() => {
      core.machine.killAll();
      vanish();
    }, core.limits.cancelBudgetMs);
    core.gone.catch(() => clearTimeout(budget ?? undefined));
  };
  return {
    cancel: () => stop('cancel'),
    shutdown() {
      annotations.push({
        kind: 'error',
        message:
          'The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.',
        title: '',
      });
      stop('shutdown');
    },
    crashWorker() {
      core.status = 'failure';
      vanish();
    },
    lose() {
      core.status = 'failure';
      core.machine.killAll();
      vanish();
    },
    killStep() {
      for (const child of core.machine.entries) child.kill('SIGKILL');
    },
  };
}

function summaryOf(steps: readonly StepReport[]): string {
  return steps.map(({ children, summary }) => summaryOf(children) + summary).join('');
}

/** A job with its own end; `over` is called once, whatever the end. */
async function live(
  call: JobCall,
  job: RunningJob,
  annotations: Annotation[],
): Promise<Omit<JobReport, 'log'>> {
  const { core, document } = call;
  const steps: StepReport[] = [];
  const frame: Frame = { steps: {}, inputs: null, actionPath: null, given: {}, depth: 0, composite: null };
  let outputs: Texts = {};
  const minutes = Number(valueIn(document.timeoutMinutes, scopeOfJob(core, frame)) ?? 360);
  const timer = setTimeout(() => {
    const message = `The job running on runner ${core.machine.name} has exceeded the maximum execution time of ${minutes} minutes.`;
    annotations.push({ kind: 'error', message, title: '' });
    job.cancel();
  }, minutes * core.limits.minuteMs);
  try {
    prepare(document.steps, core.repositories, core.machine.workspace);
    await call.hooks.onJob?.(job);
    await Promise.race([runSteps(call, job, frame, steps), core.gone]);
    outputs = jobOutputs(call, frame, annotations);
    core.machine.killAll();
  } catch (error) {
    if (!(error instanceof WorkerGone)) {
      annotations.push({ kind: 'error', message: core.masks.apply(saidBy(error)), title: '' });
      core.status = 'failure';
    }
  } finally {
    clearTimeout(timer);
  }
  const { key, checkRunId, contexts } = core;
  const { name, permissions, token } = call;
  return {
    key,
    name,
    matrix: contexts['matrix'] ?? null,
    checkRunId,
    result: core.status,
    outputs,
    steps,
    summary: summaryOf(steps),
    annotations,
    permissions,
    token,
  };
}

/** Starts at once. `vanish` makes `core.gone` reject. */
export function startJob(call: JobCall, vanish: () => void): Job {
  const { core } = call;
  const annotations: Annotation[] = [];
  const job: RunningJob = { key: core.key, name: call.name, core, ...stops(core, annotations, vanish) };
  const finished = live(call, job, annotations).then((report) => {
    vanish();
    return { ...report, log: report.steps.flatMap((step) => step.log) };
  });
  return { ...job, finished };
}

export function obeyCut(job: RunningJob, cut: Cut | undefined): void {
  if (cut === 'cancel') job.cancel();
  else if (cut === 'kill-step') job.killStep();
  else if (cut === 'shutdown') job.shutdown();
  else if (cut === 'crash-worker') job.crashWorker();
  else if (cut === 'lose-runner') job.lose();
}
