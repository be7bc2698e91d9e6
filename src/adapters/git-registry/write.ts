/** The compare-and-swap loop: read, apply again, push; an unclear answer is read back before anything is repeated. */
import { WorldError } from '../../domain/errors.ts';
import { ledgerPathsOf, type PlannedCommit, planCommit } from '../../domain/registry/commit.ts';
import { ATTRIBUTES_PATH } from '../../domain/registry/layout.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import { type AppliedUponQueue, applyUponQueue } from '../../domain/registry/queue.ts';
import { foreignRegistry } from '../../domain/registry/read-errors.ts';
import { emptyRegistry, type RegistryState } from '../../domain/registry/state.ts';
import { isReadOnly } from '../../domain/registry/view.ts';
import type { Submitted } from '../../ports.ts';
import { look } from './look.ts';
import { type Final, failureOf, type GitOutcome, judgePush } from './outcome.ts';
import type { QueueEntry } from './queue-refs.ts';
import { isAncestor, makeCommit, pushRefs, type RefMove, readObjects } from './repository.ts';
import type { Session } from './session.ts';
import { dropStaleLocks } from './stale-locks.ts';
import { advance, type TreeCache } from './tree-cache.ts';
import { withScratch } from './with-scratch.ts';

const PATIENCE_MS = 120_000;

export type Wish = {
  readonly ops: readonly RegistryOp[];
  /** The subject of a commit that is made even if no op applies; null = no such commit. */
  readonly proof: string | null;
};

/**
 * A push that may stand in the branch whatever its answer says: curl sends a request again whose connection died,
 * and the second one then loses the race against the first.
 */
type Applied = AppliedUponQueue<QueueEntry>;
type Maybe = { readonly oid: string; readonly results: Applied['results'] };

type Try = { readonly kind: 'ended'; readonly submitted: Submitted } | Exclude<GitOutcome, { kind: 'done' }>;

/** Texts of the tree that the commit builds upon. The dashboard is always written anew. */
async function textsOf(session: Session, tree: TreeCache | null, applied: Applied) {
  if (tree === null) return () => null;
  const paths = ledgerPathsOf({ events: applied.events, after: applied.state }).filter((path) =>
    tree.paths.has(path),
  );
  const texts = await readObjects(
    await session.open(),
    paths.map((path) => `${tree.tip}:${path}`),
  );
  const ledgers = new Map(paths.map((path, index) => [path, texts[index] ?? null]));
  return (path: string): string | null => {
    if (path === ATTRIBUTES_PATH) return tree.paths.has(path) ? '' : null;
    return tree.files.get(path)?.text ?? ledgers.get(path) ?? null;
  };
}

async function plan(
  session: Session,
  base: Base,
  applied: Applied,
  proof: string | null,
): Promise<PlannedCommit> {
  const wish = {
    before: base.state,
    after: applied.state,
    events: applied.events,
    now: session.clock.now(),
    refused: applied.refused,
    textOf: await textsOf(session, base.tree, applied),
    sha256: session.sha256,
  };
  return planCommit(proof === null || applied.events.length > 0 ? wish : { ...wish, what: proof });
}

type Base = { readonly tree: TreeCache | null; readonly state: RegistryState };

function baseOf(session: Session, tree: TreeCache | null, ops: readonly RegistryOp[]): Base {
  const state = tree?.state ?? emptyRegistry(session.newRegistryId, session.repository, session.clock.now());
  if (isReadOnly(state.meta, session.repository, ops)) throw foreignRegistry(session.remote.place);
  return { tree, state };
}

function applyTo(session: Session, { tree, state }: Base, ops: Wish['ops']): Applied {
  const entries = tree === null ? [] : session.queue;
  return applyUponQueue(state, entries, { ops, now: session.clock.now() });
}

/** What is known is enough to write upon: the push itself finds out if it is stale. A refusal needs a fresh look. */
async function currentBase(session: Session, wish: Wish, fresh: boolean): Promise<[Base, Applied]> {
  const asks = wish.ops.length > 0 || wish.proof !== null;
  if (!fresh && asks && session.tree !== null) {
    const base = baseOf(session, session.tree, wish.ops);
    const applied = applyTo(session, base, wish.ops);
    if (applied.results.every((result) => result.kind === 'applied')) return [base, applied];
  }
  const base = baseOf(session, (await look(session)).tree, wish.ops);
  return [base, applyTo(session, base, wish.ops)];
}

async function landed(session: Session, maybes: readonly Maybe[]): Promise<Submitted | null> {
  const tree = session.tree;
  if (tree === null) return null;
  const repository = await session.open();
  for (const { oid, results } of maybes) {
    if (await isAncestor(repository, oid, tree.tip)) return { state: tree.state, version: tree.tip, results };
  }
  return null;
}

