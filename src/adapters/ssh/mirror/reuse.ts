/** Which files need not come over the wire: the same name, size and SHA-256 already lies here. Nothing is believed unread. */
import { lstatSync } from 'node:fs';
import type { Manifest, ManifestEntry } from '../../../domain/artifacts.ts';
import { type Fingerprint, fingerprintOf, inodeOf } from './digest.ts';
import type { LocalTree } from './local-tree.ts';
import { placeOf } from './names.ts';
import { Collision, type Staging } from './staging.ts';

export type Match = { readonly place: string | Buffer; readonly seen: Fingerprint };

export type Reading = {
  readonly tree: LocalTree;
  readonly signal: AbortSignal;
  readonly readBefore?: ReadonlyMap<string, Fingerprint>;
};

const BREATH = 64;

/** As it was read before, if nothing touched it since. */
function unchanged(folder: string, name: string, seen: Fingerprint | undefined): Fingerprint | null {
  if (seen === undefined) return null;
  const stat = lstatSync(placeOf(folder, name), { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() === true && inodeOf(stat) === seen.inode ? seen : null;
}

/** Files of `folder` that equal what the pod listed, each read in this pull: `readBefore`, or now. */
export async function matchesIn(
  folder: string,
  wanted: readonly ManifestEntry[],
  { tree, signal, readBefore }: Reading,
): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  let read = 0;
  for (const file of wanted) {
    if (tree.files.get(file.path) !== file.size) continue;
    read += 1;
    // Small files are read without waiting; keepalives and other pods must get their turn.
    if (read % BREATH === 0) await new Promise(setImmediate);
    signal.throwIfAborted();
    const seen =
      unchanged(folder, file.path, readBefore?.get(file.path)) ?? (await fingerprintOf(folder, file.path));
    if (seen?.size === file.size && seen.sha256 === file.sha256) {
      matches.set(file.path, { place: placeOf(folder, file.path), seen });
    }
  }
  return matches;
}

/** Whether the promoted copy already is what the pod holds, to the last link and without anything more. */
export function isWhole(
  tree: LocalTree,
  matches: ReadonlyMap<string, Match>,
  pod: Manifest,
  links: Manifest['links'],
): boolean {
  return (
    tree.files.size === pod.files.length &&
    matches.size === pod.files.length &&
    tree.others.length === 0 &&
    tree.links.size === links.length &&
    links.every((link) => tree.links.get(link.path) === link.target)
  );
}

/** Takes over what matches; what changed since it was read, or has no place on this disk, is fetched instead. */
export function adopt(matches: ReadonlyMap<string, Match>, staging: Staging): void {
  for (const [name, match] of matches) {
    try {
      staging.adopt(name, match.place, match.seen);
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
    }
  }
}
