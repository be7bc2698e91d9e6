/** One attempt of a workflow run: its jobs in the order of their needs, the legs of each, and how they end. */

import type { Condition, JobDocument, WorkflowDocument } from './documents.ts';
import { holds, type Plain, type Scope, type Status, type Texts, textOf, valueIn } from './expressions.ts';
import type { Job, JobReport } from './job-run.ts';
import { type Leg, legName, strategyOf } from './matrix.ts';

export type JobResult = Status | 'skipped';

/** A job over all of its legs. */
export type JobSum = {
  readonly result: JobResult;
  readonly outputs: Texts;
  readonly legs: readonly JobReport[];
};

export type Attempt = {
  readonly workflow: WorkflowDocument;
  /** `github`, `vars`, `secrets`, `inputs`: what is known before a job begins. */
  readonly contexts: { readonly [name: string]: Plain };
  /** Results of an earlier attempt that are kept, by key of the job. */
  readonly kept: ReadonlyMap<string, JobSum>;
  /** Only these jobs run, as if their needs had succeeded with these outputs; null = all. */
  readonly only: { readonly job: string; readonly needs: Readonly<Record<string, Texts>> } | null;
  begin(document: JobDocument, leg: Leg, part: LegPart): Job;
};

export type LegPart = {
  readonly name: string;
  readonly strategy: Plain;
  readonly needs: Plain;
};

export type RunningAttempt = {
  readonly running: ReadonlySet<Job>;
  cancel(): void;
  readonly finished: Promise<ReadonlyMap<string, JobSum>>;
};

type Desk = {
  readonly attempt: Attempt;
  readonly running: Set<Job>;
  cancelled: boolean;
  readonly sums: Map<string, Promise<JobSum>>;
};

const SKIPPED: JobSum = { result: 'skipped', outputs: {}, legs: [] };

/** Every job that `document` waits for, near and far. */
function ancestors(workflow: WorkflowDocument, document: JobDocument): Set<string> {
  const found = new Set<string>();
  const visit = (key: string): void => {
    if (found.has(key)) return;
    found.add(key);
    workflow.jobs.find((job) => job.key === key)?.needs.forEach(visit);
  };
  document.needs.forEach(visit);
  return found;
}

function needsContext(document: JobDocument, sums: ReadonlyMap<string, JobSum>): Plain {
  return Object.fromEntries(
    document.needs.map((key) => {
      const { result, outputs } = sums.get(key) ?? SKIPPED;
      return [key, { result, outputs }];
    }),
  );
}

/** success() wants every job before to have succeeded, failure() one that failed. */
function scopeFor(desk: Desk, needs: Plain, results: readonly JobResult[]): Scope {
  const status = results.includes('failure')
    ? 'failure'
    : results.every((result) => result === 'success')
      ? 'success'
      : 'cancelled';
  return { contexts: { ...desk.attempt.contexts, needs }, status, cancelled: desk.cancelled };
}

function legContexts(leg: Leg, failFast: boolean, maxParallel: number): { matrix: Plain; strategy: Plain } {
  const strategy = {
    'fail-fast': failFast,
    'job-index': leg.index,
    'job-total': leg.total,
    'max-parallel': maxParallel,
  };
  return { matrix: leg.matrix, strategy };
}

async function runLegs(desk: Desk, document: JobDocument, needs: Plain): Promise<JobSum> {
  const scope: Scope = { contexts: { ...desk.attempt.contexts, needs }, status: 'success', cancelled: false };
  const { legs, failFast, maxParallel } = strategyOf(valueIn(document.strategy, scope));
  const waiting = [...legs];
  const mine = new Set<Job>();
  const reports: JobReport[] = [];
  const results: JobResult[] = [];
  let outputs: Texts = {};
  const lane = async (): Promise<void> => {
    for (let leg = waiting.shift(); leg !== undefined; leg = waiting.shift()) {
      if (desk.cancelled) {
        results.push('cancelled');
        continue;
      }
      const { matrix, strategy } = legContexts(leg, failFast, maxParallel);
      const inLeg = { ...scope, contexts: { ...scope.contexts, matrix, strategy } };
      const name = document.name === undefined ? legName(document.key, leg) : textOf(document.name, inLeg);
      const job = desk.attempt.begin(document, leg, { name, strategy, needs });
      for (const set of [mine, desk.running]) set.add(job);
      const report = await job.finished;
      for (const set of [mine, desk.running]) set.delete(job);
      const forgiven = report.result === 'failure' && valueIn(document.continueOnError, inLeg) === true;
      reports.push(report);
      results.push(forgiven ? 'success' : report.result);
      outputs = { ...outputs, ...report.outputs };
      if (report.result !== 'failure' || forgiven || !failFast) continue;
      results.push(...waiting.splice(0).map(() => 'cancelled' as const));
      for (const other of mine) other.cancel();
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, legs.length) }, lane));
  const has = (result: JobResult): boolean => results.includes(result);
  const result = has('failure') ? 'failure' : has('cancelled') ? 'cancelled' : 'success';
  return { result, outputs, legs: reports };
}

async function runJob(desk: Desk, document: JobDocument): Promise<JobSum> {
  const { attempt } = desk;
  const done = new Map<string, JobSum>();
  for (const key of ancestors(attempt.workflow, document)) {
    const sum = await desk.sums.get(key);
    if (sum !== undefined) done.set(key, sum);
  }
  const needs = needsContext(document, done);
  const scope = scopeFor(
    desk,
    needs,
    [...done.values()].map(({ result }) => result),
  );
  if (!holds(document.condition satisfies Condition, scope))
    return desk.cancelled ? { ...SKIPPED, result: 'cancelled' } : SKIPPED;
  return await runLegs(desk, document, needs);
}

function alone(attempt: Attempt, key: string): JobSum | null {
  const { only, kept } = attempt;
  if (only === null || only.job === key) return kept.get(key) ?? null;
  const outputs = only.needs[key];
  return outputs === undefined ? SKIPPED : { result: 'success', outputs, legs: [] };
}

export function startAttempt(attempt: Attempt): RunningAttempt {
  const desk: Desk = { attempt, running: new Set(), cancelled: false, sums: new Map() };
  const begin = (document: JobDocument): void => {
    const given = alone(attempt, document.key);
    // A job asks for the sums of others only after all of them are entered.
    const sum =
      given === null ? Promise.resolve().then(() => runJob(desk, document)) : Promise.resolve(given);
    desk.sums.set(document.key, sum);
  };
  attempt.workflow.jobs.forEach(begin);
  const all = async (): Promise<ReadonlyMap<string, JobSum>> => {
    const entries = [...desk.sums].map(async ([key, sum]) => [key, await sum] as const);
    return new Map(await Promise.all(entries));
  };
  return {
    running: desk.running,
    finished: all(),
    cancel() {
      desk.cancelled = true;
      for (const job of desk.running) job.cancel();
    },
  };
}

/** The run as a whole: its worst job; skipped ones do not count. */
export function conclusionOf(sums: ReadonlyMap<string, JobSum>): Status {
  const results = [...sums.values()].map(({ result }) => result);
  if (results.includes('failure')) return 'failure';
  return results.includes('cancelled') ? 'cancelled' : 'success';
}
