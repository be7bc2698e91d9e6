/** The REST routes that read: refs, trees, commits, blobs, contents, comparisons, runs. */
import { emptyRepository, notFound, type Reply, refusal } from './refusals.ts';
import { isEmpty, type Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { entriesOf, readCommit, type TreeEntry } from './trees.ts';

export type Call = {
  readonly repository: Repository;
  /** What the route's pattern caught. */
  readonly caught: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
};

const ok = (body: unknown): Reply => ({ status: 200, body });

export function refBody(ref: string, sha: string): unknown {
  return { ref, node_id: `REF_${ref}`, object: { type: 'commit', sha } };
}

export async function getRepository({ repository }: Call): Promise<Reply> {
  const [owner = '', name = ''] = repository.name.split('/');
  return ok({
    id: repository.id,
    node_id: repository.nodeId,
    name,
    full_name: repository.name,
    owner: { login: owner },
    private: true,
    archived: repository.switches.archived,
    default_branch: 'main',
  });
}

export async function getRef({ repository, caught }: Call): Promise<Reply> {
  const ref = `refs/${caught[0] ?? ''}`;
  if (await isEmpty(repository)) return emptyRepository();
  const oid = await repository.refs.seen(ref);
  return oid === null ? notFound() : ok(refBody(ref, oid));
}

export async function matchingRefs({ repository, caught }: Call): Promise<Reply> {
  if (await isEmpty(repository)) return emptyRepository();
  const refs = await repository.refs.below(`refs/${caught[0] ?? ''}`);
  return ok(refs.map(({ ref, oid }) => refBody(ref, oid)));
}

async function treeRows(repository: Repository, tree: string, deep: boolean, below = ''): Promise<unknown[]> {
  const rows = await Promise.all(
    (await entriesOf(repository.objects, tree)).map(async ({ name, mode, oid }: TreeEntry) => {
      const folder = mode === '40000';
      const row = {
        path: below + name,
        mode: mode.padStart(6, '0'),
        type: folder ? 'tree' : mode === '160000' ? 'commit' : 'blob',
        sha: oid,
      };
      return folder && deep ? [row, ...(await treeRows(repository, oid, deep, `${below}${name}/`))] : [row];
    }),
  );
  return rows.flat();
}

export async function getTree({ repository, caught, query }: Call): Promise<Reply> {
  const read = await repository.objects.read(`${caught[0] ?? ''}^{tree}`);
  if (read === null) return notFound();
  const tree = await treeRows(repository, read.oid, query.has('recursive'));
  return ok({ sha: read.oid, tree, truncated: false });
}

export async function getCommit({ repository, caught }: Call): Promise<Reply> {
  const commit = await readCommit(repository.objects, caught[0] ?? '');
  if (commit === null) return notFound();
  return ok({
    sha: commit.oid,
    message: commit.message,
    tree: { sha: commit.tree },
    parents: commit.parents.map((sha) => ({ sha })),
    committer: { name: 'GitHub', date: new Date(commit.committedAtS * 1000).toISOString() },
  });
}

export async function getBlob({ repository, caught }: Call): Promise<Reply> {
  const read = await repository.objects.read(caught[0] ?? '');
  if (read === null || read.kind !== 'blob') return notFound();
  return ok({
    sha: read.oid,
    size: read.body.length,
    encoding: 'base64',
    content: read.body.toString('base64').replace(/.{60}/g, '$&\n'),
  });
}

export async function getContents({ repository, caught, query }: Call): Promise<Reply> {
  const ref = query.get('ref') ?? 'main';
  const oid = (await repository.refs.seen(`refs/heads/${ref}`)) ?? ref;
  const path = decodeURIComponent(caught[0] ?? '');
  const read = await repository.objects.read(`${oid}:${path}`);
  if (read?.kind === 'tree') {
    const rows = await entriesOf(repository.objects, read.oid);
    const type = (mode: string): string => (mode === '40000' ? 'dir' : 'file');
    return ok(
      rows.map(({ name, mode, oid: sha }) => ({ type: type(mode), name, sha, path: `${path}/${name}` })),
    );
  }
  if (read === null || read.kind !== 'blob') return notFound();
  const content = read.body.toString('base64');
  return ok({ type: 'file', encoding: 'base64', size: read.body.length, sha: read.oid, content });
}

export async function compare({ repository, caught }: Call): Promise<Reply> {
  const [base = '', head = ''] = caught;
  const known = await Promise.all([base, head].map((each) => readCommit(repository.objects, each)));
  if (known.some((commit) => commit === null)) return notFound();
  const merge = await runGit(repository.folder, ['merge-base', base, head]);
  if (merge.exitCode !== 0) return refusal(404, `No common ancestor between ${base} and ${head}.`);
  const args = ['rev-list', '--left-right', '--count', `${base}...${head}`];
  const [behind = 0, ahead = 0] = (await runGit(repository.folder, args)).stdout.split('\t').map(Number);
  const status = ahead === 0 ? (behind === 0 ? 'identical' : 'behind') : behind === 0 ? 'ahead' : 'diverged';
  const sha = merge.stdout.trim();
  return ok({
    status,
    ahead_by: ahead,
    behind_by: behind,
    merge_base_commit: { sha },
    commits: [],
    files: [],
  });
}

export async function rateLimit({ repository }: Call): Promise<Reply> {
  const { rest, graphql } = repository.switches;
  const told = ({ limit, used, resetAt }: typeof rest): unknown => ({
    limit,
    used,
    remaining: limit - used,
    reset: Math.ceil(resetAt / 1000),
  });
  return ok({ resources: { core: told(rest), graphql: told(graphql) }, rate: told(rest) });
}
