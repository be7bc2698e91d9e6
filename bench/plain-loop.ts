/** The plain way to write to a branch from many jobs: fetch, commit on top, push, and at once again when it was refused. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BRANCH = 'plain';
const ENV = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'plain',
  GIT_AUTHOR_EMAIL: 'plain@localhost',
  GIT_COMMITTER_NAME: 'plain',
  GIT_COMMITTER_EMAIL: 'plain@localhost',
};

async function git(folder: string, ...args: readonly string[]): Promise<boolean> {
  try {
    await run('git', [...args], { cwd: folder, env: ENV });
    return true;
  } catch {
    return false;
  }
}

/** A writer with a clone of its own, as every job has. False = the time was over before the push went through. */
export async function plainWriter(
  url: string,
  folder: string,
): Promise<(name: string, isOver: () => boolean) => Promise<boolean>> {
  mkdirSync(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '-b', BRANCH);
  return async (name, isOver) => {
    while (!isOver()) {
      const spec = `+refs/heads/${BRANCH}:refs/remotes/origin/${BRANCH}`;
      const there = await git(folder, 'fetch', '--quiet', url, spec);
      if (there) await git(folder, 'reset', '--quiet', '--hard', `origin/${BRANCH}`);
      writeFileSync(join(folder, `${name}.json`), `{"id": "${name}"}\n`);
      await git(folder, 'add', '--all');
      await git(folder, 'commit', '--quiet', '-m', `enter ${name}`);
      if (await git(folder, 'push', '--quiet', url, `HEAD:refs/heads/${BRANCH}`)) return true;
    }
    return false;
  };
}
