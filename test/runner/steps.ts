/** Steps of a job and of composites, one after the other: conditions, stops, results, `continue-on-error`, posts. */
import { type RunComposite, runStage } from './action-stage.ts';
import type { Condition, StepDocument } from './documents.ts';
import {
  holds,
  type Plain,
  plainOf,
  plainText,
  type Status,
  saidBy,
  type Texts,
  textOf,
  textsOf,
  valueIn,
} from './expressions.ts';
import {
  entryOf,
  type Frame,
  type Instance,
  type JobCore,
  newInstance,
  type StepRun,
  StepStopped,
  scopeOf,
  WorkerGone,
  worse,
} from './job-core.ts';
import { setOutput } from './step-env.ts';
import { createRecord, type Result, type StepRecord, type StepReport } from './step-record.ts';

const MINUTES_WITHOUT_LIMIT = 0;

function firstLine(text: string): string {
  return text.trimStart().split(/\r?\n/)[0] ?? '';
}

/** As the list of steps shows it before the step begins. */
export function plannedName({ name, uses, run }: StepDocument): string {
  if (name !== undefined) return firstLine(plainText(plainOf(name)));
  return `Run ${firstLine(uses ?? (run === undefined ? '' : plainText(plainOf(run))))}`;
}

/** `name:`, else what is run; evaluated when the step begins. */
function displayName(core: JobCore, run: StepRun): string {
  const { name, uses, run: script } = run.instance.document;
  const scope = scopeOf(core, run);
  if (name !== undefined) return core.masks.apply(firstLine(textOf(name, scope)));
  return core.masks.apply(`Run ${firstLine(uses ?? textOf(script, scope))}`);
}

/** The `env` context: the job's, over it what the composites around gave, over it the step's own. */
function fillEnv(core: JobCore, run: StepRun): void {
  run.given = { ...run.frame.given };
  run.env = { ...core.env, ...run.given };
  const own = textsOf(run.instance.document.env, scopeOf(core, run));
  Object.assign(run.given, own);
  Object.assign(run.env, own);
}

/** On a stop of the job the running step's condition is asked again; only if it is false now, the step is stopped. */
function watchForStop(core: JobCore, run: StepRun, condition: Condition): () => void {
  if (core.stopping !== null) return () => undefined;
  const onStop = (): void => {
    if (run.frame.composite !== null) run.frame.composite.result = 'cancelled';
    let goesOn = false;
    if (core.stopping !== 'shutdown') {
      try {
        goesOn = holds(condition, scopeOf(core, run));
      } catch (error) {
        run.record.issue('error', saidBy(error));
      }
    }
    if (!goesOn) run.stop.abort(new StepStopped('cancel'));
  };
  core.onStop.push(onStop);
  return () => void core.onStop.splice(core.onStop.indexOf(onStop), 1);
}

function minutesOf(value: Plain): number {
  return typeof value === 'number' ? value : Number(value ?? MINUTES_WITHOUT_LIMIT);
}

/** Only steps of the job have a limit of their own; it holds for what they run inside, and for their post. */
function startTimer(core: JobCore, run: StepRun): { readonly minutes: number; clear(): void } {
  const minutes = minutesOf(valueIn(run.instance.document.timeoutMinutes, scopeOf(core, run)));
  if (minutes <= 0) return { minutes, clear: () => undefined };
  const timer = setTimeout(() => run.stop.abort(new StepStopped('timeout')), minutes * core.limits.minuteMs);
  return { minutes, clear: () => clearTimeout(timer) };
}

function failed(run: StepRun, error: unknown, minutes: number): Status {
  if (error instanceof WorkerGone) throw error;
  if (error instanceof StepStopped && error.because === 'timeout') {
    run.record.issue(
      'error',
      run.frame.composite === null
        ? `The action '${run.record.report.name}' has timed out after ${minutes} minutes.`
        : 'The action has timed out.',
    );
    return 'failure';
  }
  run.record.issue('error', saidBy(error));
  return error instanceof StepStopped ? 'cancelled' : 'failure';
}

async function perform(core: JobCore, run: StepRun): Promise<Status> {
  const timer = startTimer(core, run);
  try {
    return await runStage(core, run, runComposite);
  } catch (error) {
    return failed(run, error, timer.minutes);
  } finally {
    timer.clear();
  }
}

