/** One consistent look at both branches of the remote. Unreadable is never empty. */
import { WorldError } from '../../domain/errors.ts';
import { type Parsed, parseSweep } from '../../domain/registry/files.ts';
import { SWEEP_PATH } from '../../domain/registry/layout.ts';
import { branchGone } from '../../domain/registry/read-errors.ts';
import type { SweepState } from '../../domain/registry/sweep.ts';
import { descendsFrom, FIRST_DEPTH } from './depth.ts';
import { wasArchived } from './lineage.ts';
import { type Final, failureOf, judgeRead } from './outcome.ts';
import { type QueueEntry, type QueueRef, queueRefsOf, readEntries } from './queue-refs.ts';
import {
  askQueue,
  askTips,
  fetchRefs,
  QUEUE_PATTERNS,
  type Repository,
  readObjects,
  type Tips,
  tipsOf,
} from './repository.ts';
import { type GitAnswer, ScratchError } from './run-git.ts';
import type { Session } from './session.ts';
import { readTree, type TreeCache } from './tree-cache.ts';
import { withScratch } from './with-scratch.ts';

const READ_TRIES = 3;
const LOOK_TRIES = 8;

export type Look = {
  /** null = the remote has said that there is no registry branch. */
  readonly tree: TreeCache | null;
  readonly queue: readonly QueueEntry[];
  readonly sweep: Parsed<SweepState> | null;
  readonly stateTip: string | null;
  /** Tips that were seen before and are no ancestors of this one. */
  readonly lostTips: readonly string[];
};

function unreadable(session: Session, cameBack: string, final?: Final): WorldError {
  return new WorldError(
    failureOf(final, 'registry-unreadable'),
    {
      tried: `Reading the registry at ${session.remote.place}`,
      cameBack,
      state: 'Nothing was written, and nothing was concluded from what could not be read',
      next: final?.next ?? 'Try again when the host answers; `git ls-remote` shows the same failure',
    },
    { retryable: final === undefined },
  );
}

/** Reads may be repeated freely; what can never work is not. */
async function asked(session: Session, call: () => Promise<GitAnswer>): Promise<GitAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    const text = { exitCode: answer.exitCode, stdout: '', stderr: answer.stderr };
    const outcome = judgeRead(text);
    if (outcome.kind === 'done') return answer;
    if (outcome.kind === 'final') throw unreadable(session, outcome.why, outcome);
    // A branch that went away between two questions: ask the first one again.
    if (/couldn't find remote ref/.test(answer.stderr)) throw new ScratchError('the branch has just gone');
    if (tries >= READ_TRIES) throw unreadable(session, outcome.why);
    await session.clock.sleep(session.backoffMs(tries));
  }
}

async function fetchTips(
  session: Session,
  repository: Repository,
  { tips, queue }: { readonly tips: Tips; readonly queue: readonly QueueRef[] },
): Promise<void> {
  if (repository.borrows) return;
  const { refs, seen, entries } = session;
  const wanted = [
    ...(tips.registry === null || seen.has(tips.registry) ? [] : [refs.registry]),
    ...(tips.state === null || seen.has(tips.state) ? [] : [refs.state]),
    // By pattern: an entry that is folded meanwhile is no error then.
    ...(queue.every(({ oid }) => entries.has(oid)) ? [] : QUEUE_PATTERNS),
  ];
  if (wanted.length === 0) return;
  const depth = seen.size === 0 && session.knowsShallow ? FIRST_DEPTH : [];
  await asked(session, async () => {
    const answer = await fetchRefs(repository, wanted, depth);
    if (depth.length === 0 || !/shallow/.test(answer.stderr)) return answer;
    session.knowsShallow = false;
    return fetchRefs(repository, wanted);
  });
  for (const tip of [tips.registry, tips.state]) if (tip !== null) seen.add(tip);
}