/** The branch and what it took up from the queue move together; where the server cannot, keys drop what stays. */
async function push(session: Session, branch: RefMove, done: readonly QueueEntry[]): Promise<GitOutcome> {
  const repository = await session.open();
  const { ref } = branch;
  const taken = done.map((entry) => ({ ref: entry.ref, oid: null, lease: entry.oid }));
  const together = session.knowsAtomic ? [branch, ...taken] : [branch];
  const answer = await pushRefs(repository, together);
  if (together.length > 1 && /does not support --atomic/.test(answer.stderr)) {
    session.knowsAtomic = false;
    return push(session, branch, done);
  }
  const outcome = judgePush({ ...answer, stdout: answer.stdout.toString('utf8') }, ref);
  if (outcome.kind === 'done' && !session.knowsAtomic && taken.length > 0) await pushRefs(repository, taken);
  return outcome;
}

async function tryOnce(session: Session, wish: Wish, maybes: Maybe[], fresh: boolean): Promise<Try> {
  const [base, applied] = await currentBase(session, wish, fresh);
  const already = maybes.length === 0 ? null : await landed(session, maybes);
  if (already !== null) return { kind: 'ended', submitted: already };
  const lease = base.tree?.tip ?? null;
  const { results, done } = applied;
  if (!applied.changes && wish.proof === null)
    return { kind: 'ended', submitted: { state: applied.state, version: lease, results } };
  const planned = await plan(session, base, applied, wish.proof);
  const repository = await session.open();
  const draft = { parent: lease, files: planned.files, message: planned.message, at: session.clock.now() };
  const oid = await makeCommit(repository, draft);
  const outcome = await push(session, { ref: session.refs.registry, oid, lease }, done);
  if (outcome.kind !== 'done') {
    maybes.push({ oid, results });
    return outcome;
  }
  const { state, files } = planned;
  session.seen.add(oid);
  session.remember(advance({ before: base.tree, sha256: session.sha256 }, { tip: oid, files, state }));
  session.queue = session.queue.filter((entry) => !done.includes(entry));
  session.hasWritten = true;
  return { kind: 'ended', submitted: { state, version: oid, results } };
}

export function writeRefused(session: Session, outcome: Final): WorldError {
  return new WorldError(failureOf(outcome, 'write-refused'), {
    tried: `Writing to the registry at ${session.remote.place}`,
    cameBack: outcome.why,
    state: 'Nothing was written, and trying again as is would not help',
    next: outcome.next,
  });
}

function nextOf(last: { readonly kind: string }): string {
  switch (last.kind) {
    case 'locked':
      return 'A lock file of a dead push may lie in the repository: its administrator must remove it';
    case 'limited':
      return 'Try again in some minutes; register-many and fewer writers at once keep within the limits';
    default:
      return 'Send the same operations again; their keys keep them from being doubled';
  }
}

export function gaveUp(
  session: Session,
  last: Exclude<Try, { kind: 'ended' | 'final' }>,
  tries: number,
): WorldError {
  const unclear = last.kind === 'ambiguous';
  const failure = unclear ? 'outcome-unknown' : last.kind === 'limited' ? 'rate-limited' : 'conflict';
  return new WorldError(
    failure,
    {
      tried: `Writing to the registry at ${session.remote.place}, ${tries} times`,
      cameBack: last.why,
      state: unclear
        ? 'Whether the last try was written is unknown; the same keys may be sent again'
        : 'Nothing was written',
      next: nextOf(last),
    },
    { retryable: true },
  );
}

/** After the last try the branch is read once more: an unclear push has mostly landed. */
async function lastLook(session: Session, maybes: readonly Maybe[]): Promise<Submitted | null> {
  await look(session);
  return landed(session, maybes);
}

const UNCLEAR = 'Whether an earlier try was written is unknown; the same keys may be sent again';

/** A failed read after an unclear push leaves the outcome unknown, not the registry unreadable. */
function unclear(session: Session, error: unknown, tries: number): unknown {
  if (!(error instanceof WorldError)) return error;
  // A credential that died in between: another one may go on with the same keys.
  if (error.failure === 'unauthorized')
    return new WorldError('unauthorized', { ...error.told, state: UNCLEAR });
  if (error.failure !== 'registry-unreadable') return error;
  return gaveUp(session, { kind: 'ambiguous', why: error.told.cameBack }, tries);
}

async function loop(session: Session, wish: Wish, maybes: Maybe[]): Promise<Submitted> {
  const startedAt = session.clock.now();
  for (let tries = 1; ; tries += 1) {
    const outcome = await withScratch(session, () => tryOnce(session, wish, maybes, tries > 1));
    if (outcome.kind === 'ended') return outcome.submitted;
    if (outcome.kind === 'final') throw writeRefused(session, outcome);
    if (outcome.kind === 'locked') dropStaleLocks(session);
    const askedMs = outcome.kind === 'limited' ? outcome.waitMs : 0;
    const waitMs = askedMs + session.backoffMs(tries);
    if (tries >= session.triesOf(wish.ops) || session.clock.now() + waitMs - startedAt > PATIENCE_MS) {
      const late = await lastLook(session, maybes);
      if (late !== null) return late;
      throw gaveUp(session, outcome, tries);
    }
    await session.clock.sleep(waitMs);
  }
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
