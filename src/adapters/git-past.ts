/** RegistryPast over git: a scratch repository of its own with the whole history, archives included. */
import { WorldError } from '../domain/errors.ts';
import { META_PATH } from '../domain/registry/layout.ts';
import { parseMessage } from '../domain/registry/message.ts';
import type { HistoryEntry, RegistryPast } from '../ports.ts';
import { lineage } from './git-registry/lineage.ts';
import { judgePush, judgeRead } from './git-registry/outcome.ts';
import { type LogEntry, type Repository, readObjects } from './git-registry/repository.ts';
import { type GitAnswer, runGit, ScratchError } from './git-registry/run-git.ts';
import { type GitRegistryOptions, newSession, type Session } from './git-registry/session.ts';
import { withScratch } from './git-registry/with-scratch.ts';
import { writeRefused } from './git-registry/write.ts';

const MOST_VERSIONS = 200;
/** How far a committer's clock may be off before `sinceAt` misses his commit. */
const SKEW_S = 3600;
const OID = /^[0-9a-f]{40,64}$/;

type Opened = { readonly repository: Repository; readonly tips: readonly string[] };

async function local(of: Repository, args: readonly string[], input?: string): Promise<string | null> {
  const { folder: cwd, env, timeoutMs } = of;
  const call = { args, env, cwd, timeoutMs };
  const answer = await runGit(input === undefined ? call : { ...call, input });
  return answer.exitCode === 0 ? answer.stdout.toString('utf8') : null;
}

async function remote(session: Session, of: Repository, args: readonly string[]): Promise<GitAnswer> {
  const { folder: cwd, remoteEnv: env, timeoutMs } = of;
  const answer = await runGit({ args, env, cwd, timeoutMs });
  const outcome = judgeRead({ ...answer, stdout: '' });
  if (outcome.kind === 'done') return answer;
  const told = {
    tried: `Reading the history of the registry at ${session.remote.place}`,
    cameBack: outcome.why,
    state: 'Nothing was written',
    next: outcome.kind === 'final' ? outcome.next : 'Try again when the host answers',
  };
  throw new WorldError('registry-unreadable', told, { retryable: outcome.kind !== 'final' });
}

/** The tip now and what was archived before it; no tips = there is no registry. */
async function open(session: Session): Promise<Opened> {
  const repository = await session.open();
  const { registry } = session.refs;
  const listed = await remote(session, repository, ['ls-remote', '--refs', '--', repository.url, registry]);
  const line = listed.stdout
    .toString('utf8')
    .split('\n')
    .find((each) => each.endsWith(`\t${registry}`));
  const tip = line?.split('\t')[0] ?? '';
  if (!OID.test(tip)) return { repository, tips: [] };
  if (!repository.borrows) {
    const spec = `+${registry}:refs/seen/past`;
    const how = ['--quiet', '--no-tags', '--no-write-fetch-head'];
    await remote(session, repository, ['fetch', ...how, '--', repository.url, spec]);
  }
  return { repository, tips: await lineage(repository, tip) };
}

type LogWish = { readonly from: string; readonly limit: number; readonly more: readonly string[] };

/** Newest first. */
async function logOf(of: Repository, { from, limit, more }: LogWish): Promise<readonly LogEntry[]> {
  const args = ['log', '-z', '--format=%H %ct%n%B', `--max-count=${limit}`, ...more, from, '--'];
  const out = await local(of, args);
  if (out === null) throw new ScratchError('git log');
  return out.split('\0').flatMap((entry) => {
    const match = /^([0-9a-f]+) (\d+)\n(.*)$/s.exec(entry);
    if (match === null) return [];
    return [{ oid: match[1] ?? '', at: Number(match[2]) * 1000, message: match[3] ?? '' }];
  });
}

const entryOf = ({ oid, at, message }: LogEntry): HistoryEntry => ({
  version: oid,
  at,
  ...parseMessage(message),
});

type LogFilter = Parameters<RegistryPast['log']>[0];

async function log(session: Session, { pod, sinceAt, limit }: LogFilter): Promise<readonly HistoryEntry[]> {
  const { repository, tips } = await open(session);
  const key = pod === undefined || pod.includes('.') ? pod : `runpod.${pod}`;
  const more = [
    ...(key === undefined ? [] : [`--grep=^Podtrack-Pod: ${key.replace(/[^A-Za-z0-9_-]/g, '[$&]')}$`]),
    ...(sinceAt === undefined ? [] : [`--since=@${Math.floor(sinceAt / 1000) - SKEW_S}`]),
  ];
  const newest: HistoryEntry[] = [];
  for (const from of tips) {
    if (newest.length >= limit) break;
    newest.push(...(await logOf(repository, { from, limit: limit - newest.length, more })).map(entryOf));
  }
  const isWanted = ({ at, trailers }: HistoryEntry): boolean =>
    at >= (sinceAt ?? Number.NEGATIVE_INFINITY) &&
    (key === undefined || trailers.some(([name, value]) => name === 'Podtrack-Pod' && value === key));
  return newest.filter(isWanted).reverse();
}

async function belongs({ repository, tips }: Opened, oid: string): Promise<boolean> {
  for (const tip of tips) {
    if ((await local(repository, ['merge-base', '--is-ancestor', oid, tip])) !== null) return true;
  }
  return false;
}

