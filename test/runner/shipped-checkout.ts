/** This repository as a runner fetches it: the action.yml files and dist/, and nothing that is not shipped. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtDist } from '../actions/built-dist.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export type Checkout = { readonly folder: string; remove(): void };

/** Every folder with an action.yml, so that a new door is there without a word here. `dist`: another bundle. */
export function shippedCheckout(dist: string = builtDist()): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-checkout-'));
  const doors = readdirSync(repository, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(repository, entry.name, 'action.yml')))
    .map(({ name }) => name);
  for (const door of ['.', ...doors]) {
    mkdirSync(join(folder, door), { recursive: true });
    cpSync(join(repository, door, 'action.yml'), join(folder, door, 'action.yml'));
  }
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
