/** For the runner's own tests: repositories of actions written down as files, and one call that runs a workflow to its end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JobReport } from './job-run.ts';
import type { RunnerOptions, StartWish } from './options.ts';
import { createRunner, type Run, type Runner, type RunReport } from './runner.ts';
import type { StepReport } from './step-record.ts';

export type Stand = {
  readonly folder: string;
  readonly runner: Runner;
  start(yaml: string, wish?: StartWish): Promise<Run>;
  /** Runs a workflow to its end. */
  run(yaml: string, wish?: StartWish): Promise<RunReport>;
  close(): void;
};

/** Short enough for a test, in the order of the real ones. */
export const QUICK = {
  minuteMs: 3_000,
  sigintMs: 1_500,
  sigtermMs: 1_000,
  cancelBudgetMs: 6_000,
  streamGraceMs: 500,
};

/** `files` lie in a checkout that `suite/tools@v1` names, and that is the workflow's own repository too. */
export function standWith(files: Readonly<Record<string, string>>, options: RunnerOptions = {}): Stand {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack stand '));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const runner = createRunner({
    checkouts: { 'suite/tools@v1': folder },
    workflowCheckout: folder,
    limits: QUICK,
    ...options,
  });
  return {
    folder,
    runner,
    start: (yaml, wish) => runner.start(yaml, wish),
    run: async (yaml, wish) => await (await runner.start(yaml, wish)).finished,
    close() {
      runner.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A workflow of one job from its steps. */
export function jobOf(steps: string, more = ''): string {
  const shifted = (text: string, by: string): string =>
    text
      .split('\n')
      .map((line) => (line === '' ? line : by + line))
      .join('\n');
  return `on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n${shifted(more, '    ')}\n    steps:\n${shifted(steps, '      ')}\n`;
}

/** The manifest of a JavaScript action. */
export function nodeAction(main: string, more = ''): string {
  return `name: a\ndescription: a\n${more}\nruns:\n  using: node24\n  main: ${main}\n`;
}

export function onlyJob(report: RunReport): JobReport {
  const [job] = report.jobs;
  if (job === undefined || report.jobs.length > 1) throw new Error(`${report.jobs.length} jobs ran`);
  return job;
}

/** `name: conclusion` of each step, in order. */
export function course(job: JobReport): string[] {
  return job.steps.map(({ name, conclusion }) => `${name}: ${conclusion}`);
}

export function stepNamed(job: JobReport, name: string): StepReport {
  const step = job.steps.find((each) => each.name === name);
  if (step === undefined) throw new Error(`no step "${name}" among ${course(job).join(', ')}`);
  return step;
}

/** The lines that steps said by themselves: without groups and their inside. */
export function said(step: StepReport): string[] {
  let inGroup = false;
  return step.log.filter((line) => {
    if (line.startsWith('##[group]')) inGroup = true;
    const shown = !inGroup;
    if (line.startsWith('##[endgroup]')) inGroup = false;
    return shown;
  });
}
