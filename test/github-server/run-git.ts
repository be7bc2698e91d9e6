/** Runs git in a bare repository, with nobody's configuration. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export const gitEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.example',
};

export type GitRun = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

export async function runGit(folder: string, args: readonly string[], input = ''): Promise<GitRun> {
  const child = spawn('git', [...args], { cwd: folder, env: { ...gitEnvironment, GIT_DIR: folder } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await once(child, 'close');
  return { exitCode: child.exitCode, stdout, stderr };
}
