/** Packs a pulled copy as one tar, so that names, links and modes survive what an artifact would do to them. */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { pathOf, type TreeEntry } from './tree.ts';

/** Resolves when the whole file is on disk. Rejects with what the disk said. */
export async function packTree(folder: string, tree: readonly TreeEntry[], to: string): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createWriteStream(to, { mode: 0o600 }));
  const filled = fill(tar, folder, tree).catch((error: unknown) => {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  await Promise.all([written, filled]);
}

async function fill(tar: Pack, folder: string, tree: readonly TreeEntry[]): Promise<void> {
  for (const entry of tree) {
    if (entry.kind === 'file') await addFile(tar, folder, entry);
    else await add(tar, headerOf(entry));
  }
  tar.finalize();
}

type Head = Parameters<Pack['entry']>[0];

/** A name that is no UTF-8 goes in as the latin1 reading of its bytes: odd to read, unique, and reversible. */
function text(name: string): string {
  const raw = Buffer.from(name, 'latin1');
  const utf8 = raw.toString('utf8');
  return Buffer.from(utf8, 'utf8').equals(raw) ? utf8 : name;
}

function headerOf(entry: Exclude<TreeEntry, { kind: 'file' }>): Head {
  if (entry.kind === 'folder') return { name: text(entry.name), type: 'directory', mode: 0o755 };
  return { name: text(entry.name), type: 'symlink', linkname: text(entry.target) };
}

function add(tar: Pack, header: Head): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry(header, (error) => (error ? reject(error) : resolve()));
  });
}

async function addFile(
  tar: Pack,
  folder: string,
  entry: Extract<TreeEntry, { kind: 'file' }>,
): Promise<void> {
  const header = { name: text(entry.name), size: entry.size, mode: entry.mode };
  const sink = tar.entry(header);
  await pipeline(createReadStream(pathOf(folder, entry.name)), sink);
}
