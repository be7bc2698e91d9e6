/** One job while it runs: what its steps share, how far it has come, and what has been asked of it. */
import type { Limits } from './child.ts';
import type { Condition, StepDocument } from './documents.ts';
import type { Cut, Effect, Effects } from './effects.ts';
import type { Plain, Scope, Status, Texts } from './expressions.ts';
import type { Machine } from './machine.ts';
import type { Masks } from './masks.ts';
import type { Origin, Place, Repositories } from './repositories.ts';
import type { RecordPlace, Stage, StepRecord } from './step-record.ts';

/** The worker is no more: nothing of the job is done after this. */
export class WorkerGone extends Error {}

/** The step was stopped, by its own time limit or because its job is. */
export class StepStopped extends Error {
  readonly because: 'timeout' | 'cancel';
  constructor(because: 'timeout' | 'cancel') {
    super(because === 'cancel' ? 'The operation was canceled.' : 'The action has timed out.');
    this.because = because;
  }
}

/** A step of the job or of a composite, with what it keeps from main to post. */
export type Instance = {
  readonly document: StepDocument;
  readonly origin: Origin;
  /** STATE_*. */
  readonly state: Record<string, string>;
  /** `steps` inside this composite; the post sees the same. */
  readonly steps: StepsContext;
  children: Instance[] | null;
  /** Set when its main began and it has a post. */
  post: Condition | null;
};

export type StepsContext = Record<
  string,
  { outputs: Record<string, string>; outcome: string; conclusion: string }
>;

/** What `steps.<id>` is, made where it is not there yet. */
export function entryOf(steps: StepsContext, id: string): StepsContext[string] {
  const entry = steps[id] ?? { outputs: {}, outcome: 'success', conclusion: 'success' };
  steps[id] = entry;
  return entry;
}

/** What a step finds around it: the job itself, or the composite in which it stands. */
export type Frame = {
  readonly steps: StepsContext;
  readonly inputs: Texts | null;
  /** Of the composite: GITHUB_ACTION_PATH; null at job level. */
  readonly actionPath: string | null;
  /** `env:` of the composites around, which outlives a newer value of the job's environment. */
  readonly given: Texts;
  readonly depth: number;
  /** At job level null: there success() looks at the job. */
  readonly composite: { result: Status } | null;
};

export type Contexts = { readonly [name: string]: Plain };

export type JobCore = {
  readonly key: string;
  readonly machine: Machine;
  readonly masks: Masks;
  readonly limits: Limits;
  readonly repositories: Repositories;
  readonly node: string;
  /** Environment of the runner process itself. */
  readonly hostEnv: Texts;
  /** ACTIONS_*: for JavaScript actions alone. */
  readonly serviceEnv: Texts;
  /** `github`, `runner`, `strategy`, `matrix`, `needs`, `secrets`, `vars`, `inputs`. */
  readonly contexts: Contexts;
  readonly defaults: { readonly shell: string | null; readonly workingDirectory: string | null };
  readonly checkRunId: number;
  readonly effects: Effects;
  readonly record: RecordPlace;
  /** As runner issues 3514 and 2030 tell it: posts of nested composites see the inputs of the outermost one. */
  readonly wrongNestedInputs: boolean;
  obey(cut: Cut | undefined): void;

  status: Status;
  /** The job's environment: `env:` of workflow and job, then what steps put into GITHUB_ENV. */
  env: Record<string, string>;
  path: string[];
  readonly posts: Instance[];
  stopping: 'cancel' | 'shutdown' | null;
  /** Called, last registered first, when the job is stopped while their step runs. */
  readonly onStop: (() => void)[];
  /** Rejects when the worker is gone. */
  readonly gone: Promise<never>;
  isGone: boolean;
};

export type StepRun = {
  readonly instance: Instance;
  readonly stage: Stage;
  readonly frame: Frame;
  readonly record: StepRecord;
  readonly stop: AbortController;
  /** The `env` context: the job's, the composite's, the step's own. */
  env: Record<string, string>;
  /** The part of it that composites and this step gave. */
  given: Record<string, string>;
  action: Place | null;
};

export function newInstance(document: StepDocument, origin: Origin): Instance {
  return { document, origin, state: {}, steps: {}, children: null, post: null };
}

function githubOf(core: JobCore, run: StepRun): Plain {
  const { action } = run;
  const fetched = action?.kind === 'files' && !action.local ? action.origin : null;
  return {
    ...(core.contexts['github'] as Readonly<Record<string, Plain>>),
    action: run.instance.document.id,
    action_repository: fetched?.name ?? '',
    action_ref: fetched?.ref ?? '',
    action_path: run.frame.actionPath,
    ...(run.frame.composite === null ? {} : { action_status: run.frame.composite.result }),
  };
}

/** What expressions of this step see now. */
export function scopeOf(core: JobCore, run: StepRun): Scope {
  const { composite } = run.frame;
  const { contexts, status } = core;
  return {
    contexts: {
      ...contexts,
      github: githubOf(core, run),
      env: run.env,
      steps: run.frame.steps,
      job: jobContext(core),
      inputs: run.frame.inputs ?? contexts['inputs'] ?? {},
    },
    status: composite !== null && run.stage === 'main' ? composite.result : status,
    cancelled: status === 'cancelled',
  };
}

export function jobContext(core: JobCore): Plain {
  return {
    status: core.status,
    check_run_id: core.checkRunId,
    workflow_repository: core.repositories.workflow.name,
    workflow_sha: core.repositories.workflow.ref,
  };
}

export function note(core: JobCore, run: StepRun, effect: Pick<Effect, 'kind' | 'when' | 'what'>): void {
  const { name, stage } = run.record.report;
  core.obey(core.effects.note({ ...effect, job: core.key, step: name, stage }));
}

/** The result of both: the worse one. A job that is cancelled stays so. */
export function worse(left: Status, right: Status): Status {
  if (left === 'cancelled' || right === 'cancelled') return 'cancelled';
  return left === 'failure' || right === 'failure' ? 'failure' : 'success';
}
