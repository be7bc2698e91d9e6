/** A pulled copy as it lies on this disk, and whether a workflow artifact can carry it as it is. */
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Names are latin1 views of bytes, since not every name on a pod is UTF-8. */
export type TreeEntry =
  | { readonly kind: 'file'; readonly name: string; readonly size: number; readonly mode: number }
  | { readonly kind: 'folder'; readonly name: string; readonly isEmpty: boolean }
  | { readonly kind: 'link'; readonly name: string; readonly target: string };

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The entry's place on disk, byte for byte. */
export function pathOf(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(join(folder, '/')), bytes(name)]);
}

/** Everything below `folder`, sorted, nothing followed. */
export async function treeOf(folder: string): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = [];
  const walk = async (below: string): Promise<number> => {
    const names = await readdir(below === '' ? Buffer.from(folder) : pathOf(folder, below), {
      encoding: 'buffer',
    });
    for (const raw of names) {
      const name = (below === '' ? '' : `${below}/`) + raw.toString('latin1');
      const place = pathOf(folder, name);
      const stat = await lstat(place);
      if (stat.isSymbolicLink()) {
        const target = (await readlink(place, { encoding: 'buffer' })).toString('latin1');
        found.push({ kind: 'link', name, target });
      } else if (stat.isDirectory()) {
        found.push({ kind: 'folder', name, isEmpty: (await walk(name)) === 0 });
      } else if (stat.isFile()) {
        found.push({ kind: 'file', name, size: stat.size, mode: stat.mode & 0o777 });
      }
    }
    return names.length;
  };
  await walk('');
  return found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** An artifact refuses these anywhere in a path, follows links, and knows neither modes nor odd bytes. */
const REFUSED = /["<>:|*?\\\p{Cc}]/u;
const ODD_PART = /(^|\/)(\s|[^/]*[\s.](\/|$))/;

/** Why the tree must be packed, or null when an artifact can carry it as it is. */
export function needsPacking(tree: readonly TreeEntry[]): string | null {
  const folded = new Set<string>();
  for (const entry of tree) {
    if (entry.kind === 'link') return 'it holds symbolic links';
    if (entry.kind === 'folder' && entry.isEmpty) return 'it holds empty folders';
    const name = bytes(entry.name).toString('utf8');
    if (!bytes(entry.name).equals(Buffer.from(name, 'utf8'))) return 'it holds names that are not UTF-8';
    if (REFUSED.test(name) || ODD_PART.test(name)) return 'it holds names that an artifact refuses';
    const plain = name.normalize('NFC').toLowerCase();
    if (folded.has(plain)) return 'it holds names that differ in case alone';
    folded.add(plain);
    if (entry.kind === 'file' && (entry.mode & 0o111) !== 0) return 'it holds executable files';
  }
  return null;
}
