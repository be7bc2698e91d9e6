/** The git plumbing that the store needs, over one scratch repository and one remote. */
import type { FileChange } from '../../domain/registry/commit.ts';
import type { TreeEntryKind } from '../../domain/registry/layout.ts';
import { QUEUE_PREFIXES } from '../../domain/registry/queue-entry.ts';
import { type GitAnswer, runGit, ScratchError } from './run-git.ts';

export type Refs = { readonly registry: string; readonly state: string };

/** Oids of the two branches; null = the remote has said that there is none. */
export type Tips = { readonly registry: string | null; readonly state: string | null };

export type CommitDraft = {
  /** null = a commit without parent. */
  readonly parent: string | null;
  readonly files: readonly FileChange[];
  readonly message: string;
  readonly at: number;
};

export type Repository = {
  readonly url: string;
  readonly folder: string;
  /** Whether the remote's objects are read where they lie: nothing has to be fetched. */
  readonly borrows: boolean;
  /** For calls that stay on this machine. */
  readonly env: Readonly<Record<string, string>>;
  /** For calls that reach the remote. */
  readonly remoteEnv: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};

/** As `ls-remote` and `fetch` take them. */
export const QUEUE_PATTERNS: readonly string[] = QUEUE_PREFIXES.map((prefix) => `${prefix}*`);

const OID = /^[0-9a-f]{40,64}$/;

/** Where fetched tips stand in the scratch repository: a fetch into a ref sends what we have, one without does not. */
const tracked = (ref: string): string => ref.replace(/^refs\//, 'refs/seen/');

async function local(of: Repository, args: readonly string[], input?: string): Promise<GitAnswer> {
  const call = { args, env: of.env, cwd: of.folder, timeoutMs: of.timeoutMs };
  return runGit(input === undefined ? call : { ...call, input });
}

async function wanted(of: Repository, args: readonly string[], input?: string): Promise<Buffer> {
  const answer = await local(of, args, input);
  if (answer.exitCode !== 0)
    throw new ScratchError(`git ${args[0] ?? ''}: ${answer.stderr.trim().slice(0, 200)}`);
  return answer.stdout;
}

export function askTips(of: Repository, refs: Refs): Promise<GitAnswer> {
  const args = ['ls-remote', '--refs', '--', of.url, refs.registry, refs.state, ...QUEUE_PATTERNS];
  return runGit({ args, env: of.remoteEnv, cwd: of.folder, timeoutMs: of.timeoutMs });
}

/** Reads the answer of `askTips`. ls-remote matches by suffix, so names are compared in full. */
export function tipsOf(answer: GitAnswer, refs: Refs): Tips {
  const lines = answer.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\t'));
  const oid = (ref: string): string | null => lines.find(([, name]) => name === ref)?.[0] ?? null;
  return { registry: oid(refs.registry), state: oid(refs.state) };
}

/** For what must be listed before the tips: whoever folds moves both at once. */
export function askQueue(of: Repository): Promise<GitAnswer> {
  const args = ['ls-remote', '--refs', '--', of.url, ...QUEUE_PATTERNS];
  return runGit({ args, env: of.remoteEnv, cwd: of.folder, timeoutMs: of.timeoutMs });
}

/** `depth` is what git calls it: `--depth=…`, `--deepen=…`, `--unshallow`. */
export function fetchRefs(
  of: Repository,
  names: readonly string[],
  depth: readonly string[] = [],
): Promise<GitAnswer> {
  const specs = names.map((name) => `+${name}:${tracked(name)}`);
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...depth, '--', of.url, ...specs];
  return runGit({ args, env: of.remoteEnv, cwd: of.folder, timeoutMs: of.timeoutMs });
}

export type RefMove = {
  readonly ref: string;
  /** null = deleted. */
  readonly oid: string | null;
  /** What it is now; null = it must not exist. */
  readonly lease: string | null;
};

/** All moves or none, where the server can. A lease alone would permit a rewind: build upon it. */
export function pushRefs(of: Repository, moves: readonly RefMove[]): Promise<GitAnswer> {
  const leases = moves.map(({ ref, lease }) => `--force-with-lease=${ref}:${lease ?? ''}`);
  const specs = moves.map(({ ref, oid }) => `${oid ?? ''}:${ref}`);
  const atomic = moves.length > 1 ? ['--atomic'] : [];
  const args = ['push', '--porcelain', '--no-verify', ...atomic, ...leases, '--', of.url, ...specs];
  return runGit({ args, env: of.remoteEnv, cwd: of.folder, timeoutMs: of.timeoutMs });
}

