/** A GitHub server with a repository of one commit on main, and short ways to ask it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitEnvironment, runGit } from './run-git.ts';
import { type GithubServer, githubServer } from './server.ts';

export type Stand = GithubServer & {
  /** The bare repository. */
  readonly folder: string;
  /** Where the bare repository lies; goes with the server. */
  readonly root: string;
};

export const REPOSITORY = { name: 'acme/ci', id: 41 };

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** `empty` = not even main. */
export async function standUp(
  over: { empty?: boolean; now?: () => number; name?: string; id?: number } = {},
): Promise<Stand> {
  const root = mkdtempSync(join(tmpdir(), 'podtrack-test-github-'));
  const folder = join(root, 'registry.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', folder], {
    env: gitEnvironment,
  });
  await runGit(folder, ['config', 'http.receivepack', 'true']);
  if (over.empty !== true) {
    await runGit(folder, ['hash-object', '-w', '-t', 'tree', '--stdin']);
    const person = 'hand <hand@localhost> 1700000000 +0000';
    const commit = `tree ${EMPTY_TREE}\nauthor ${person}\ncommitter ${person}\n\nstart\n`;
    const { stdout } = await runGit(folder, ['hash-object', '-w', '-t', 'commit', '--stdin'], commit);
    await runGit(folder, ['update-ref', 'refs/heads/main', stdout.trim()]);
  }
  const { name = REPOSITORY.name, id = REPOSITORY.id, now } = over;
  const server = await githubServer(folder, { name, id, ...(now === undefined ? {} : { now }) });
  return {
    ...server,
    folder,
    root,
    async close() {
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
