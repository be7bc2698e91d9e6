/** Lock files that a killed push left in a repository on this machine: nobody is alive who would take them away. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { QUEUE_PREFIXES } from '../../domain/registry/queue-entry.ts';
import { parseRemote } from './place.ts';
import type { Session } from './session.ts';

/** git holds a lock of a ref for milliseconds, and waits at most a second for one. */
const STALE_MS = 10_000;

function removeIfStale(path: string): boolean {
  const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  // By the clock that dates files, whatever clock the store waits by.
  if (changedAt === undefined || Date.now() - changedAt < STALE_MS) return false;
  rmSync(path, { force: true });
  return true;
}

function locksIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join(folder, name));
}

/** True = one was there and is gone. Over a network nothing can be told, and nothing is touched. */
export function dropStaleLocks({ remote, refs }: Session): boolean {
  const { objects } = parseRemote(remote.url);
  if (objects === null) return false;
  const repository = dirname(objects);
  const ours = [refs.registry, refs.state, 'packed-refs'].map((name) => join(repository, `${name}.lock`));
  const queued = QUEUE_PREFIXES.flatMap((prefix) => locksIn(join(repository, prefix)));
  return [...ours, ...queued].map(removeIfStale).includes(true);
}
