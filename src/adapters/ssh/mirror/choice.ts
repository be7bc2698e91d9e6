/** The chosen part of what a pod holds: patterns by minimatch, which matches without backtracking, whatever the names. */
import { Minimatch } from 'minimatch';
import { type Choice, choose, chooser } from '../../../domain/choice.ts';
import { CLOSED_FOLDER, type Listing, type Refused } from './listing.ts';
import { escapes } from './names.ts';

/** Names are those of the pod, so a backslash is a letter, and a leading dot or bracket hides nothing. */
const OPTIONS = {
  dot: true,
  noext: true,
  nonegate: true,
  nocomment: true,
  platform: 'linux',
  // The domain refuses what unfolds to more; this bounds what its count might miss.
  braceExpandMax: 1024,
} as const;

/** What a folder's pattern means for the files below it; `x/` means folders alone. */
function unfolded(pattern: string): string[] {
  const bare = pattern.replace(/\/$/, '');
  if (bare !== pattern) return [`${bare}/**`];
  return pattern.endsWith('/**') ? [pattern] : [pattern, `${pattern}/**`];
}

function matching(patterns: readonly string[], partial: boolean): (path: string) => boolean {
  const ready = patterns.flatMap(unfolded).map((pattern) => new Minimatch(pattern, { ...OPTIONS, partial }));
  return (path) => ready.some((one) => one.match(path));
}

export function compile(patterns: readonly string[]): (path: string) => boolean {
  return matching(patterns, false);
}

/** Whether a folder that could not be looked into may hold chosen files. */
function mayHold(of: Choice): (folder: string) => boolean {
  const isReached = of.include.length === 0 ? () => true : matching(of.include, true);
  const isExcluded = compile(of.exclude.map((pattern) => pattern.replace(/(.)\/(\*\*)?$/s, '$1')));
  // What find writes about a name with other letters is not the name.
  return (folder) => !/^[\w ./@+=,-]+$/.test(folder) || (isReached(folder) && !isExcluded(folder));
}

/** What is not chosen is as good as not there, also where it could not be read; a name that escapes is never overlooked. */
export function chosenOf(listing: Listing, of: Choice | null): Listing {
  if (of === null) return listing;
  const isWanted = chooser(of, compile);
  const { manifest, leftOut } = choose(listing.manifest, isWanted);
  const isOpen = mayHold(of);
  const counts = ({ path, reason }: Refused): boolean =>
    escapes(path) || (reason === CLOSED_FOLDER ? isOpen(path) : isWanted(path));
  return { ...listing, manifest, leftOut, refused: listing.refused.filter(counts) };
}
