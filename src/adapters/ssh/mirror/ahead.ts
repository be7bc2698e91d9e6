/** What is done while the pod still reads its files: what must come anyway is fetched, what may stay is read here. */
import type { Visit, Whole } from './ask-pod.ts';
import { type Fingerprint, fingerprintOf } from './digest.ts';
import { freshFolder, type Layout, prepare, unverifiedFolder } from './layout.ts';
import type { Listing, Refused } from './listing.ts';
import { type LocalTree, localTree } from './local-tree.ts';
import { fetchMissing, type Rounds } from './rounds.ts';
import { type Staging, stagingIn } from './staging.ts';

/** A fresh folder that is made only when something has to come. */
export type Site = { readonly layout: Layout; staging: Staging | null };

export function stagingAt(site: Site): Staging {
  site.staging ??= stagingIn(freshFolder(site.layout));
  return site.staging;
}

export type Ahead = {
  /** The last copy as it lies here; null = it was not looked at. */
  readonly last: LocalTree | null;
  /** Files of the last copy as they were read; whoever uses one looks whether it is still the same. */
  readonly seen: ReadonlyMap<string, Fingerprint>;
  readonly refused: readonly Refused[];
};

export const NOTHING_AHEAD: Ahead = { last: null, seen: new Map(), refused: [] };

const BREATH = 64;

async function readLast(
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Fingerprint>> {
  const seen = new Map<string, Fingerprint>();
  for (const [index, name] of names.entries()) {
    if (index % BREATH === 0) await new Promise(setImmediate);
    signal.throwIfAborted();
    const file = await fingerprintOf(folder, name);
    if (file !== null) seen.set(name, file);
  }
  return seen;
}

/**
 * A file of which no copy of its length lies here has to come, whatever its digest will be. `whole` is read when it
 * brings all of them and nothing that must not come.
 */
export async function goAhead(
  parts: Omit<Rounds, 'staging'>,
  site: Site,
  announced: Listing,
  whole: Whole | null,
): Promise<Ahead> {
  const { visit } = parts;
  const { signal } = visit.stop;
  prepare(site.layout);
  const tree = localTree(site.layout.target);
  const last = tree.files;
  const unfinished = localTree(unverifiedFolder(site.layout)).files;
  const { files } = announced.manifest;
  const missing = files.filter(({ path, size }) => last.get(path) !== size && unfinished.get(path) !== size);
  const known = files.filter(({ path, size }) => last.get(path) === size).map(({ path }) => path);
  // A file that must not come is a reason to name those that must.
  const takesAll = missing.length === files.length && announced.refused.length === 0;
  const bring = async (): Promise<Refused[]> => {
    const underWay = takesAll && whole !== null ? await whole.stream : null;
    return fetchMissing({ ...parts, staging: stagingAt(site) }, announced, missing, underWay);
  };
  if (!takesAll) whole?.giveUp();
  const fetching = missing.length === 0 ? [] : bring();
  const [refused, seen] = await together(visit, [fetching, readLast(site.layout.target, known, signal)]);
  return { last: tree, refused, seen };
}

/** Both, or the first failure once neither is at work any more. */
export async function together<A, B>(
  { stop }: Visit,
  works: readonly [Promise<A> | A, Promise<B> | B],
): Promise<[A, B]> {
  try {
    return await Promise.all(works);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(works);
    throw error;
  }
}