export type TreeEntry = { readonly path: string; readonly oid: string; readonly kind: TreeEntryKind };

const KIND_OF: Readonly<Record<string, TreeEntryKind>> = { '120000': 'link', '160000': 'module' };

/** Everything in a tree but its folders. Throws ScratchError where the commit is not here. */
export async function listTree(of: Repository, commit: string): Promise<readonly TreeEntry[]> {
  const text = (await wanted(of, ['ls-tree', '-r', '-z', '--full-tree', commit])).toString('utf8');
  return text.split('\0').flatMap((line): TreeEntry[] => {
    const [, mode = '', oid = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return path === '' ? [] : [{ path, oid, kind: KIND_OF[mode] ?? 'file' }];
  });
}

/** No file of ours is longer; what is longer is damaged, so its end need not be read. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Contents by name (an oid or `<commit>:<path>`, without line breaks), in one call; null = not there. */
export async function readObjects(
  of: Repository,
  names: readonly string[],
): Promise<readonly (string | null)[]> {
  if (names.length === 0) return [];
  const out = await wanted(of, ['cat-file', '--batch'], `${names.join('\n')}\n`);
  let at = 0;
  return names.map(() => {
    const end = out.indexOf(10, at);
    const head = out.subarray(at, end).toString('utf8');
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(head)?.[1];
    at = end + 1;
    if (size === undefined) return null;
    const text = out.subarray(at, at + Math.min(Number(size), MOST_BYTES)).toString('utf8');
    at += Number(size) + 1;
    return text;
  });
}

/** Commits, newest first, that touched `path`. */
export async function versionsOf(of: Repository, tip: string, path: string): Promise<readonly string[]> {
  const out = await wanted(of, ['rev-list', '--max-count=50', tip, '--', path]);
  return out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** False also where `ancestor` is not here, as in a shallow history: see depth.ts. */
export async function isAncestor(of: Repository, ancestor: string, tip: string): Promise<boolean> {
  if (ancestor === tip) return true;
  if (!OID.test(ancestor)) return false;
  return (await local(of, ['merge-base', '--is-ancestor', ancestor, tip])).exitCode === 0;
}

const bytes = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** A name from somebody else's tree must not end its line: the next one would be a command. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/** Blobs, trees and the commit in one process; nothing refers to them until the push. */
export async function makeCommit(of: Repository, draft: CommitDraft): Promise<string> {
  const seconds = Math.max(0, Math.floor(draft.at / 1000));
  const changes = draft.files.map(({ path, text }) =>
    text === null ? `D ${quoted(path)}\n` : `M 100644 inline ${quoted(path)}\n${bytes(text)}`,
  );
  const script = [
    'commit refs/podtrack/next\nmark :1\n',
    `committer podtrack <podtrack@localhost> ${seconds} +0000\n`,
    bytes(draft.message),
    draft.parent === null ? '' : `from ${draft.parent}\n`,
    ...changes,
    '\nget-mark :1\ndone\n',
  ].join('');
  const out = await wanted(of, ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'], script);
  const oid = out.toString('utf8').trim();
  if (!OID.test(oid)) throw new ScratchError(`git fast-import answered ${oid.slice(0, 60)}`);
  return oid;
}

export type LogEntry = { readonly oid: string; readonly at: number; readonly message: string };

/** Newest first. `grep` is a basic regular expression over message lines. */
export async function readLog(
  of: Repository,
  tip: string,
  want: { readonly grep: string | null; readonly limit: number },
): Promise<readonly LogEntry[]> {
  const filter = want.grep === null ? [] : [`--grep=${want.grep}`];
  const args = ['log', '-z', '--format=%H %ct%n%B', `--max-count=${want.limit}`, ...filter, tip, '--'];
  const out = (await wanted(of, args)).toString('utf8');
  return out.split('\0').flatMap((entry) => {
    const match = /^([0-9a-f]+) (\d+)\n(.*)$/s.exec(entry);
    if (match === null) return [];
    return [{ oid: match[1] ?? '', at: Number(match[2]) * 1000, message: match[3] ?? '' }];
  });
}
