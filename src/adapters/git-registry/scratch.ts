/** A bare repository of our own for one store: a cache that can be thrown away at any moment. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'podtrack-registry-';
const DAY_MS = 86_400_000;

/** Folders of this process. Nobody shares them, so a lock that a killed git leaves in one harms nobody. */
const open = new Set<string>();

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
}

process.on('exit', () => {
  for (const folder of open) remove(folder);
});

/** Folders that a killed process left behind more than a day ago. */
function sweepOld(parent: string, now: number): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(parent, name);
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (!open.has(folder) && now - changedAt > DAY_MS) remove(folder);
  }
}

/**
 * Makes the folder and what `git init --bare` would put there; `objects` of a repository on this machine is
 * borrowed instead of copied.
 */
export function makeScratch(parent: string, objects: string | null, now: number): string {
  mkdirSync(parent, { recursive: true });
  sweepOld(parent, now);
  const folder = mkdtempSync(join(parent, PREFIX));
  open.add(folder);
  mkdirSync(join(folder, 'objects', 'info'), { recursive: true });
  mkdirSync(join(folder, 'refs', 'heads'), { recursive: true });
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  if (objects !== null) writeFileSync(join(folder, 'objects', 'info', 'alternates'), `${objects}\n`);
  return folder;
}

export function dropScratch(folder: string): void {
  open.delete(folder);
  remove(folder);
}
