/** The queue folded into the state: what waits counts as if it were committed, and leaves the queue with a commit. */
import { type AppliedAll, applyAll } from './apply.ts';
import type { Parsed } from './files.ts';
import type { RegistryEvent, RegistryOp } from './ops.ts';
import { isOverdue, type Queued } from './queue-entry.ts';
import type { RegistryState } from './state.ts';

/** One entry as a store has read it. */
export type Waiting = { readonly id: string; readonly parsed: Parsed<Queued> };

/** An op that left the queue without effect; null = the entry could not be read at all. */
export type RefusedLate = {
  readonly id: string;
  readonly op: RegistryOp | null;
  readonly because: string;
};

export type Fold<W extends Waiting> = {
  readonly state: RegistryState;
  readonly events: readonly RegistryEvent[];
  /** Entries that leave the queue with the commit. */
  readonly done: readonly W[];
  readonly refused: readonly RefusedLate[];
  /** Entries that cannot be read and are not overdue: what they say is unknown. */
  readonly unreadable: readonly { readonly id: string; readonly problem: string }[];
};

/** More would make commit messages that forges may cut. */
const OPS_PER_COMMIT = 100;

function problemOf({ parsed }: Waiting, registryId: string): string | null {
  if (parsed.kind === 'newer') return `written by a podtrack of schema ${parsed.version}`;
  if (parsed.kind === 'damaged') return parsed.problem;
  return parsed.value.registryId === registryId ? null : 'it belongs to another registry';
}

/**
 * Applies the entries, oldest first. An entry leaves when one of its ops applied or had been applied before, or when
 * it is overdue; one that is refused as a whole may only have come too early, and waits. `limit` null = all of them.
 */
export function fold<W extends Waiting>(
  before: RegistryState,
  entries: readonly W[],
  wish: { readonly now: number; readonly limit: number | null },
): Fold<W> {
  const limit = wish.limit ?? Number.POSITIVE_INFINITY;
  let state = before;
  const events: RegistryEvent[] = [];
  const done: W[] = [];
  const refused: RefusedLate[] = [];
  const unreadable: { id: string; problem: string }[] = [];
  for (const entry of entries.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    const { id, parsed } = entry;
    const overdue = isOverdue(id, wish.now);
    const problem = problemOf(entry, before.meta.registryId);
    if (problem !== null || parsed.kind !== 'whole') {
      if (!overdue) unreadable.push({ id, problem: problem ?? 'unreadable' });
      else if (done.length < limit) {
        done.push(entry);
        refused.push({ id, op: null, because: problem ?? 'unreadable' });
      }
      continue;
    }
    const applied = applyAll(state, parsed.value.ops);
    if (!overdue && applied.results.every(({ kind }) => kind === 'refused')) continue;
    if (events.length > 0 && events.length + applied.events.length > limit) break;
    state = applied.state;
    done.push(entry);
    events.push(...applied.events.map((event) => ({ ...event, detail: { ...event.detail, queued: id } })));
    for (const [index, result] of applied.results.entries()) {
      const op = parsed.value.ops[index] ?? null;
      if (result.kind === 'refused') refused.push({ id, op, because: result.because });
    }
  }
  return { state, events, done, refused, unreadable };
}

/** What one commit takes along. */
export function foldSome<W extends Waiting>(
  state: RegistryState,
  entries: readonly W[],
  now: number,
): Fold<W> {
  return fold(state, entries, { now, limit: OPS_PER_COMMIT });
}

/** What a reader sees. */
export function foldAll<W extends Waiting>(
  state: RegistryState,
  entries: readonly W[],
  now: number,
): Fold<W> {
  return fold(state, entries, { now, limit: null });
}

export type AppliedUponQueue<W extends Waiting> = Pick<Fold<W>, 'state' | 'events' | 'done' | 'refused'> & {
  /** Of the writer's own ops, in order. */
  readonly results: AppliedAll['results'];
  /** Whether a commit is worth making: nobody's refusal carries the queue along. */
  readonly changes: boolean;
};

/** What one commit does: first what waits, then the writer's own ops upon it. Without own ops only the former. */
export function applyUponQueue<W extends Waiting>(
  before: RegistryState,
  entries: readonly W[],
  wish: { readonly ops: readonly RegistryOp[]; readonly now: number },
): AppliedUponQueue<W> {
  const { state: folded, events, done, refused } = foldSome(before, entries, wish.now);
  const own = applyAll(folded, wish.ops);
  const changes = own.events.length > 0 || (wish.ops.length === 0 && done.length > 0);
  return {
    state: own.state,
    events: [...events, ...own.events],
    done,
    refused,
    results: own.results,
    changes,
  };
}

/** What becomes of ops that go into the queue: only what applies as things stand goes there. */
export function planQueue(
  before: RegistryState,
  entries: readonly Waiting[],
  wish: { readonly ops: readonly RegistryOp[]; readonly now: number },
) {
  const { state, results } = applyAll(foldAll(before, entries, wish.now).state, wish.ops);
  return {
    state,
    ops: wish.ops.filter((_, index) => results[index]?.kind === 'applied'),
    results: results.map((result) =>
      result.kind === 'applied' ? ({ kind: 'queued', event: result.event } as const) : result,
    ),
  };
}
