/** What lies in a local folder: walked without following a single link. */
import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { nameOf, placeOf } from './names.ts';

export type LocalTree = {
  /** Regular files with their size in bytes. */
  readonly files: ReadonlyMap<string, number>;
  readonly links: ReadonlyMap<string, string>;
  readonly folders: readonly string[];
  readonly others: readonly string[];
};

type Draft = { files: Map<string, number>; links: Map<string, string>; folders: string[]; others: string[] };

type Told = (name: string) => number | null;

function take(place: { root: string; told: Told }, name: string, entry: Dirent<Buffer>, draft: Draft): void {
  const { root, told } = place;
  if (entry.isDirectory()) draft.folders.push(name);
  else if (entry.isFile()) draft.files.set(name, told(name) ?? lstatSync(placeOf(root, name)).size);
  else if (entry.isSymbolicLink()) {
    draft.links.set(name, nameOf(readlinkSync(placeOf(root, name), { encoding: 'buffer' })));
  } else draft.others.push(name);
}

/** A folder that is not there is an empty tree. The disk is not asked for sizes that are `told`. */
export function localTree(root: string, told: Told = () => null): LocalTree {
  const draft: Draft = { files: new Map(), links: new Map(), folders: [], others: [] };
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    let entries: Dirent<Buffer>[];
    try {
      entries = readdirSync(placeOf(root, folder), { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if (folder === '' && error instanceof Error && 'code' in error && error.code === 'ENOENT') break;
      throw error;
    }
    for (const entry of entries) {
      const name = folder === '' ? nameOf(entry.name) : `${folder}/${nameOf(entry.name)}`;
      take({ root, told }, name, entry, draft);
      if (entry.isDirectory()) pending.push(name);
    }
  }
  return draft;
}
