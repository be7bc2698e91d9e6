/** The compare-and-swap loop: read, apply again, commit; an unclear answer is looked for before anything is repeated. */
import { WorldError } from '../../domain/errors.ts';
import { backoffMs, triesOf } from '../../domain/registry/backoff.ts';
import { ledgerPathsOf, type PlannedCommit, planCommit } from '../../domain/registry/commit.ts';
import { ATTRIBUTES_PATH } from '../../domain/registry/layout.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import { type AppliedUponQueue, applyUponQueue } from '../../domain/registry/queue.ts';
import { foreignRegistry } from '../../domain/registry/read-errors.ts';
import { emptyRegistry, type RegistryState } from '../../domain/registry/state.ts';
import { isReadOnly } from '../../domain/registry/view.ts';
import type { Submitted } from '../../ports.ts';
import { blobText, query } from './ask.ts';
import { commit, type Made } from './commit.ts';
import { findLanded, type Maybe } from './landed.ts';
import { type Look, look } from './look.ts';
import { FILE, fileShape } from './queries.ts';
import type { QueueEntry } from './queue-refs.ts';
import { parkFor } from './quota.ts';
import type { Session } from './session.ts';
import { advance, type TreeCache } from './tree.ts';
import { gaveUp, writeRefused } from './trouble.ts';

const PATIENCE_MS = 120_000;
/** A refusal may rest on a replica that lags: it is asked once more after this. */
const SECOND_THOUGHT_MS = 500;

export type Wish = {
  readonly ops: readonly RegistryOp[];
  /** The subject of a commit that is made even if no op applies; null = no such commit. */
  readonly proof: string | null;
};

type Base = {
  readonly tree: TreeCache | null;
  readonly state: RegistryState;
  readonly applied: AppliedUponQueue<QueueEntry>;
  /** null = decided on what was known, without a look. */
  readonly look: Look | null;
};

type Failed = Exclude<Made, { kind: 'made' }>;
type Try = { readonly kind: 'ended'; readonly submitted: Submitted } | Failed;

function baseOf(session: Session, seen: Look | null, ops: readonly RegistryOp[]): Base {
  const tree = seen === null ? session.tree : seen.tree;
  const state = tree?.state ?? emptyRegistry(session.newRegistryId, session.repository, session.clock.now());
  if (isReadOnly(state.meta, session.repository, ops)) throw foreignRegistry(session.place);
  const queue = tree === null ? [] : (seen?.queue ?? session.queue);
  const applied = applyUponQueue(state, queue, { ops, now: session.clock.now() });
  return { tree, state, applied, look: seen };
}

const isRefused = ({ applied }: Base): boolean => applied.results.some(({ kind }) => kind === 'refused');

/** What is known is enough to write upon: the head that is expected tells if it is stale. A refusal needs a fresh look. */
async function currentBase(session: Session, { ops, proof }: Wish, fresh: boolean): Promise<Base> {
  const asks = ops.length > 0 || proof !== null;
  if (!fresh && asks && session.tree !== null) {
    const base = baseOf(session, null, ops);
    if (base.applied.results.every((result) => result.kind === 'applied')) return base;
  }
  const first = baseOf(session, await look(session), ops);
  if (!isRefused(first)) return first;
  await session.clock.sleep(SECOND_THOUGHT_MS);
  return baseOf(session, await look(session), ops);
}

async function fileText(session: Session, expression: string): Promise<string | null> {
  const { repository } = await query(session, FILE, { expression }, fileShape);
  const { object } = repository;
  if (object === null) return null;
  return object.isTruncated || object.text === null ? blobText(session, object.oid) : object.text;
}

/** Texts of the tree that the commit builds upon. The dashboard is always written anew. */
async function textsOf(session: Session, { tree, applied }: Base) {
  if (tree === null) return () => null;
  const paths = tree.paths.has('ledger')
    ? ledgerPathsOf({ events: applied.events, after: applied.state })
    : [];
  const ledgers = new Map<string, string | null>();
  for (const path of paths) ledgers.set(path, await fileText(session, `${tree.tip}:${path}`));
  return (path: string): string | null => {
    if (path === ATTRIBUTES_PATH) return tree.paths.has(path) ? '' : null;
    return tree.files.get(path)?.text ?? ledgers.get(path) ?? null;
  };
}

async function plan(session: Session, base: Base, proof: string | null): Promise<PlannedCommit> {
  const { state: before, applied } = base;
  const wish = {
    before,
    after: applied.state,
    events: applied.events,
    refused: applied.refused,
    now: session.clock.now(),
    textOf: await textsOf(session, base),
    sha256: session.sha256,
  };
  return planCommit(proof === null || applied.events.length > 0 ? wish : { ...wish, what: proof });
}

