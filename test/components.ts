/** Which optional programs this machine has, and how a suite says that it cannot run without one. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

export type Component =
  | 'sshd'
  | 'bash'
  | 'busybox'
  | 'dash'
  | 'mksh'
  | 'rsync'
  | 'curl'
  | 'openssl'
  | 'python3'
  | 'wget'
  | 'git-http-backend'
  | 'node24';

const root = fileURLToPath(new URL('..', import.meta.url));

function runnable(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return null;
  }
}

function onPath(program: string): string | null {
  // sshd and its like live in sbin, which an ordinary user's PATH may lack.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  for (const folder of folders) {
    const found = folder === '' ? null : runnable(join(folder, program));
    if (found !== null) return found;
  }
  return null;
}

function gitHttpBackend(): string | null {
  if (onPath('git') === null) return null;
  const folder = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
  return runnable(join(folder, 'git-http-backend'));
}

/** The absolute path of a component, or null when this machine lacks it. */
export function component(name: Component): string | null {
  if (name === 'git-http-backend') return gitHttpBackend();
  if (name === 'node24') return runnable(join(root, 'tools/node24/node_modules/node24bin/bin/node'));
  return onPath(name);
}

/**
 * A `describe` that is left out, with the reason in its name, when one of its components is missing.
 * The reporter lists what was left out at the end of the run.
 */
export function suiteWith(components: readonly Component[], name: string, body: () => void): void {
  const missing = components.filter((each) => component(each) === null);
  const title = missing.length === 0 ? name : `${name} [needs ${missing.join(', ')}]`;
  describe.skipIf(missing.length > 0)(title, body);
}
