/** The runner's hand-over: the only file that reads inputs, writes outputs and summaries, and keeps state. */
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  addPath as coreAddPath,
  exportVariable as coreExport,
  setOutput as coreOutput,
  saveState as coreSave,
  setSecret as coreSecret,
  endGroup,
  error,
  getInput,
  getState,
  startGroup,
  warning,
} from '@actions/core';
import { ConfigError } from '../domain/errors.ts';
import type { KnobTexts } from '../domain/knobs.ts';
import type { Env } from '../domain/owner-from-env.ts';
import { DOORS, type DoorName, EXPORTED, type InputOf, type OutputOf, type StateKey } from './interface.ts';

/** A summary over 1 MiB is dropped whole by the runner. */
const MOST_SUMMARY_BYTES = 1_000_000;

/** The text of an input without blanks and line breaks around it; empty = not given. */
export type ReadInput<D extends DoorName> = (name: InputOf<D>) => string;

export function inputsOf<D extends DoorName>(_door: D): ReadInput<D> {
  return (name) => getInput(name);
}

export function knobsOf(door: DoorName): KnobTexts {
  return Object.fromEntries(DOORS[door].knobs.map((name) => [name, getInput(name)]));
}

export function environment(): Env {
  return process.env;
}

/** From here on the runner hides it in the log of this job; in parts too, since logs are cut by lines. */
export function mask(secret: string): void {
  coreSecret(secret);
}

/**
 * What the runner made for another user cannot be written by this one. Throws ConfigError, which names the file and
 * leaves everything else as it is.
 */
function toRunner(what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new ConfigError('RUNNER_TEMP', {
      tried: `Writing the runner's file for ${what}`,
      cameBack: error instanceof Error ? error.message : String(error),
      state:
        'This step ended there; what stands was told above, and a pod that was registered keeps its deadlines',
      next: 'In a container job, run as root or as the user who owns the runner’s files (options: --user)',
      cause: error,
    });
  }
}

export function writeOutput<D extends DoorName>(_door: D, name: OutputOf<D>, value: string): void {
  toRunner(`the output ${name}`, () => coreOutput(name, value));
}

export function saveState(key: StateKey, value: string): void {
  toRunner('saved state', () => coreSave(key, value));
}

/** Empty = nothing was saved. */
export function savedState(key: StateKey): string {
  return getState(key);
}

export function exportVariable(which: keyof typeof EXPORTED, value: string): void {
  toRunner('the environment', () => coreExport(EXPORTED[which], value));
}

/** The lines of `work` under one title that a reader may open; what counts is said after it. */
export async function inGroup<T>(title: string, work: () => Promise<T>): Promise<T> {
  startGroup(title);
  try {
    return await work();
  } finally {
    endGroup();
  }
}

/** For the steps that follow. */
export function prependPath(folder: string): void {
  coreAddPath(folder);
}

/** The Node that runs this door, and the command line that lies beside it in the bundle. */
export function ownProgram(): { readonly node: string; readonly script: string; readonly windows: boolean } {
  const script = join(dirname(process.argv[1] ?? ''), 'cli.js');
  return { node: process.execPath, script, windows: process.platform === 'win32' };
}

/** Says nothing where there is no summary to write to, and a warning where it cannot be; cuts at a line where there is too much. */
export function writeSummary(markdown: string): void {
  const file = process.env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  try {
    appendSummary(file, markdown);
  } catch (failed) {
    // What was done stands in the log; a pod's end is no failure for want of a page.
    warning(`no summary could be written: ${failed instanceof Error ? failed.message : String(failed)}`);
  }
}

function appendSummary(file: string, markdown: string): void {
  const bytes = Buffer.from(`${markdown}\n`);
  const kept = bytes.subarray(0, MOST_SUMMARY_BYTES).toString('utf8');
  const whole = bytes.length <= MOST_SUMMARY_BYTES;
  appendFileSync(
    file,
    whole ? bytes : `${kept.slice(0, kept.lastIndexOf('\n'))}\n\nCut: too long for a summary.\n`,
  );
}

/** The one annotation with which a door ends red. */
export function annotateFailure(message: string): void {
  error(message, { title: 'podtrack' });
}