async function commit(session: Session, id: string): Promise<HistoryEntry | null> {
  if (!/^[0-9a-f]{4,64}$/.test(id)) return null;
  const opened = await open(session);
  const found = await local(opened.repository, ['rev-parse', '--verify', '--quiet', `${id}^{commit}`]);
  const oid = found?.trim() ?? '';
  if (!OID.test(oid) || !(await belongs(opened, oid))) return null;
  const [entry] = await logOf(opened.repository, { from: oid, limit: 1, more: [] });
  return entry === undefined ? null : entryOf(entry);
}

async function versions(
  session: Session,
  path: string,
  version: string,
): Promise<readonly (string | null)[]> {
  const { repository, tips } = await open(session);
  const texts: (string | null)[] = [];
  let from: string | null = version;
  // Where the chain of `version` begins with a compaction, the file's life goes on in the archive before it.
  for (const before of [...(await lineage(repository, version)).slice(1), null]) {
    if (from === null || texts.length >= MOST_VERSIONS || tips.length === 0) break;
    const args = ['rev-list', `--max-count=${MOST_VERSIONS - texts.length}`, from, '--', path];
    const commits: string[] = ((await local(repository, args)) ?? '')
      .split('\n')
      .filter((line) => line !== '');
    texts.push(
      ...(await readObjects(
        repository,
        commits.map((each) => `${each}:${path}`),
      )),
    );
    from = before;
  }
  return texts;
}

async function files(session: Session, prefix: string): Promise<ReadonlyMap<string, string>> {
  const { repository, tips } = await open(session);
  const [tip] = tips;
  if (tip === undefined) return new Map();
  const listed = (await local(repository, ['ls-tree', '-r', '-z', '--full-tree', tip, '--', prefix])) ?? '';
  const names = listed.split('\0').flatMap((line): [string, string][] => {
    const match = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s.exec(line);
    return match === null ? [] : [[match[2] ?? '', match[1] ?? '']];
  });
  const texts = await readObjects(
    repository,
    names.map(([, oid]) => oid),
  );
  return new Map(names.map(([path], index) => [path, texts[index] ?? '']));
}

const bytes = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** The tree of the old tip with another meta.json, as a commit without parent. */
async function makeRoot(of: Repository, wish: CompactWish, at: number): Promise<string> {
  const tree = (await local(of, ['rev-parse', '--verify', '--quiet', `${wish.tip}^{tree}`]))?.trim() ?? '';
  if (!OID.test(tree)) throw new ScratchError(`the tree of ${wish.tip} is not here`);
  const script = [
    'commit refs/podtrack/compact\nmark :1\n',
    `committer podtrack <podtrack@localhost> ${Math.max(0, Math.floor(at / 1000))} +0000\n`,
    bytes(wish.message),
    `M 040000 ${tree} ""\n`,
    `M 100644 inline ${META_PATH}\n${bytes(wish.meta)}`,
    '\nget-mark :1\ndone\n',
  ].join('');
  const args = ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'];
  const oid = ((await local(of, args, script)) ?? '').trim();
  if (!OID.test(oid)) throw new ScratchError('git fast-import made no commit');
  return oid;
}

type CompactWish = Parameters<RegistryPast['compact']>[0];

async function compact(session: Session, wish: CompactWish): ReturnType<RegistryPast['compact']> {
  const { repository, tips } = await open(session);
  if (tips[0] !== wish.tip) return { kind: 'lost-race' };
  const { registry } = session.refs;
  const root = await makeRoot(repository, wish, session.clock.now());
  const leases = [`--force-with-lease=${registry}:${wish.tip}`, `--force-with-lease=${wish.archive}:`];
  const moves = [`${root}:${registry}`, `${wish.tip}:${wish.archive}`];
  const args = ['push', '--porcelain', '--no-verify', '--atomic', ...leases, '--', repository.url, ...moves];
  const { folder: cwd, remoteEnv: env, timeoutMs } = repository;
  const answer = await runGit({ args, env, cwd, timeoutMs });
  const outcome = judgePush({ ...answer, stdout: answer.stdout.toString('utf8') }, registry);
  if (outcome.kind === 'done') return { kind: 'done', version: root };
  // Whatever the answer was: both refs have moved, or neither has.
  const now = await open(session);
  if (now.tips[0] !== undefined && (await belongs({ ...now, tips: [now.tips[0]] }, root)))
    return { kind: 'done', version: root };
  if (outcome.kind === 'final') throw writeRefused(session, outcome);
  return { kind: 'lost-race' };
}

/** Over the same remote as the store, but never its scratch repository: this one holds everything. */
export function gitPast(options: GitRegistryOptions): RegistryPast {
  const session = newSession(options);
  const asked = <T>(work: () => Promise<T>): Promise<T> => withScratch(session, work);
  return {
    place: session.remote.place,
    log: (filter) => asked(() => log(session, filter)),
    commit: (id) => asked(() => commit(session, id)),
    versions: (path, version) => asked(() => versions(session, path, version)),
    files: (prefix) => asked(() => files(session, prefix)),
    compact: (wish) => asked(() => compact(session, wish)),
  };
}