async function alreadyThere(
  session: Session,
  base: Base,
  maybes: readonly Maybe[],
): Promise<Submitted | null> {
  if (maybes.length === 0 || base.look === null) return null;
  const landed = await findLanded(session, base.look, maybes);
  if (landed === null) return null;
  session.hasWritten = true;
  return { state: base.state, version: base.tree?.tip ?? null, results: landed.results };
}

async function tryOnce(session: Session, wish: Wish, maybes: Maybe[], fresh: boolean): Promise<Try> {
  const base = await currentBase(session, wish, fresh);
  const already = await alreadyThere(session, base, maybes);
  if (already !== null) return { kind: 'ended', submitted: already };
  const { tree, applied } = base;
  const { results, done } = applied;
  if (!applied.changes && wish.proof === null)
    return { kind: 'ended', submitted: { state: applied.state, version: tree?.tip ?? null, results } };
  const { files, message, state } = await plan(session, base, wish.proof);
  const made = await commit(session, tree, { files, message, done });
  if (made.kind !== 'made') {
    maybes.push({ base: tree?.tip ?? null, message, results });
    return made;
  }
  session.tree = advance(session, tree, { ...made, files, state });
  session.queue = session.queue.filter((entry) => !done.includes(entry));
  session.lastTip = made.tip;
  session.hasWritten = true;
  return { kind: 'ended', submitted: { state, version: made.tip, results } };
}

/** "Not found" is what GitHub says to a token that may read and not write; once, it may also be a rename. */
function isHopeless(outcome: Failed, tries: number): boolean {
  if (outcome.kind === 'final' || outcome.kind === 'empty' || outcome.kind === 'unsupported') return true;
  return outcome.kind === 'missing' && tries > 1;
}

/** After the last try the branch is read once more: an unclear commit has mostly landed. */
async function lastLook(session: Session, wish: Wish, maybes: readonly Maybe[]): Promise<Submitted | null> {
  return alreadyThere(session, baseOf(session, await look(session), wish.ops), maybes);
}

/** Waits for the reset where what is left is the reaper's. Throws `rate-limited` where that is too long a wait. */
async function park(session: Session, startedAt: number): Promise<void> {
  if (session.hurry) return;
  const now = session.clock.now();
  const needs = session.knowsMutations ? (['graphql'] as const) : (['graphql', 'rest'] as const);
  const parked = parkFor(session.quotas, needs, { now, random: session.random() });
  if (parked === null) return;
  const { waitMs, why } = parked;
  if (now + waitMs - startedAt > PATIENCE_MS)
    throw gaveUp(session.place, { kind: 'limited', why, waitMs }, 0);
  session.notice(`waiting ${Math.ceil(waitMs / 1000)} s for ${session.place}: ${why}`);
  await session.clock.sleep(waitMs);
}

async function loop(session: Session, wish: Wish, maybes: Maybe[]): Promise<Submitted> {
  const startedAt = session.clock.now();
  for (let tries = 1; ; tries += 1) {
    await park(session, startedAt);
    const outcome = await tryOnce(session, wish, maybes, tries > 1);
    if (outcome.kind === 'ended') return outcome.submitted;
    if (isHopeless(outcome, tries)) throw writeRefused(session.place, outcome);
    const askedMs = outcome.kind === 'limited' ? outcome.waitMs : 0;
    const waitMs = askedMs + backoffMs(tries, session.random(), session.hurry);
    if (tries >= triesOf(session.hurry, wish.ops) || session.clock.now() + waitMs - startedAt > PATIENCE_MS) {
      const late = outcome.kind === 'limited' ? null : await lastLook(session, wish, maybes);
      if (late !== null) return late;
      throw gaveUp(session.place, outcome, tries);
    }
    await session.clock.sleep(waitMs);
  }
}

const UNCLEAR = 'Whether an earlier try was written is unknown; the same keys may be sent again';

/** A failed read after an unclear commit leaves the outcome unknown, not the registry unreadable. */
function unclear(session: Session, error: unknown, tries: number): unknown {
  if (!(error instanceof WorldError)) return error;
  // A credential that died in between: another one may go on with the same keys.
  if (error.failure === 'unauthorized')
    return new WorldError('unauthorized', { ...error.told, state: UNCLEAR });
  if (error.failure !== 'registry-unreadable') return error;
  return gaveUp(session.place, { kind: 'ambiguous', why: error.told.cameBack }, tries);
}

/**
 * Commits what applies of `wish.ops` as one commit. Throws WorldError `write-refused` (at once), `conflict`,
 * `rate-limited` or `outcome-unknown` (after 6 tries or 120 s), and what `look` throws.
 */
export async function write(session: Session, wish: Wish): Promise<Submitted> {
  const maybes: Maybe[] = [];
  try {
    return await loop(session, wish, maybes);
  } catch (error) {
    throw maybes.length === 0 ? error : unclear(session, error, maybes.length);
  }
}
