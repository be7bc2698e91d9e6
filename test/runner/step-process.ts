/** The process of a step: heard line by line, cut where a test wants it cut, ended with its step or its worker. */
import { runChild } from './child.ts';
import type { Status, Texts } from './expressions.ts';
import { fileCommandOf } from './file-commands.ts';
import { type JobCore, note, type StepRun, type StepStopped } from './job-core.ts';

/** Runs a process of this step to its end. Throws StepStopped when the step was told to stop meanwhile. */
export async function runProcess(
  core: JobCore,
  run: StepRun,
  call: { file: string; args: readonly string[]; env: Texts; cwd: string; node: boolean },
): Promise<Status> {
  const holds = call.node && core.effects.watched;
  const ended = runChild({
    file: call.file,
    args: call.args,
    env: call.env,
    cwd: call.cwd,
    limits: core.limits,
    stop: run.stop.signal,
    onLine: (line) => {
      if (!core.isGone) run.record.hear(line);
    },
    onStart: (child) => {
      core.machine.entries.add(child);
      child.once('exit', () => core.machine.entries.delete(child));
      note(core, run, { kind: 'process-start', when: 'after', what: call.args.at(-1) ?? call.file });
    },
    ...(holds ? { onFile: (when, path) => noteFile(core, run, when, path) } : {}),
  });
  const { code, signal } = await Promise.race([ended, core.gone]);
  Object.assign(run.record.report, { exitCode: code, signal });
  note(core, run, { kind: 'process-end', when: 'after', what: String(signal ?? code) });
  if (core.isGone) await core.gone;
  if (run.stop.signal.aborted) throw run.stop.signal.reason as StepStopped;
  return code === 0 ? 'success' : 'failure';
}

function noteFile(core: JobCore, run: StepRun, when: 'before' | 'after', path: string): void {
  const what = fileCommandOf(path);
  if (what !== null && !core.isGone) note(core, run, { kind: 'file', when, what });
}
