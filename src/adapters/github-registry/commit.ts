/** The two ways to put a commit on the registry branch, and the one way to start it. */
import type { FileChange } from '../../domain/registry/commit.ts';
import { META_PATH } from '../../domain/registry/layout.ts';
import type { Answer } from '../github-api.ts';
import { judge, type Outcome } from './outcome.ts';
import { COMMIT, committed, madeSha } from './queries.ts';
import { dropRefs, moveRefs, type QueueEntry } from './queue-refs.ts';
import type { Session } from './session.ts';
import type { TreeCache } from './tree.ts';

export type Draft = {
  readonly files: readonly FileChange[];
  readonly message: string;
  /** Entries of the queue that the commit took up. */
  readonly done?: readonly QueueEntry[];
};

export type Made =
  | { readonly kind: 'made'; readonly tip: string; readonly tree: string }
  | Exclude<Outcome, { kind: 'done' }>;

const FOREIGN_SHAPE = {
  kind: 'ambiguous',
  why: 'the answer is not of the shape that was asked for',
} as const;

async function ask(session: Session, call: Promise<Answer>): Promise<Outcome> {
  return judge(await call, session.clock.now());
}

/** Only paths that are there: GitHub refuses a commit that removes another one. */
function removable(draft: Draft, base: TreeCache): readonly { readonly path: string }[] {
  return draft.files.flatMap(({ path, text }) => (text === null && base.paths.has(path) ? [{ path }] : []));
}

/** GitHub compares the branch's head with `expectedHeadOid`, signs the commit and names the token's owner as author. */
async function byMutation(session: Session, base: TreeCache, draft: Draft): Promise<Made> {
  const [headline = '', ...body] = draft.message.split('\n');
  const additions = draft.files.flatMap(({ path, text }) =>
    text === null ? [] : [{ path, contents: Buffer.from(text).toString('base64') }],
  );
  const deletions = removable(draft, base);
  const input = {
    branch: { repositoryNameWithOwner: session.name, branchName: session.branch },
    message: { headline, body: body.join('\n').trim() },
    expectedHeadOid: base.tip,
    fileChanges: { additions, ...(deletions.length === 0 ? {} : { deletions }) },
  };
  const outcome = await ask(session, session.api.graphql(COMMIT, { input }));
  if (outcome.kind !== 'done') return outcome;
  const read = committed.safeParse(outcome.body);
  if (!read.success) return FOREIGN_SHAPE;
  const { oid, tree } = read.data.data.createCommitOnBranch.commit;
  return { kind: 'made', tip: oid, tree: tree.oid };
}

type Sha = { readonly kind: 'sha'; readonly sha: string } | Exclude<Outcome, { kind: 'done' }>;

async function post(session: Session, path: string, body: Readonly<Record<string, unknown>>): Promise<Sha> {
  const outcome = await ask(session, session.api.rest('POST', `/repos/${session.name}/git/${path}`, body));
  if (outcome.kind !== 'done') return outcome;
  const read = madeSha.safeParse(outcome.body);
  return read.success ? { kind: 'sha', sha: read.data.sha } : FOREIGN_SHAPE;
}

/** Tree and commit; nothing refers to them until a ref moves. No author: GitHub signs for the token's owner. */
export async function makeCommit(session: Session, draft: Draft, base: TreeCache | null): Promise<Made> {
  const removed = base === null ? [] : removable(draft, base);
  const file = { mode: '100644', type: 'blob' };
  const entries = [
    ...draft.files.flatMap(({ path, text }) => (text === null ? [] : [{ ...file, path, content: text }])),
    ...removed.map(({ path }) => ({ ...file, path, sha: null })),
  ];
  const tree = await post(session, 'trees', {
    tree: entries,
    ...(base === null ? {} : { base_tree: base.tree }),
  });
  if (tree.kind !== 'sha') return tree;
  const parents = base === null ? [] : [base.tip];
  const commit = await post(session, 'commits', { message: draft.message, tree: tree.sha, parents });
  return commit.kind === 'sha' ? { kind: 'made', tip: commit.sha, tree: tree.sha } : commit;
}

