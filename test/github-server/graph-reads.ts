/** What the queries of the GraphQL schema answer, from real objects. */
import type { ObjectKind, StoredObject } from './objects.ts';
import { GraphRefusal } from './refusals.ts';
import { isEmpty, type Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { type CommitRead, entriesOf, readCommit, type TreeEntry } from './trees.ts';

/** One request: the repository, and how many blobs it has asked for. */
export type Asked = { readonly repository: Repository; blobs: number };

const KINDS: Readonly<Record<ObjectKind, string>> = { blob: 'Blob', tree: 'Tree', commit: 'Commit' };

/** Resolved by field name, so that nothing is read that nobody asked for. */
export type Node = Readonly<Record<string, unknown>>;

function typeOf(mode: string): ObjectKind {
  return mode === '40000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
}

function blobNode(asked: Asked, { oid, body }: StoredObject): Node {
  asked.blobs += 1;
  const limit = asked.repository.switches.blobTextBytes;
  if (asked.blobs > asked.repository.switches.blobsPerQuery) throw new TookTooLong();
  const isBinary = body.includes(0);
  return {
    __typename: KINDS.blob,
    id: `B_${oid}`,
    oid,
    byteSize: body.length,
    isBinary,
    isTruncated: body.length > limit,
    text: isBinary ? null : body.subarray(0, limit).toString('utf8'),
  };
}

/** The whole query is given up, as the real server does after ten seconds. */
export class TookTooLong extends Error {}

function entryNode(asked: Asked, { name, mode, oid }: TreeEntry): Node {
  const type = typeOf(mode);
  return {
    name,
    mode: Number.parseInt(mode, 8),
    type,
    oid,
    object: () => (type === 'commit' ? null : objectNode(asked, oid)),
  };
}

function treeNode(asked: Asked, oid: string): Node {
  return {
    __typename: KINDS.tree,
    id: `T_${oid}`,
    oid,
    entries: async () =>
      (await entriesOf(asked.repository.objects, oid)).map((entry) => entryNode(asked, entry)),
  };
}

async function fileNode(asked: Asked, commit: CommitRead, path: string): Promise<Node | null> {
  const { objects } = asked.repository;
  const names = path.split('/');
  const name = names.pop() ?? '';
  const folder = names.length === 0 ? commit.tree : `${commit.oid}:${names.join('/')}`;
  const entry = (await entriesOf(objects, folder)).find((each) => each.name === name);
  return entry === undefined ? null : entryNode(asked, entry);
}

type HistoryArgs = {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly path?: string | null;
};

async function history(asked: Asked, oid: string, args: HistoryArgs): Promise<Node> {
  const { folder, objects } = asked.repository;
  const first = args.first ?? 0;
  if (first < 1 || first > 100)
    throw new GraphRefusal('EXCESSIVE_PAGINATION', 'Requesting records must be between 1 and 100');
  const from = args.after === undefined || args.after === null ? 0 : Number(args.after.split(' ')[1]) + 1;
  const path = args.path === undefined || args.path === null ? [] : [args.path];
  const list = ['rev-list', `--max-count=${first + 1}`, `--skip=${from}`, oid, '--', ...path];
  const oids = (await runGit(folder, list)).stdout.split('\n').filter((line) => line !== '');
  const commits = await Promise.all(oids.slice(0, first).map((each) => readCommit(objects, each)));
  return {
    nodes: commits.map((commit) => (commit === null ? null : commitNode(asked, commit))),
    pageInfo: { hasNextPage: oids.length > first, endCursor: `${oid} ${from + commits.length - 1}` },
    totalCount: async () =>
      Number((await runGit(folder, ['rev-list', '--count', oid, '--', ...path])).stdout),
  };
}

export function commitNode(asked: Asked, commit: CommitRead): Node {
  const { oid, message } = commit;
  const [headline = '', ...body] = message.split('\n');
  return {
    __typename: KINDS.commit,
    id: `C_${oid}`,
    oid,
    message,
    messageHeadline: headline,
    messageBody: body.join('\n').trim(),
    committedDate: new Date(commit.committedAtS * 1000).toISOString(),
    tree: treeNode(asked, commit.tree),
    file: ({ path }: { path: string }) => fileNode(asked, commit, path),
    history: (args: HistoryArgs) => history(asked, oid, args),
  };
}

async function objectNode(asked: Asked, name: string): Promise<Node | null> {
  const { objects } = asked.repository;
  const read = await objects.read(name);
  if (read === null) return null;
  if (read.kind === 'blob') return blobNode(asked, read);
  if (read.kind === 'tree') return treeNode(asked, read.oid);
  const commit = await readCommit(objects, read.oid);
  return commit === null ? null : commitNode(asked, commit);
}

async function refNode(asked: Asked, name: string): Promise<Node | null> {
  const oid = await asked.repository.refs.seen(name);
  return oid === null ? null : refShown(asked, name, oid);
}

function refShown(asked: Asked, name: string, oid: string): Node {
  const at = name.lastIndexOf('/') + 1;
  return {
    id: `REF_${name}`,
    name: name.slice(at),
    prefix: name.slice(0, at),
    target: () => objectNode(asked, oid),
  };
}

/** In alphabetical order, as git lists them. */
async function refNodes(asked: Asked, args: { refPrefix: string; first?: number | null }): Promise<Node> {
  const { refs, switches } = asked.repository;
  const first = args.first ?? 0;
  if (first < 1 || first > 100)
    throw new GraphRefusal('EXCESSIVE_PAGINATION', 'Requesting records must be between 1 and 100');
  const shown = switches.listsOwnRefs || args.refPrefix.startsWith('refs/heads/');
  const below = shown ? await refs.below(args.refPrefix) : [];
  return {
    nodes: below.slice(0, first).map(({ ref, oid }) => refShown(asked, ref, oid)),
    pageInfo: { hasNextPage: below.length > first, endCursor: null },
    totalCount: below.length,
  };
}

export function repositoryNode(asked: Asked): Node {
  const { repository } = asked;
  return {
    id: repository.nodeId,
    databaseId: repository.id,
    nameWithOwner: repository.name,
    isArchived: repository.switches.archived,
    isEmpty: () => isEmpty(repository),
    ref: ({ qualifiedName }: { qualifiedName: string }) => refNode(asked, qualifiedName),
    refs: (args: { refPrefix: string; first?: number | null }) => refNodes(asked, args),
    object: ({ oid, expression }: { oid?: string; expression?: string }) =>
      objectNode(asked, oid ?? expression ?? ''),
  };
}
