/** Artifacts: what the pod holds, what was pulled, and when the two count as the same. */
import { z } from 'zod';
import { type Choice, choice, sameChoice } from './choice.ts';

/** One regular file: path relative to the artifact root, size in bytes, SHA-256 in hex. */
export type ManifestEntry = { readonly path: string; readonly size: number; readonly sha256: string };

/** All regular files below the artifact root, and what is there but is no regular file. */
export type Manifest = {
  readonly files: readonly ManifestEntry[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Devices, FIFOs, sockets: reported, never opened. */
  readonly others: readonly string[];
};

/** What a pull brought: compared by list, size and digest; promoted as a whole or not at all. */
export type Pulled = {
  /** The chosen part of what the pod holds. */
  readonly remote: Manifest;
  /** Files on the pod that the patterns left out. */
  readonly leftOut: number;
  readonly files: number;
  readonly bytes: number;
  /** Where the promoted copy lies. */
  readonly place: string;
  /** SHA-256 over the sorted manifest; equal digests mean equal trees. */
  readonly digest: string;
  /** Files that kept changing through all rounds. */
  readonly moving: readonly string[];
  /** Entries that were dropped or refused, with the reason; any of them means "not verified". */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
};

/** What the registry keeps of a pull. */
export const mirrorFacts = z.object({
  files: z.number().int().min(0),
  bytes: z.number().int().min(0),
  digest: z.string(),
  verified: z.boolean(),
  moving: z.number().int().min(0).default(0),
  leftOut: z.number().int().min(0).default(0),
  /** What was chosen; null = every file. A podtrack that knew no patterns left it out and pulled all. */
  choice: choice.nullable().default(null),
});
export type MirrorFacts = z.infer<typeof mirrorFacts>;

export function mirrorFactsOf(pulled: Pulled, verified: boolean, chosen: Choice | null): MirrorFacts {
  const { files, bytes, digest, leftOut } = pulled;
  return { files, bytes, digest, verified, moving: pulled.moving.length, leftOut, choice: chosen };
}

/** Files of the last good mirror; null = none, or one of another choice, whose count says nothing about this one. */
export function filesBefore(last: MirrorFacts | null, chosen: Choice | null): number | null {
  return last?.verified === true && sameChoice(last.choice, chosen) ? last.files : null;
}

export type ManifestDifference = {
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  readonly changed: readonly string[];
};

/** What separates `copy` from `original`, by path, size and digest. */
export function compareManifests(original: Manifest, copy: Manifest): ManifestDifference {
  const copied = new Map(copy.files.map((file) => [file.path, file]));
  const wanted = new Set(original.files.map((file) => file.path));
  const missing: string[] = [];
  const changed: string[] = [];
  for (const file of original.files) {
    const other = copied.get(file.path);
    if (other === undefined) missing.push(file.path);
    else if (other.size !== file.size || other.sha256 !== file.sha256) changed.push(file.path);
  }
  return {
    missing,
    changed,
    extra: copy.files.filter((file) => !wanted.has(file.path)).map((file) => file.path),
  };
}

export function isSame(difference: ManifestDifference): boolean {
  return difference.missing.length + difference.changed.length + difference.extra.length === 0;
}

/** Why a pull does not count as verified; the order is the order of checks. */
export type Unverified =
  | { readonly reason: 'nothing-there'; readonly leftOut: number }
  | { readonly reason: 'only-empty-files' }
  | { readonly reason: 'fewer-than-before'; readonly before: number; readonly now: number }
  | { readonly reason: 'entries-refused'; readonly paths: readonly string[] }
  | { readonly reason: 'changed-since'; readonly paths: readonly string[] };

/** `before` = files of the last good mirror of the same choice; `later` = a second manifest, taken ≤ 60 s before the kill. */
export type VerifyInput = {
  readonly pulled: Pulled;
  readonly later: Manifest;
  readonly before: number | null;
  readonly allowEmpty: boolean;
};

/**
 * Verified = a non-empty manifest (or `allow-empty`), no fewer files than the last good mirror, equal to
 * the pulled copy (the mirror port promotes nothing else), and a second manifest equal to the first.
 * Files marked moving after the last round do not undo it: the last pull counts.
 */
export function verify(input: VerifyInput): { kind: 'verified' } | ({ kind: 'unverified' } & Unverified) {
  const { pulled, later, before, allowEmpty } = input;
  const count = pulled.remote.files.length;
  if (count === 0 && !allowEmpty) {
    return { kind: 'unverified', reason: 'nothing-there', leftOut: pulled.leftOut };
  }
  if (count > 0 && !allowEmpty && pulled.remote.files.every((file) => file.size === 0)) {
    return { kind: 'unverified', reason: 'only-empty-files' };
  }
  if (before !== null && count < before) {
    return { kind: 'unverified', reason: 'fewer-than-before', before, now: count };
  }
  if (pulled.refused.length > 0) {
    return {
      kind: 'unverified',
      reason: 'entries-refused',
      paths: pulled.refused.map((entry) => entry.path),
    };
  }
  const moving = new Set(pulled.moving);
  const difference = compareManifests(later, pulled.remote);
  const paths = [...difference.missing, ...difference.changed, ...difference.extra].filter(
    (path) => !moving.has(path),
  );
  return paths.length === 0 ? { kind: 'verified' } : { kind: 'unverified', reason: 'changed-since', paths };
}
