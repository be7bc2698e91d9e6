/** The fake Shell keeps the same contract as the real one. */
import type { WorldFailure } from '../../src/domain/errors.ts';
import type { ScriptAnswer, ScriptCall, ShellTarget } from '../../src/ports.ts';
import { shellContract } from '../adapters/shell/shell-contract.ts';
import { scriptedShell } from './scripted-shell.ts';

function answer(call: ScriptCall): ScriptAnswer | WorldFailure {
  if (call.script === 'switch') return call.args[0] === 'hang' ? 'timed-out' : 'incomplete-answer';
  const stdout = call.args.map((arg) => `<${arg}>\n`).join('') + (call.stdin ?? '');
  return { exitCode: 7, stdout, stderr: 'complaint\n' };
}

function target(podId: string): ShellTarget {
  return { podId, address: { host: '127.0.0.1', port: 22, username: 'root' }, pins: null };
}

shellContract('scriptedShell', async () => {
  const shell = scriptedShell(
    new Map([
      ['good', { hostKey: 'SHA256:good', answer }],
      ['locked', { hostKey: 'SHA256:locked', door: 'refused-login', answer }],
    ]),
  );
  return {
    shell,
    good: target('good'),
    lockedOut: target('locked'),
    nobody: target('nobody'),
    stop: async () => undefined,
  };
});
