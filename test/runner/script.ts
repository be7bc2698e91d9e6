/** A `run:` step: its script in a file, its shell as the runner calls it. */
import { randomUUID } from 'node:crypto';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type Status, textOf } from './expressions.ts';
import type { Files } from './file-commands.ts';
import { type JobCore, type StepRun, scopeOf } from './job-core.ts';
import { processEnv } from './step-env.ts';
import { runProcess } from './step-process.ts';

/** (runner: ScriptHandlerHelpers) */
const ARGUMENTS: Readonly<Record<string, string>> = {
  bash: '--noprofile --norc -e -o pipefail {0}',
  sh: '-e {0}',
  python: '{0}',
};
const ENDINGS: Readonly<Record<string, string>> = { bash: '.sh', sh: '.sh', python: '.py' };

function onPath(program: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not here.
    }
  }
  return null;
}

type Shell = { readonly file: string; readonly args: string; readonly ending: string };

/** No shell given: bash, called as sh is. A given bash stops at the first failure inside a pipe, too. */
function shellOf(given: string, path: string): Shell {
  if (given === '') {
    const file = onPath('bash', path) ?? onPath('sh', path);
    if (file === null) throw new Error('sh: command not found');
    return { file, args: ARGUMENTS['sh'] ?? '', ending: '.sh' };
  }
  const [program = '', ...rest] = given.split(' ');
  const file = onPath(program, path);
  if (file === null) throw new Error(`${program}: command not found`);
  const args = rest.length > 0 ? rest.join(' ') : (ARGUMENTS[program] ?? '');
  if (!args.includes('{0}'))
    throw new Error(
      "Invalid shell option. Shell must be a valid built-in (bash, sh, cmd, powershell, pwsh) or a format string containing '{0}'",
    );
  return { file, args, ending: ENDINGS[program] ?? '' };
}

function showScript(run: StepRun, script: string, shell: Shell): void {
  const [first = '', ...rest] = script.split('\n');
  run.record.say(`##[group]Run ${first}`);
  for (const line of [first, ...rest]) run.record.say(line);
  run.record.say(`shell: ${shell.file} ${shell.args}`);
  const env = Object.entries(run.env);
  if (env.length > 0) run.record.say('env:');
  for (const [name, text] of env) for (const line of `  ${name}: ${text}`.split('\n')) run.record.say(line);
  run.record.say('##[endgroup]');
}

export async function runScript(core: JobCore, run: StepRun, files: Files): Promise<Status> {
  const { document } = run.instance;
  const scope = scopeOf(core, run);
  const atJobLevel = run.frame.composite === null;
  const script = textOf(document.run, scope);
  const env = processEnv(core, run, files);
  const given = textOf(document.shell, scope) || (atJobLevel ? (core.defaults.shell ?? '') : '');
  const folder =
    textOf(document.workingDirectory, scope) || (atJobLevel ? (core.defaults.workingDirectory ?? '') : '');
  const shell = shellOf(given, env['PATH'] ?? '');
  showScript(run, script, shell);
  const file = join(core.machine.temp, `${randomUUID()}${shell.ending}`);
  writeFileSync(file, script);
  const args = shell.args.split(' ').map((arg) => arg.replaceAll('{0}', file));
  const cwd = resolve(core.machine.workspace, folder);
  const result = await runProcess(core, run, { file: shell.file, args, env, cwd, node: false });
  if (result === 'failure')
    run.record.issue('error', `Process completed with exit code ${run.record.report.exitCode ?? 'null'}.`);
  return result;
}