/** Sets outcome and conclusion, in the report and in the `steps` context. */
function settle(core: JobCore, run: StepRun, outcome: Result): Result {
  const { document } = run.instance;
  const forgiven = outcome === 'failure' && valueIn(document.continueOnError, scopeOf(core, run)) === true;
  const conclusion = forgiven ? 'success' : outcome;
  Object.assign(run.record.report, { outcome, conclusion, finished: true });
  if (!document.id.startsWith('__') && run.stage === 'main') {
    Object.assign(entryOf(run.frame.steps, document.id), { outcome, conclusion });
  }
  return conclusion;
}

async function runStep(core: JobCore, run: StepRun, condition: Condition): Promise<Result> {
  const forget = watchForStop(core, run, condition);
  try {
    fillEnv(core, run);
    if (core.stopping === 'shutdown') return settle(core, run, 'skipped');
    if (run.stage === 'main') run.record.report.name = displayName(core, run);
    if (!holds(condition, scopeOf(core, run))) return settle(core, run, 'skipped');
    return settle(core, run, await perform(core, run));
  } catch (error) {
    return settle(core, run, failed(run, error, MINUTES_WITHOUT_LIMIT));
  } finally {
    forget();
    run.record.close();
  }
}

function newRun(instance: Instance, frame: Frame, stage: StepRun['stage'], record: StepRecord): StepRun {
  return { instance, stage, frame, record, stop: new AbortController(), env: {}, given: {}, action: null };
}

/** One step of the job itself; its report is there from the start, its result becomes the job's where it failed. */
export async function runJobStep(
  core: JobCore,
  frame: Frame,
  what: { readonly instance: Instance; readonly stage: StepRun['stage']; readonly mainName: string },
  reports: StepReport[],
): Promise<StepReport> {
  const { instance, stage, mainName } = what;
  const { id, uses, condition } = instance.document;
  const name = stage === 'post' ? `Post ${mainName}` : mainName;
  const record = createRecord(core.record, { name, id, uses, stage });
  reports.push(record.report);
  const run = newRun(instance, frame, stage, record);
  const result = await runStep(core, run, stage === 'post' ? (instance.post ?? condition) : condition);
  if (result === 'failure') core.status = worse(core.status, 'failure');
  return record.report;
}

/** What nested posts see as their inputs. */
function nestedInputs(core: JobCore, run: StepRun, inputs: Texts): Texts {
  const nested = run.stage === 'post' && run.frame.composite !== null;
  return nested && core.wrongNestedInputs ? (run.frame.inputs ?? inputs) : inputs;
}

const runComposite: RunComposite = async (core, run, { place, document, inputs }) => {
  const { instance, stage } = run;
  if (!('steps' in document.runs)) throw new Error('no composite');
  instance.children ??= document.runs.steps.map((step) => newInstance(step, place.origin));
  const composite = { result: 'success' as Status };
  const frame: Frame = {
    steps: instance.steps,
    inputs: nestedInputs(core, run, inputs),
    actionPath: place.folder,
    given: run.given,
    depth: run.frame.depth + 1,
    composite,
  };
  const children =
    stage === 'main' ? instance.children : instance.children.filter(({ post }) => post !== null).toReversed();
  for (const child of children) {
    const { id, uses, condition } = child.document;
    const name = plannedName(child.document);
    const record = run.record.child(stage === 'post' ? `Post ${name}` : name, id, uses);
    const inner = newRun(child, frame, stage, record);
    // A composite has no limit inside: what is left of the outer one ends its steps.
    run.stop.signal.addEventListener('abort', () => endWithOuter(run, inner), { once: true });
    if (run.stop.signal.aborted) endWithOuter(run, inner);
    const result = await runStep(core, inner, stage === 'post' ? (child.post ?? condition) : condition);
    if (result === 'failure' || result === 'cancelled') composite.result = worse(composite.result, result);
  }
  if (stage === 'main') setOutputs(core, run, document.outputs, frame);
  return composite.result;
};

function endWithOuter(outer: StepRun, inner: StepRun): void {
  const reason: unknown = outer.stop.signal.reason;
  if (reason instanceof StepStopped && reason.because === 'timeout') inner.stop.abort(reason);
}

function setOutputs(
  core: JobCore,
  run: StepRun,
  outputs: ReadonlyMap<string, Parameters<typeof textOf>[0]>,
  frame: Frame,
): void {
  const scope = scopeOf(core, { ...run, frame });
  for (const [name, token] of outputs) setOutput(run, name, textOf(token, scope));
}