async function readSweep(
  repository: Repository,
  stateTip: string | null,
): Promise<Parsed<SweepState> | null> {
  if (stateTip === null) return null;
  const [text = null] = await readObjects(repository, [`${stateTip}:${SWEEP_PATH}`]);
  if (text !== null) return parseSweep(text);
  const [commit = null] = await readObjects(repository, [stateTip]);
  if (commit === null) throw new ScratchError('the state was replaced meanwhile');
  return { kind: 'damaged', problem: `no ${SWEEP_PATH}` };
}

/** What the present tip must descend from: what this process saw, and what the last sweep saw. */
async function findLost(
  session: Session,
  repository: Repository,
  look: { tip: string; sweep: Look['sweep'] },
) {
  const swept = look.sweep?.kind === 'whole' ? look.sweep.value.registryTip : null;
  for (const tip of new Set([...session.lost, session.lastTip, swept])) {
    if (tip === null) continue;
    const kept =
      (await descendsFrom(repository, { ancestor: tip, tip: look.tip, ref: session.refs.registry })) ||
      (await wasArchived(repository, tip, look.tip));
    if (kept) session.lost.delete(tip);
    else session.lost.add(tip);
  }
  return [...session.lost];
}

type Order = 'queue-first' | 'at-once';

/** null = an entry was folded while it was looked for. */
async function lookOnce(session: Session, order: Order): Promise<Look | null> {
  const repository = await session.open();
  const early = order === 'queue-first' ? await asked(session, () => askQueue(repository)) : null;
  const answer = await asked(session, () => askTips(repository, session.refs));
  const tips = tipsOf(answer, session.refs);
  const listed = [...(early === null ? [] : queueRefsOf(early)), ...queueRefsOf(answer)];
  const refs = [...new Map(listed.map((each) => [each.ref, each])).values()];
  await fetchTips(session, repository, { tips, queue: refs });
  const queue = await readEntries(repository, refs, session.entries);
  if (queue === null) return null;
  const sweep = await readSweep(repository, tips.state);
  if (tips.registry === null) {
    const known = session.lastTip ?? (sweep?.kind === 'whole' ? sweep.value.registryTip : null);
    if (known !== null) throw branchGone(session.remote.place, known);
    return { tree: null, queue: [], sweep, stateTip: tips.state, lostTips: [] };
  }
  const { sha256, remote, refs: names } = session;
  const reading = { repository, sha256, place: remote.place, branch: names.registry };
  const known = session.tree;
  const tree = known?.tip === tips.registry ? known : await readTree(reading, tips.registry, known);
  const lost = await findLost(session, repository, { tip: tips.registry, sweep });
  session.remember(tree);
  session.queue = queue;
  return { tree, queue, sweep, stateTip: tips.state, lostTips: lost };
}

/**
 * A server lists its refs one after the other: a state that was written meanwhile names a tip newer than the one
 * beside it. So a rewind is believed when a second look shows it too.
 */
async function lookTwice(session: Session, order: Order): Promise<Look> {
  const known = new Set(session.lost);
  const first = await lookWhole(session, order);
  return first.lostTips.every((tip) => known.has(tip)) ? first : lookWhole(session, order);
}

async function lookWhole(session: Session, order: Order): Promise<Look> {
  for (let tries = 1; ; tries += 1) {
    const seen = await lookOnce(session, order);
    if (seen !== null) return seen;
    if (tries >= LOOK_TRIES) throw unreadable(session, 'its queue changed faster than it could be read');
  }
}

/**
 * `queue-first` lists what waits before the tips, so that what is folded meanwhile is seen twice and not missed. A
 * writer need not: his lease fails when the branch has moved. Throws WorldError `registry-unreadable`,
 * `registry-newer-schema` or `registry-rewound` (the branch is gone).
 */
export function look(session: Session, order: Order = 'at-once'): Promise<Look> {
  return withScratch(session, () => lookTwice(session, order));
}
