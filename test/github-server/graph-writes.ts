/** What the mutations do: one commit on a branch by its expected head, and many refs at once by their old oids. */
import { type Asked, commitNode, type Node } from './graph-reads.ts';
import { GraphRefusal, guardedGraph } from './refusals.ts';
import { isGuarded } from './repository.ts';
import { runGit } from './run-git.ts';
import { changeTree, entriesOf, readCommit, type TreeChange, writeCommit } from './trees.ts';

export type CommitInput = {
  readonly branch: { readonly repositoryNameWithOwner?: string; readonly branchName?: string };
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly expectedHeadOid: string;
  readonly fileChanges?: {
    readonly additions?: readonly { readonly path: string; readonly contents: string }[] | null;
    readonly deletions?: readonly { readonly path: string }[] | null;
  };
};

const BROKEN = 'Something went wrong while executing your query.';

function stale(expected: string): GraphRefusal {
  return new GraphRefusal(
    'STALE_DATA',
    `Expected branch to point to "${expected}" but it did not.  Pull and try again.`,
  );
}

async function changesOf(asked: Asked, input: CommitInput): Promise<readonly TreeChange[]> {
  const { objects } = asked.repository;
  const { additions = [], deletions = [] } = input.fileChanges ?? {};
  // A null list passes the schema and breaks later, on the real server too.
  if (additions === null || deletions === null) throw new GraphRefusal('INTERNAL', BROKEN);
  for (const { path } of deletions) {
    const folder = path.includes('/') ? `:${path.slice(0, path.lastIndexOf('/'))}` : '';
    const name = path.slice(path.lastIndexOf('/') + 1);
    const entries = await entriesOf(objects, `${input.expectedHeadOid}${folder}`);
    if (!entries.some((entry) => entry.name === name)) {
      throw new GraphRefusal(
        'UNPROCESSABLE',
        `A path was requested for deletion which does not exist as of commit oid \`${input.expectedHeadOid}\``,
      );
    }
  }
  return [
    ...additions.map(({ path, contents }) => ({
      path,
      mode: '100644',
      oid: objects.write('blob', Buffer.from(contents, 'base64')),
    })),
    ...deletions.map(({ path }) => ({ path, mode: '100644', oid: null })),
  ];
}

export async function createCommitOnBranch(asked: Asked, input: CommitInput): Promise<Node> {
  const { repository } = asked;
  const ref = `refs/heads/${input.branch.branchName ?? ''}`;
  const head = await repository.refs.now(ref);
  if (head === null) {
    throw new GraphRefusal('NOT_FOUND', `No such branch '${input.branch.branchName}'`);
  }
  const how = isGuarded(repository, ref);
  if (how !== null) throw guardedGraph(how);
  if (head !== input.expectedHeadOid) throw stale(input.expectedHeadOid);
  const tree = await changeTree(repository.objects, `${head}^{tree}`, await changesOf(asked, input));
  const { headline, body } = input.message;
  const message = body ? `${headline}\n\n${body}` : headline;
  const oid = writeCommit(repository.objects, { tree, parents: [head], message, at: repository.now() });
  if ((await repository.refs.move([{ ref, before: head, after: oid }])) !== null) {
    throw stale(input.expectedHeadOid);
  }
  const made = await readCommit(repository.objects, oid);
  return { clientMutationId: null, commit: made === null ? null : commitNode(asked, made) };
}

export type RefsInput = {
  readonly repositoryId: string;
  readonly refUpdates: readonly {
    readonly name: string;
    readonly beforeOid?: string | null;
    readonly afterOid: string;
    readonly force?: boolean | null;
  }[];
};

const orNull = (oid: string): string | null => (/^0+$/.test(oid) ? null : oid);

export async function updateRefs(asked: Asked, input: RefsInput): Promise<Node> {
  const { repository } = asked;
  if (input.repositoryId !== repository.nodeId) {
    throw new GraphRefusal(
      'NOT_FOUND',
      `Could not resolve to a node with the global id of '${input.repositoryId}'.`,
    );
  }
  for (const { name, afterOid, force } of input.refUpdates) {
    const how = isGuarded(repository, name);
    if (how !== null) throw guardedGraph(how);
    const old = await repository.refs.now(name);
    if (force === true || old === null || orNull(afterOid) === null) continue;
    const { exitCode } = await runGit(repository.folder, ['merge-base', '--is-ancestor', old, afterOid]);
    if (exitCode !== 0) throw new GraphRefusal('UNPROCESSABLE', 'Reference cannot be updated');
  }
  const said = await repository.refs.move(
    input.refUpdates.map(({ name, beforeOid, afterOid }) => ({
      ref: name,
      before: beforeOid === undefined || beforeOid === null ? undefined : orNull(beforeOid),
      after: orNull(afterOid),
    })),
  );
  // Which error the real server gives here is not published: nothing may rest on its words.
  if (said !== null) throw new GraphRefusal('UNPROCESSABLE', said.replace(/^fatal: [\w -]+: /, ''));
  return { clientMutationId: null };
}
