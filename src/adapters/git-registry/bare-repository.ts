/** Makes the bare repository that holds a registry on this machine, whole or not at all. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WorldError } from '../../domain/errors.ts';
import { runGit } from './run-git.ts';

/** Keeps lost tips findable, and never leaves a tidying process behind a push. */
const CONFIG = ['core.logAllRefUpdates=true', 'gc.autoDetach=false', 'receive.denyDeletes=false'];

/** Does nothing where the folder exists. Several processes may try at once: one rename wins. */
export async function ensureBareRepository(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  const args = ['init', '--quiet', '--bare', '--template=', draft];
  const made = await runGit({ args, env, cwd: dirname(folder), timeoutMs: 30_000 });
  const failed = made.exitCode !== 0 ? made : await configure(draft, env);
  if (failed === null) {
    try {
      renameSync(draft, folder);
      return;
    } catch (cause) {
      rmSync(draft, { recursive: true, force: true });
      if (existsSync(folder)) return;
      throw notMade(folder, 'its folder could not be put in place', cause);
    }
  }
  rmSync(draft, { recursive: true, force: true });
  throw notMade(folder, failed.stderr.trim().slice(0, 200));
}

async function configure(draft: string, env: Readonly<Record<string, string>>) {
  for (const setting of CONFIG) {
    const at = setting.indexOf('=');
    const args = ['config', setting.slice(0, at), setting.slice(at + 1)];
    const set = await runGit({ args, env: { ...env, GIT_DIR: draft }, cwd: draft, timeoutMs: 30_000 });
    if (set.exitCode !== 0) return set;
  }
  return null;
}

function notMade(folder: string, cameBack: string, cause?: unknown): WorldError {
  return new WorldError('write-refused', {
    tried: `Making the registry at ${folder}`,
    cameBack,
    state: 'There is no registry yet',
    next: 'Give a folder that can be written, by --registry or PODTRACK_HOME',
    cause,
  });
}
