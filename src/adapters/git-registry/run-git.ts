/** Runs the system's git once and tells what came back. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { WorldError } from '../../domain/errors.ts';

export type GitAnswer = {
  /** null = it was ended by a signal, ours after the time was over. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
};

export type GitCall = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input?: string;
  readonly timeoutMs: number;
};

/** The scratch repository did not answer as it must: it can be thrown away, nothing of it has reached the remote. */
export class ScratchError extends Error {
  override name = 'ScratchError' as const;
}

function noGit(cause: Error): WorldError {
  return new WorldError('registry-unreadable', {
    tried: 'Running git',
    cameBack: cause.message,
    state: 'Nothing was written to the registry',
    next: 'Install git 2.31 or newer and put it on PATH',
    cause,
  });
}

/** Resolves whatever the exit code; rejects only when git could not be started. */
export function runGit({ args, env, cwd, input, timeoutMs }: GitCall): Promise<GitAnswer> {
  return new Promise((answer, fail) => {
    const child = spawn('git', [...args], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', (cause) => {
      clearTimeout(timer);
      // A working folder that is gone is told in the same words as a missing program.
      fail(existsSync(cwd) ? noGit(cause) : new ScratchError('the scratch folder is gone', { cause }));
    });
    child.once('close', (exitCode) => {
      clearTimeout(timer);
      answer({ exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') });
    });
    // git may answer before it has read everything; its exit code tells what that means.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}
