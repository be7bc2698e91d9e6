/** The environment of a step's process, and what is taken over from its files when it has ended. */
import { delimiter } from 'node:path';
import type { Plain, Texts } from './expressions.ts';
import { type FileCommand, type Files, pairsIn, summaryIn, textIn } from './file-commands.ts';
import { entryOf, type JobCore, type StepRun, scopeOf } from './job-core.ts';

/** What of the github context becomes GITHUB_*. (runner: GitHubContext) */
const GITHUB_NAMES =
  'action_path action_ref action_repository action actor actor_id api_url base_ref event_name event_path graphql_url head_ref job ref_name ref_protected ref_type ref repository repository_id repository_owner repository_owner_id retention_days run_attempt run_id run_number server_url sha triggering_actor workflow workflow_ref workflow_sha workspace'.split(
    ' ',
  );

function textIfAny(value: Plain | undefined): string | null {
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
    ? String(value)
    : null;
}

function asVariables(
  prefix: string,
  context: Plain | undefined,
  names: readonly string[] | null,
): [string, string][] {
  if (context === undefined || context === null || typeof context !== 'object') return [];
  return Object.entries(context).flatMap(([name, value]) => {
    const text = textIfAny(value);
    if (text === null || (names !== null && !names.includes(name))) return [];
    const pair: [string, string] = [`${prefix}_${name.toUpperCase()}`, text];
    return [pair];
  });
}

/** Later wins: the runner's own, the `env` context, PATH, what the runner tells. */
export function processEnv(core: JobCore, run: StepRun, files: Files): Record<string, string> {
  const { contexts } = scopeOf(core, run);
  const path = run.env['PATH'] ?? core.hostEnv['PATH'] ?? '';
  const told = Object.entries(files).map(([name, file]) => [`GITHUB_${name.toUpperCase()}`, file] as const);
  return {
    CI: 'true',
    ...core.hostEnv,
    ...run.env,
    PATH: [...core.path.toReversed(), path].join(delimiter),
    ...Object.fromEntries(asVariables('GITHUB', contexts['github'], GITHUB_NAMES)),
    ...Object.fromEntries(asVariables('RUNNER', contexts['runner'], null)),
    ...Object.fromEntries(told),
    GITHUB_ACTIONS: 'true',
    RUNNER_TRACKING_ID: core.machine.trackingId,
  };
}

export function inputVariables(inputs: Texts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, text]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, text]),
  );
}

export function stateVariables(state: Texts): Record<string, string> {
  return Object.fromEntries(Object.entries(state).map(([name, text]) => [`STATE_${name}`, text]));
}

export function setOutput(run: StepRun, name: string, value: string): void {
  const { report } = run.record;
  report.outputs = { ...report.outputs, [name]: value };
  const { id } = run.instance.document;
  if (id.startsWith('__') || run.stage === 'post') return;
  entryOf(run.frame.steps, id).outputs[name] = value;
}

export function saveState(run: StepRun, name: string, value: string): void {
  run.instance.state[name] = value;
  run.record.report.state = { ...run.record.report.state, [name]: value };
}

export function exportVariable(core: JobCore, run: StepRun, name: string, value: string): void {
  if (name.toUpperCase() === 'NODE_OPTIONS') {
    run.record.issue('error', "Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
    return;
  }
  core.env[name] = value;
  run.record.report.env = { ...run.record.report.env, [name]: value };
}

export function addPath(core: JobCore, folder: string): void {
  if (folder === '') return;
  core.path = [...core.path.filter((each) => each !== folder), folder];
}

function takeSummary(core: JobCore, run: StepRun, file: string): void {
  const summary = summaryIn(file);
  if ('error' in summary) run.record.issue('error', summary.error);
  else
    run.record.report.summary = summary.text
      .split('\n')
      .map((line) => core.masks.apply(line))
      .join('\n');
}

/** False = a file could not be understood, which fails the step. */
export function takeFiles(core: JobCore, run: StepRun, files: Files): boolean {
  const takers: Readonly<Record<FileCommand, (file: string) => void>> = {
    path: (file) => {
      for (const line of textIn(file).split(/\r?\n/)) addPath(core, line);
    },
    env: (file) => {
      for (const [name, value] of pairsIn(textIn(file))) exportVariable(core, run, name, value);
    },
    step_summary: (file) => takeSummary(core, run, file),
    state: (file) => {
      for (const [name, value] of pairsIn(textIn(file))) saveState(run, name, value);
    },
    output: (file) => {
      for (const [name, value] of pairsIn(textIn(file))) setOutput(run, name, value);
    },
  };
  let well = true;
  for (const [name, take] of Object.entries(takers)) {
    try {
      take(files[name as FileCommand]);
    } catch (error) {
      run.record.issue('error', `Unable to process file command '${name}' successfully.`);
      run.record.issue('error', error instanceof Error ? error.message : String(error));
      well = false;
    }
  }
  return well;
}
