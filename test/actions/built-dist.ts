/** The bundle under test: dist/ as it is shipped, or, while the sources are newer, one built aside from them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** A fresh clone writes dist/ and src/ within this time of each other. */
const SAME_CHECKOUT_MS = 60_000;

function sources(): string[] {
  const files = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(repository, 'src', name));
  return [...files.sort(), join(repository, 'scripts', 'build.mjs'), join(repository, 'package-lock.json')];
}

function shippedIsFresh(): boolean {
  const entry = join(repository, 'dist', 'index.js');
  if (!existsSync(entry)) return false;
  const builtAt = statSync(entry).mtimeMs;
  return sources().every((file) => statSync(file).mtimeMs <= builtAt + SAME_CHECKOUT_MS);
}

/** The folder of the bundle. Several test files may ask at once: each builds, the first to be done wins. */
export function builtDist(): string {
  if (shippedIsFresh()) return join(repository, 'dist');
  const hash = createHash('sha256');
  for (const file of sources()) hash.update(readFileSync(file)).update('\0');
  const home = join(repository, '.cache', 'test-dist');
  const folder = join(home, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true });
  const draft = `${folder}-${process.pid}`;
  execFileSync(process.execPath, [join(repository, 'scripts', 'build.mjs'), '--out', draft], {
    stdio: 'ignore',
  });
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
  for (const old of readdirSync(home)) {
    const path = join(home, old);
    if (path !== folder && Date.now() - statSync(path).mtimeMs > 3_600_000)
      rmSync(path, { recursive: true, force: true });
  }
  return folder;
}
