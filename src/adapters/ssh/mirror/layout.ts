/** Where a copy lives and what stands beside it; a pod or a record cannot choose a place outside. */
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, relative, resolve } from 'node:path';
import { ConfigError } from '../../../domain/errors.ts';
import type { PullSpec } from '../../../ports.ts';

export type Layout = {
  /** The promoted copy: a whole tree or nothing. */
  readonly target: string;
  /** Private folder beside it, on the same disk so that promotion is a rename. */
  readonly side: string;
};

function refused(input: string, value: string, cameBack: string): ConfigError {
  return new ConfigError(input, {
    tried: `Use ${value} as the place for artifacts`,
    cameBack,
    state: 'Nothing was pulled and nothing here was changed',
    next: 'Name a folder of its own for the artifacts, for example ./artifacts',
  });
}

function isInside(inner: string, outer: string): boolean {
  const way = relative(outer, inner);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

/** A link to a folder is followed once, here, because it is the caller's own word. */
function settled(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function checkedTarget(path: string): string {
  const target = settled(path);
  if (target === parse(target).root) throw refused('local-path', path, 'it is the root of the disk');
  for (const precious of [process.cwd(), homedir()]) {
    // The whole folder is replaced at each promotion.
    if (isInside(precious, target)) throw refused('local-path', path, `it holds ${precious}`);
  }
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) throw refused('local-path', path, 'it is not a folder');
  if (stat !== undefined && stat.dev !== statSync(dirname(target)).dev) {
    throw refused(
      'local-path',
      path,
      'it is a mount point, which cannot be replaced as a whole; name a folder in it',
    );
  }
  return target;
}

/** The places of one pod's copy. Throws ConfigError for an id or a folder that cannot be one. */
export function layoutOf(root: string, spec: PullSpec): Layout {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(spec.podId)) {
    throw refused('pod id', JSON.stringify(spec.podId), 'it cannot be the name of a folder');
  }
  const target = checkedTarget(spec.localPath ?? join(root, spec.podId));
  return { target, side: join(dirname(target), `.podtrack-${basename(target)}`) };
}

/** Host and process in the name of a folder under work: only what is provably nobody's is taken over. */
function ownMark(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
}

/** A name for what this process alone has to do with, as long as it lives. */
export function ownName(kind: 'incoming' | 'old'): string {
  return `${kind}-${ownMark()}-${process.pid}-${randomBytes(6).toString('hex')}`;
}

/** Whether the process that gave this name ran here and is gone. */
function isNobodys(name: string): boolean {
  const [, host, pid] = /^[a-z]+-([0-9a-f]+)-(\d+)-/.exec(name) ?? [];
  return host === ownMark() && pid !== undefined && !isAlive(Number(pid));
}

/** Copies that were set aside by processes which died before they were done with them. */
export function leftAside(layout: Layout): string[] {
  const names = readdirSync(layout.side).filter((name) => name.startsWith('old-') && isNobodys(name));
  return names.map((name) => join(layout.side, name));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** A fresh folder to pull into. */
export function freshFolder(layout: Layout): string {
  const folder = join(layout.side, ownName('incoming'));
  mkdirSync(folder);
  return folder;
}

/** The last unfinished pull: source for files that need not come twice, never counted as a copy. */
export function unverifiedFolder(layout: Layout): string {
  return join(layout.side, 'unverified');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not ours to read: whoever writes there is told why.
    return [];
  }
}

/** Whether there is neither a copy nor anything that may become one. */
export function isUntouched({ target, side }: Layout): boolean {
  return (
    namesIn(target).length === 0 && !namesIn(side).some((name) => /^(incoming-|old-|unverified$)/.test(name))
  );
}

/**
 * Makes the private folder and mends what a killed process left: a copy set aside without its successor is put back,
 * and an unfinished pull of a process that is gone becomes the `unverified` one.
 */
export function prepare(layout: Layout): void {
  mkdirSync(dirname(layout.target), { recursive: true });
  mkdirSync(layout.side, { recursive: true, mode: 0o700 });
  const names = readdirSync(layout.side);
  const aside = names.find((name) => name.startsWith('old-'));
  if (aside !== undefined && lstatSync(layout.target, { throwIfNoEntry: false }) === undefined) {
    renameSync(join(layout.side, aside), layout.target);
  }
  for (const name of names) {
    if (!name.startsWith('incoming-') || !isNobodys(name)) continue;
    rmSync(unverifiedFolder(layout), { recursive: true, force: true });
    renameSync(join(layout.side, name), unverifiedFolder(layout));
  }
}
