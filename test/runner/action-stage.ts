/** One stage of one step, as the runner's ActionRunner does it: register the post, compute inputs, run, read the files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionDocument } from './documents.ts';
import { type Status, type Texts, textOf, textsOf } from './expressions.ts';
import { type Files, newFiles } from './file-commands.ts';
import { type JobCore, type StepRun, scopeOf } from './job-core.ts';
import { loadAction, type Place, placeOf, postOf, type StandInCall } from './repositories.ts';
import { runScript } from './script.ts';
import {
  addPath,
  exportVariable,
  inputVariables,
  processEnv,
  saveState,
  setOutput,
  stateVariables,
  takeFiles,
} from './step-env.ts';
import { runProcess } from './step-process.ts';

/** Runs the steps of a composite; given from outside, for composites hold actions that hold composites. */
export type RunComposite = (
  core: JobCore,
  run: StepRun,
  part: { place: Extract<Place, { kind: 'files' }>; document: ActionDocument; inputs: Texts },
) => Promise<Status>;

async function runNode(
  core: JobCore,
  run: StepRun,
  part: { script: string; inputs: Texts; files: Files },
): Promise<Status> {
  if (!existsSync(part.script)) throw new Error(`File not found: '${part.script}'`);
  const env = {
    ...processEnv(core, run, part.files),
    ...inputVariables(part.inputs),
    ...stateVariables(run.instance.state),
    ...core.serviceEnv,
  };
  const cwd = existsSync(core.machine.workspace) ? core.machine.workspace : core.machine.temp;
  return await runProcess(core, run, { file: core.node, args: [part.script], env, cwd, node: true });
}

async function runStandIn(
  core: JobCore,
  run: StepRun,
  part: { place: Extract<Place, { kind: 'stand-in' }>; inputs: Texts },
): Promise<Status> {
  const { action } = part.place;
  const call: StandInCall = {
    inputs: part.inputs,
    env: run.env,
    workspace: core.machine.workspace,
    state: run.instance.state,
    say: (line) => run.record.hear(line),
    setOutput: (name, value) => setOutput(run, name, value),
    saveState: (name, value) => saveState(run, name, value),
    exportVariable: (name, value) => exportVariable(core, run, name, value),
    addPath: (folder) => addPath(core, folder),
  };
  if (run.stage === 'main') await action.main(call);
  else await action.post?.(call);
  return 'success';
}

/** `with:`, then the defaults of what it leaves out: both evaluated at every stage. */
function inputsOf(core: JobCore, run: StepRun, place: Place, document: ActionDocument | null): Texts {
  const scope = scopeOf(core, run);
  const given = textsOf(run.instance.document.with, scope);
  const lower = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  if (place.kind === 'stand-in') return { ...place.action.defaults, ...given };
  const declared = document?.inputs ?? new Map();
  const unknown = Object.keys(given).filter(
    (name) => ![...declared.keys()].some((each) => each.toLowerCase() === name.toLowerCase()),
  );
  if (unknown.length > 0)
    run.record.issue(
      'warning',
      `Unexpected input(s) '${unknown.join("', '")}', valid inputs are ['${[...declared.keys()].join("', '")}']`,
    );
  const defaults = [...declared]
    .filter(([name]) => !lower.has(name.toLowerCase()))
    .map(([name, token]) => [name, textOf(token, scope)] as const);
  return { ...given, ...Object.fromEntries(defaults) };
}

/** What the log shows first: inputs and environment, masked as every line is. */
function showDetails(run: StepRun, label: string, inputs: Texts): void {
  if (run.stage === 'post') {
    run.record.say('Post job cleanup.');
    return;
  }
  run.record.say(`##[group]Run ${label}`);
  const given = Object.entries(inputs).filter(([, text]) => text !== '');
  if (given.length > 0) run.record.say('with:');
  const show = ([name, text]: readonly [string, string]): void => {
    for (const line of `  ${name}: ${text}`.split('\n')) run.record.say(line);
  };
  given.forEach(show);
  const env = Object.entries(run.env);
  if (env.length > 0) run.record.say('env:');
  env.forEach(show);
  run.record.say('##[endgroup]');
}

async function runAction(
  core: JobCore,
  run: StepRun,
  files: Files,
  runComposite: RunComposite,
): Promise<Status> {
  const { instance } = run;
  const { workspace } = core.machine;
  const place = placeOf(instance.document.uses ?? '', instance.origin, core.repositories, workspace);
  const document = place.kind === 'files' ? loadAction(place) : null;
  if (run.stage === 'main') {
    const post = postOf(place, document, core.repositories, workspace);
    if (post !== null) {
      instance.post = post;
      if (run.frame.composite === null) core.posts.push(instance);
    }
  }
  run.action = place;
  const inputs = inputsOf(core, run, place, document);
  run.record.report.inputs = inputs;
  showDetails(run, place.label, inputs);
  if (place.kind === 'stand-in') return await runStandIn(core, run, { place, inputs });
  if (document === null) throw new Error('an action without its file');
  if ('steps' in document.runs) return await runComposite(core, run, { place, document, inputs });
  const { main, post } = document.runs;
  const script = join(place.folder, run.stage === 'main' ? main : (post ?? ''));
  return await runNode(core, run, { script, inputs, files });
}

/** Throws as the runner would: StepStopped, or whatever makes the step fail. Files are read in any case. */
export async function runStage(core: JobCore, run: StepRun, runComposite: RunComposite): Promise<Status> {
  const files = newFiles(core.machine.temp);
  let well = true;
  let result: Status;
  try {
    result =
      run.instance.document.uses === null
        ? await runScript(core, run, files)
        : await runAction(core, run, files, runComposite);
  } finally {
    if (!core.isGone) well = takeFiles(core, run, files);
  }
  return well || result === 'cancelled' ? result : 'failure';
}
