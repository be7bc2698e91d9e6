/** Who owns a pod: label, key and uuid, and what one owner may do with another's record. */
import { z } from 'zod';
import type { Part } from './part.ts';

/** What GitHub (or a like forge) says of a run. Survives renames; names are only labels. */
export const ownerKey = z.object({
  /** Base address of the server, lower case, no trailing slash. */
  server: z.string().min(1),
  /** Numeric repository id as text. */
  repositoryId: z.string().regex(/^\d{1,20}$/),
  /** Numeric run id as text. */
  runId: z.string().regex(/^\d{1,20}$/),
});

export const owner = z.object({
  /** null = unlabelled; never matches anybody. */
  label: z.string().min(1).max(200).nullable(),
  /** Whether the label was given by a person; a given label never equals a default one. */
  labelGiven: z.boolean(),
  key: ownerKey.nullable(),
  /** Opaque; nothing is ever parsed out of it. */
  uuid: z.string().min(1).max(200),
  attempt: z.number().int().min(1).nullable().default(null),
  job: z.string().max(200).nullable().default(null),
  matrix: z.string().max(2000).nullable().default(null),
  checkRunId: z.string().max(40).nullable().default(null),
  /** Repository as `owner/repo` at the time of writing: for people only. */
  repository: z.string().max(200).nullable().default(null),
});

export type OwnerKey = z.infer<typeof ownerKey>;
export type Owner = z.infer<typeof owner>;

/** What the forge says of the process behind a record. `missing`: a 404 of a run that provably may be listed. */
export type OwnerLiveness =
  | { readonly state: 'in-progress' }
  | { readonly state: 'completed'; readonly completedAt: number; readonly conclusion: string | null }
  | { readonly state: 'missing' };

/** Same owner, whatever the process: the label when both gave one, the key when neither did. */
export function sameOwner(left: Owner, right: Owner): boolean {
  if (left.label === null || right.label === null) return false;
  if (left.labelGiven !== right.labelGiven) return false;
  if (left.labelGiven) return left.label === right.label && compatibleRepository(left.key, right.key);
  if (left.key === null || right.key === null) {
    return left.key === right.key && left.label === right.label && left.uuid === right.uuid;
  }
  return sameKey(left.key, right.key);
}

/** A given label matches within one repository id when both sides have one. */
function compatibleRepository(left: OwnerKey | null, right: OwnerKey | null): boolean {
  if (left === null || right === null) return true;
  return left.server === right.server && left.repositoryId === right.repositoryId;
}

function sameKey(left: OwnerKey, right: OwnerKey): boolean {
  return (
    left.server === right.server && left.repositoryId === right.repositoryId && left.runId === right.runId
  );
}

/** What registering over an existing record would be. */
export type Ownership =
  /** The record carries my uuid. */
  | { readonly kind: 'mine' }
  /** Same owner, new process, the former one not provably alive. */
  | { readonly kind: 'reclaim' }
  /** Same owner, but a live sibling holds it: an explicit `claim` is needed. */
  | { readonly kind: 'sibling-alive' }
  /** Another owner's: an explicit `claim` is needed. */
  | { readonly kind: 'other' };

/** `former` = liveness of the process that the record names, asked before. */
export function judgeOwnership(record: Owner, mine: Owner, former: Part<OwnerLiveness>): Ownership {
  if (record.uuid === mine.uuid) return sameOwner(record, mine) ? { kind: 'mine' } : { kind: 'other' };
  if (!sameOwner(record, mine)) return { kind: 'other' };
  if (isForTheRun(record, mine)) return { kind: 'reclaim' };
  if (isSibling(record, mine)) {
    const over = former.kind === 'seen' && former.value.state === 'completed';
    return over ? { kind: 'reclaim' } : { kind: 'sibling-alive' };
  }
  const alive = former.kind === 'seen' && former.value.state === 'in-progress';
  return alive && !isEarlierAttempt(record, mine) ? { kind: 'sibling-alive' } : { kind: 'reclaim' };
}

/**
 * How pods are entered that the jobs of this run are to take on: while the run goes on nobody calls them orphans,
 * although the job that entered them is over.
 */
export function forTheRun(of: Owner): Owner {
  return { ...of, job: null, matrix: null, checkRunId: null };
}

/** The first job of the run that asks for such a pod takes it on; from then on it has one job's name. */
export function isForTheRun(record: Owner, mine: Owner): boolean {
  if (record.key === null || mine.key === null || !sameKey(record.key, mine.key)) return false;
  const isNobodys = record.job === null && record.checkRunId === null;
  return isNobodys && mine.job !== null && record.attempt === mine.attempt;
}

/** Another job or matrix leg of the same run and attempt: alive until proven otherwise. */
function isSibling(record: Owner, mine: Owner): boolean {
  if (record.key === null || mine.key === null || !sameKey(record.key, mine.key)) return false;
  return record.attempt === mine.attempt && (record.job !== mine.job || record.matrix !== mine.matrix);
}

function isEarlierAttempt(record: Owner, mine: Owner): boolean {
  return record.attempt !== null && mine.attempt !== null && record.attempt < mine.attempt;
}

/** The label for people; never used to match. */
export function ownerName(of: Owner): string {
  return of.label ?? '(unlabelled)';
}

/** Which job of a run it is, for people. */
export function legName({ key, job, matrix }: Owner): string {
  if (job === null) return key === null ? 'no job of a run' : 'no job yet';
  return matrix === null ? job : `${job} ${matrix.replace(/\s+/g, '')}`;
}

/** The text that names are hashed from: stable across renames, different for every leg. */
export function ownerIdentity(of: Owner): string {
  const key = of.key === null ? ['-', '-', '-'] : [of.key.server, of.key.repositoryId, of.key.runId];
  const plain = of.labelGiven || of.key === null ? [of.label ?? '', of.key === null ? of.uuid : ''] : [];
  return [...key, String(of.attempt ?? '-'), of.job ?? '-', of.matrix ?? '-', ...plain].join('\n');
}
