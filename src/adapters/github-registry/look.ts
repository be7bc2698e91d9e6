/** One consistent look at both branches. Unreadable is never empty, and what a lagging replica shows is not believed at once. */
import { z } from 'zod';
import { type Parsed, parseSweep } from '../../domain/registry/files.ts';
import { SWEEP_PATH } from '../../domain/registry/layout.ts';
import { branchGone } from '../../domain/registry/read-errors.ts';
import type { SweepState } from '../../domain/registry/sweep.ts';
import { findLost } from './ancestry.ts';
import { blobText, settled } from './ask.ts';
import { judge, type Outcome } from './outcome.ts';
import { READ, readShape, type StateTip } from './queries.ts';
import { type QueueEntry, readEntries } from './queue-refs.ts';
import { named, type Session } from './session.ts';
import { readTree, type TreeCache } from './tree.ts';
import { unreadable } from './trouble.ts';

export type Look = {
  /** null = GitHub has said that there is no registry branch. */
  readonly tree: TreeCache | null;
  readonly queue: readonly QueueEntry[];
  readonly sweep: Parsed<SweepState> | null;
  readonly stateTip: string | null;
  /** Tips that were seen before and are no ancestors of this one. */
  readonly lostTips: readonly string[];
  /** The newest commits of the branch, newest first. */
  readonly recent: readonly { readonly oid: string; readonly message: string }[];
  /** The repository has no commit at all. */
  readonly bare: boolean;
};

/** Reads after a write may lag: pauses before what they show is believed. */
export const LAG_MS = [500, 1000, 2000] as const;

const renamed = z.looseObject({ full_name: z.string().regex(/^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/) });

/** REST follows a rename that GraphQL does not know. */
async function findNewName(session: Session): Promise<string | null> {
  const moved = await settled(session, () => session.api.rest('GET', `/repos/${session.name}`));
  if (moved.kind !== 'moved') return null;
  const id = /\/repositories\/(\d+)$/.exec(moved.to)?.[1];
  if (id === undefined) return null;
  const there = await settled(session, () => session.api.rest('GET', `/repositories/${id}`));
  const read = there.kind === 'done' ? renamed.safeParse(there.body) : null;
  return read?.success === true && read.data.full_name !== session.name ? read.data.full_name : null;
}

async function readBoth(session: Session): Promise<Outcome> {
  const ask = (texts: boolean) => () =>
    session.api.graphql(READ, { ...named(session), ...session.refs, texts });
  if (session.takesWhole && session.tree === null) {
    const whole = judge(await ask(true)(), session.clock.now());
    if (['done', 'final', 'unsupported'].includes(whole.kind)) return whole;
    // Too much for one answer, as far as one can tell: names first, then the files in parts.
    if (whole.kind === 'ambiguous') session.takesWhole = false;
  }
  const first = await settled(session, ask(false));
  if (first.kind !== 'missing') return first;
  const name = await findNewName(session);
  if (name === null) return first;
  session.name = name;
  return settled(session, ask(false));
}

type Both = z.infer<typeof readShape>['repository'];

async function both(session: Session): Promise<Both> {
  const outcome = await readBoth(session);
  if (outcome.kind !== 'done') throw unreadable(session.place, outcome);
  const read = z.object({ data: readShape }).safeParse(outcome.body);
  if (read.success) return read.data.data.repository;
  throw unreadable(session.place, {
    kind: 'ambiguous',
    why: 'the branch was not answered in the shape that was asked for',
  });
}

async function readSweep(session: Session, state: StateTip | undefined): Promise<Parsed<SweepState> | null> {
  if (state === undefined) return null;
  const blob = state.sweep?.object ?? null;
  if (state.sweep === null || blob === null) return { kind: 'damaged', problem: `no ${SWEEP_PATH}` };
  const cut = blob.isTruncated || blob.text === null;
  return parseSweep(cut ? await blobText(session, state.sweep.oid) : (blob.text ?? ''));
}

/** A second witness for "there is no branch": REST, which also tells an empty repository. */
async function absence(session: Session): Promise<'none' | 'bare' | 'there'> {
  const path = `/repos/${session.name}/git/ref/heads/${session.branch}`;
  const outcome = await settled(session, () => session.api.rest('GET', path));
  if (outcome.kind === 'missing') return 'none';
  if (outcome.kind === 'empty') return 'bare';
  if (outcome.kind === 'done') return 'there';
  throw unreadable(session.place, outcome);
}

type Doubted = { readonly look: Look; readonly doubt: boolean; readonly gone: string | null };

function sweptTip(sweep: Parsed<SweepState> | null): string | null {
  return sweep?.kind === 'whole' ? sweep.value.registryTip : null;
}

async function lookOnce(session: Session): Promise<Doubted> {
  const known = new Set(session.lost);
  const { id, registry, state, queue: own, spare } = await both(session);
  session.nodeId = id;
  const sweep = await readSweep(session, state?.target);
  const stateTip = state?.target.oid ?? null;
  if (registry === null) {
    const gone = session.lastTip ?? sweptTip(sweep);
    const said = await absence(session);
    const look = { tree: null, queue: [], sweep, stateTip, lostTips: [], recent: [], bare: said === 'bare' };
    return { look, doubt: said === 'there' || gone !== null, gone };
  }
  const queue = await readEntries(session, [...own.nodes, ...spare.nodes]);
  const tip = registry.target;
  const tree = session.tree?.tip === tip.oid ? session.tree : await readTree(session, tip);
  const lostTips = await findLost(session, tip, sweptTip(sweep));
  const { rewoundTip } = tree.state.meta.acknowledged;
  const doubt = lostTips.some((lost) => lost !== rewoundTip && !known.has(lost));
  return {
    look: { tree, queue, sweep, stateTip, lostTips, recent: tip.history.nodes, bare: false },
    doubt,
    gone: null,
  };
}

/** Throws WorldError `registry-unreadable`, `registry-newer-schema` or `registry-rewound` (the branch is gone). */
export async function look(session: Session): Promise<Look> {
  const known = new Set(session.lost);
  let seen = await lookOnce(session);
  for (const pauseMs of LAG_MS) {
    if (!seen.doubt) break;
    await session.clock.sleep(pauseMs);
    // What only a lagging replica has called lost is asked about again.
    for (const tip of session.lost) if (!known.has(tip)) session.lost.delete(tip);
    seen = await lookOnce(session);
  }
  if (seen.gone !== null) throw branchGone(session.place, seen.gone);
  const { tree } = seen.look;
  if (tree === null && seen.doubt)
    throw unreadable(session.place, {
      kind: 'lost-race',
      why: 'two answers disagree whether the branch exists',
    });
  if (tree !== null) {
    session.tree = tree;
    session.queue = seen.look.queue;
    session.lastTip = tree.tip;
  }
  return seen.look;
}
