/** How much of the branch's history is here: at first its newest commits, and more when a question needs it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchRefs, isAncestor, type Repository } from './repository.ts';
import { ScratchError } from './run-git.ts';

/** A sweep is seldom older than this many commits, so that one fetch answers the rewind check too. */
const AT_FIRST = 50;
const NEXT = 500;

/** Git keeps the boundary of a shallow repository in this file, and has none when the history is whole. */
const isShallow = (of: Repository): boolean => existsSync(join(of.folder, 'shallow'));

/** What the first fetch of a scratch repository asks for. */
export const FIRST_DEPTH: readonly string[] = [`--depth=${AT_FIRST}`];

/** Throws ScratchError. */
async function fetchMore(of: Repository, ref: string, more: string): Promise<void> {
  const answer = await fetchRefs(of, [ref], [more]);
  if (answer.exitCode !== 0)
    throw new ScratchError(`git fetch ${more}: ${answer.stderr.trim().slice(0, 200)}`);
}

/** Everything below `ref`: for questions about the past. Throws ScratchError. */
export async function fetchWhole(of: Repository, ref: string): Promise<void> {
  if (isShallow(of)) await fetchMore(of, ref, '--unshallow');
}

/**
 * Whether `tip` descends from `ancestor`. "No" is said of the whole history only: a shallow one is deepened until it
 * answers yes or nothing is left to fetch. Throws ScratchError.
 */
export async function descendsFrom(
  of: Repository,
  question: { readonly ancestor: string; readonly tip: string; readonly ref: string },
): Promise<boolean> {
  const { ancestor, tip, ref } = question;
  for (const more of [`--deepen=${NEXT}`, '--unshallow']) {
    if (await isAncestor(of, ancestor, tip)) return true;
    if (!isShallow(of)) return false;
    await fetchMore(of, ref, more);
  }
  return isAncestor(of, ancestor, tip);
}