/** A step that is no fast-forward is refused, so the parent is the lease. */
async function byGitData(session: Session, base: TreeCache, draft: Draft): Promise<Made> {
  const made = await makeCommit(session, draft, base);
  if (made.kind !== 'made') return made;
  const path = `/repos/${session.name}/git/refs/heads/${session.branch}`;
  const outcome = await ask(session, session.api.rest('PATCH', path, { sha: made.tip, force: false }));
  return outcome.kind === 'done' ? made : outcome;
}

/** A commit without parent, and a ref that must not exist yet: of two who start a registry, one wins. */
async function startBranch(session: Session, draft: Draft): Promise<Made> {
  const made = await makeCommit(session, draft, null);
  if (made.kind === 'empty') return startRepository(session, draft, made);
  if (made.kind !== 'made') return made;
  const path = `/repos/${session.name}/git/refs`;
  const body = { ref: session.refs.registry, sha: made.tip };
  const outcome = await ask(session, session.api.rest('POST', path, body));
  return outcome.kind === 'done' ? made : outcome;
}

/**
 * A repository without any commit takes no git data, only a first file: meta.json alone is a whole registry that
 * holds no pod. The commit proper is made upon it by the next try.
 */
async function startRepository(
  session: Session,
  draft: Draft,
  empty: Extract<Outcome, { kind: 'empty' }>,
): Promise<Made> {
  const meta = draft.files.find(({ path }) => path === META_PATH)?.text ?? '';
  const outcome = await ask(
    session,
    session.api.rest('PUT', `/repos/${session.name}/contents/${META_PATH}`, {
      branch: session.branch,
      message: 'start the registry\n\n[skip ci]\n',
      content: Buffer.from(meta).toString('base64'),
    }),
  );
  if (outcome.kind === 'done')
    return { kind: 'lost-race', why: 'the repository was empty and has its first commit now' };
  return outcome.kind === 'missing' ? empty : outcome;
}

/** The branch and what it took up from the queue, in one step of GitHub's. */
async function withQueue(session: Session, base: TreeCache, draft: Draft): Promise<Made> {
  const made = await makeCommit(session, draft, base);
  if (made.kind !== 'made') return made;
  const branch = { ref: session.refs.registry, before: base.tip, after: made.tip, force: false };
  const taken = (draft.done ?? []).map(({ ref, oid }) => ({ ref, before: oid, after: null, force: false }));
  const outcome = await moveRefs(session, [branch, ...taken]);
  return outcome.kind === 'done' ? made : outcome;
}

async function branchAlone(session: Session, base: TreeCache, draft: Draft): Promise<Made> {
  if (!session.knowsMutations) return byGitData(session, base, draft);
  const made = await byMutation(session, base, draft);
  if (made.kind !== 'unsupported') return made;
  session.knowsMutations = false;
  return byGitData(session, base, draft);
}

/** Answers that come of contention; every other may mean that such refs are not moved together. */
const CONTENDED = new Set(['made', 'lost-race', 'locked', 'limited']);

/** One commit upon `base`, or the registry's first one; entries that it took up leave the queue with it. */
export async function commit(session: Session, base: TreeCache | null, draft: Draft): Promise<Made> {
  if (base === null) return startBranch(session, draft);
  const taken = draft.done ?? [];
  if (taken.length > 0 && session.foldsAtOnce && session.knowsMutations && session.nodeId !== null) {
    const made = await withQueue(session, base, draft);
    if (CONTENDED.has(made.kind)) return made;
    session.foldsAtOnce = false;
    if (made.kind === 'ambiguous') return made;
  }
  const made = await branchAlone(session, base, draft);
  if (made.kind === 'made') await dropRefs(session, taken);
  return made;
}
