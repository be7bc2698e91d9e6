/** What one commit writes: the files that changed, and the message that says why. */
import { ATTRIBUTES, dashboard } from './dashboard.ts';
import { metaText, recordText } from './files.ts';
import { ATTRIBUTES_PATH, isPodPath, META_PATH, podPath, README_PATH, type Sha256 } from './layout.ts';
import { ledgerRows } from './ledger.ts';
import { commitMessage } from './message.ts';
import type { RegistryEvent } from './ops.ts';
import type { RefusedLate } from './queue.ts';
import type { RegistryState } from './state.ts';

/** `text: null` removes the file. */
export type FileChange = { readonly path: string; readonly text: string | null };

export type PlannedCommit = {
  readonly state: RegistryState;
  readonly files: readonly FileChange[];
  readonly message: string;
};

export type CommitWish = {
  readonly before: RegistryState;
  readonly after: RegistryState;
  readonly events: readonly RegistryEvent[];
  readonly now: number;
  /** The file's text in the tree that is built upon; null = there is none. */
  readonly textOf: (path: string) => string | null;
  readonly sha256: Sha256;
  /** The subject of a commit without events. */
  readonly what?: string;
  /** Ops that leave the queue without effect: told in the history. */
  readonly refused?: readonly RefusedLate[];
};

/** The subject where nothing that waited had an effect. */
const REFUSED_LATE = 'drop what waited in vain';

/** Ledger files that the commit will append to: their text must be at hand in `textOf`. */
export function ledgerPathsOf(wish: Pick<CommitWish, 'events' | 'after'>): readonly string[] {
  return [...new Set(ledgerRows(wish.events, wish.after).map((row) => row.path))];
}

/** Records are compared by identity: `apply` copies what it changes and nothing else. */
function podChanges(wish: CommitWish): FileChange[] {
  const { before, after, textOf, sha256 } = wish;
  const written = Object.keys(after.pods).flatMap((key): FileChange[] => {
    const record = after.pods[key];
    if (record === undefined || before.pods[key] === record) return [];
    const path = podPath(key, sha256);
    return [{ path, text: recordText(record, textOf(path)) }];
  });
  const removed = Object.keys(before.pods)
    .filter((key) => after.pods[key] === undefined)
    .map((key) => ({ path: podPath(key, sha256), text: null }));
  return [...written, ...removed, ...discarded(wish, new Set(written.map(({ path }) => path)))];
}

/** A damaged file that no longer counts is taken out of the tree; what it said stays in the history. */
function discarded({ before, after }: CommitWish, written: ReadonlySet<string>): FileChange[] {
  const kept = new Set(after.quarantined.map(({ path }) => path));
  return before.quarantined
    .filter(({ path }) => isPodPath(path) && !kept.has(path) && !written.has(path))
    .map(({ path }) => ({ path, text: null }));
}

function ledgerChanges({ events, after, textOf }: CommitWish): FileChange[] {
  const texts = new Map<string, string>();
  for (const { path, line, unless } of ledgerRows(events, after)) {
    const before = texts.get(path) ?? textOf(path) ?? '';
    if (unless === undefined || !before.includes(unless)) texts.set(path, before + line);
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}

/** seq counts commits; updatedAt never runs backwards, whatever a writer's clock says. */
export function planCommit(wish: CommitWish): PlannedCommit {
  const { before, after, events, now, textOf } = wish;
  const meta = {
    ...after.meta,
    seq: before.meta.seq + 1,
    updatedAt: Math.max(now, before.meta.updatedAt),
  };
  const state = { ...after, meta };
  const what = wish.what ?? (events.length === 0 ? REFUSED_LATE : null);
  const readme = dashboard(state);
  const files: FileChange[] = [
    { path: META_PATH, text: metaText(meta, textOf(META_PATH)) },
    ...podChanges(wish),
    ...ledgerChanges(wish),
    ...(textOf(README_PATH) === readme ? [] : [{ path: README_PATH, text: readme }]),
    ...(textOf(ATTRIBUTES_PATH) === null ? [{ path: ATTRIBUTES_PATH, text: ATTRIBUTES }] : []),
  ];
  return { state, files, message: commitMessage(events, meta.seq, what, wish.refused) };
}
