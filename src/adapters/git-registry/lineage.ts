/** The branch and what was archived before it: a chain of tips, each accepted by trailer, archive ref and records. */
import { ARCHIVE_PREFIX, type Compaction, readCompaction } from '../../domain/registry/compaction.ts';
import { isAncestor, type Repository } from './repository.ts';
import { runGit, ScratchError } from './run-git.ts';

const MOST_EPOCHS = 1000;

async function local(of: Repository, args: readonly string[]): Promise<string | null> {
  const { folder: cwd, env, timeoutMs } = of;
  const answer = await runGit({ args, env, cwd, timeoutMs });
  return answer.exitCode === 0 ? answer.stdout.toString('utf8') : null;
}

async function remote(of: Repository, args: readonly string[]): Promise<string> {
  const { folder: cwd, remoteEnv: env, timeoutMs } = of;
  const answer = await runGit({ args, env, cwd, timeoutMs });
  if (answer.exitCode !== 0)
    throw new ScratchError(`git ${args[0] ?? ''}: ${answer.stderr.trim().slice(0, 200)}`);
  return answer.stdout.toString('utf8');
}

/** The commit without parent that `tip` descends from, and what its message says; null = none, or several. */
async function beginning(of: Repository, tip: string): Promise<(Compaction & { root: string }) | null> {
  const roots = (await local(of, ['rev-list', '--max-parents=0', tip, '--']))?.trim().split('\n') ?? [];
  const [root = ''] = roots;
  if (roots.length !== 1 || root === '') return null;
  const said = readCompaction((await local(of, ['log', '-1', '--format=%B', root, '--'])) ?? '');
  return said === null ? null : { ...said, root };
}

/** The archive ref must stand where the trailer says, at this very remote. */
async function archived(of: Repository, { epoch, previous }: Compaction): Promise<boolean> {
  const ref = `${ARCHIVE_PREFIX}${epoch}`;
  const listed = await remote(of, ['ls-remote', '--refs', '--', of.url, ref]);
  if (!listed.split('\n').includes(`${previous}\t${ref}`)) return false;
  if (of.borrows) return true;
  const spec = `+${ref}:refs/seen/archive/${epoch}`;
  await remote(of, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', of.url, spec]);
  return true;
}

/** A compaction changes no record: one that drops or adds some is somebody's rewrite. */
async function sameRecords(of: Repository, left: string, right: string): Promise<boolean> {
  const folder = (commit: string): Promise<string | null> =>
    local(of, ['rev-parse', '--verify', '--quiet', `${commit}:pods`]);
  const [one, other] = await Promise.all([folder(left), folder(right)]);
  return one === other;
}

/** `tip`, then the archived tips before it, newest first. */
export async function lineage(of: Repository, tip: string): Promise<readonly string[]> {
  const tips = [tip];
  for (let last = tip, epoch = Number.POSITIVE_INFINITY; tips.length < MOST_EPOCHS; ) {
    const said = await beginning(of, last);
    if (said === null || said.epoch >= epoch) return tips;
    if (!(await archived(of, said)) || !(await sameRecords(of, said.root, said.previous))) return tips;
    tips.push(said.previous);
    last = said.previous;
    epoch = said.epoch;
  }
  return tips;
}

/** Whether `lost` lies in what compactions have archived before `tip`. */
export async function wasArchived(of: Repository, lost: string, tip: string): Promise<boolean> {
  for (const before of (await lineage(of, tip)).slice(1)) {
    if (await isAncestor(of, lost, before)) return true;
  }
  return false;
}
