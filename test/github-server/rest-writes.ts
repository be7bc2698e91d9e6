/** The REST routes that write: blobs, trees, commits, refs, contents. */
import { z } from 'zod';
import { emptyRepository, guardedRest, type Reply, refusal } from './refusals.ts';
import { isEmpty, isGuarded, type Repository } from './repository.ts';
import { type Call, refBody } from './rest-reads.ts';
import { runGit } from './run-git.ts';
import { changeTree, readCommit, writeCommit } from './trees.ts';

const made = (body: unknown): Reply => ({ status: 201, body });

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const blobBody = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });
const treeBody = z.object({
  base_tree: z.string().optional(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string().optional(),
      sha: sha.nullable().optional(),
      content: z.string().optional(),
    }),
  ),
});
const commitBody = z.object({ message: z.string(), tree: sha, parents: z.array(sha).default([]) });
const newRefBody = z.object({ ref: z.string(), sha });
const moveBody = z.object({ sha, force: z.boolean().default(false) });
const contentsBody = z.object({
  message: z.string(),
  content: z.string(),
  sha: sha.optional(),
  branch: z.string().default('main'),
});

export async function postBlob({ repository, body }: Call): Promise<Reply> {
  if (await isEmpty(repository)) return emptyRepository();
  const { content, encoding } = blobBody.parse(body);
  return made({ sha: repository.objects.write('blob', Buffer.from(content, encoding)) });
}

export async function postTree({ repository, body }: Call): Promise<Reply> {
  if (await isEmpty(repository)) return emptyRepository();
  const { base_tree: base, tree } = treeBody.parse(body);
  if (base !== undefined && (await repository.objects.read(`${base}^{tree}`)) === null)
    return refusal(422, 'base_tree is not a valid tree oid');
  const changes = tree.map(({ path, mode, sha: oid, content }) => ({
    path,
    mode,
    oid: content === undefined ? (oid ?? null) : repository.objects.write('blob', Buffer.from(content)),
  }));
  return made({ sha: await changeTree(repository.objects, base ?? null, changes), truncated: false });
}

export async function postCommit({ repository, body }: Call): Promise<Reply> {
  if (await isEmpty(repository)) return emptyRepository();
  const { message, tree, parents } = commitBody.parse(body);
  if ((await repository.objects.read(`${tree}^{tree}`)) === null)
    return refusal(422, 'Tree SHA does not exist');
  return made({
    sha: writeCommit(repository.objects, { tree, parents, message, at: repository.now() }),
    tree: { sha: tree },
    message,
  });
}

async function objectMissing(repository: Repository, oid: string): Promise<boolean> {
  return (await readCommit(repository.objects, oid)) === null;
}

export async function postRef({ repository, body }: Call): Promise<Reply> {
  if (await isEmpty(repository)) return emptyRepository();
  const { ref, sha: oid } = newRefBody.parse(body);
  if (!/^refs\/[^/]+\/.+/.test(ref))
    return refusal(422, 'Reference name must contain at least three slash-separated components.');
  if (await objectMissing(repository, oid)) return refusal(422, 'Object does not exist');
  const how = isGuarded(repository, ref);
  if (how !== null) return guardedRest(how);
  const said = await repository.refs.move([{ ref, before: null, after: oid }]);
  return said === null ? made(refBody(ref, oid)) : refusal(422, 'Reference already exists');
}

export async function patchRef({ repository, caught, body }: Call): Promise<Reply> {
  const ref = `refs/${caught[0] ?? ''}`;
  const { sha: oid, force } = moveBody.parse(body);
  const old = await repository.refs.now(ref);
  if (old === null) return refusal(422, 'Reference does not exist');
  if (await objectMissing(repository, oid)) return refusal(422, 'Object does not exist');
  const how = isGuarded(repository, ref);
  if (how !== null) return guardedRest(how);
  if (!force) {
    const { exitCode } = await runGit(repository.folder, ['merge-base', '--is-ancestor', old, oid]);
    if (exitCode !== 0) return refusal(422, 'Update is not a fast forward');
  }
  const said = await repository.refs.move([{ ref, before: force ? undefined : old, after: oid }]);
  return said === null
    ? { status: 200, body: refBody(ref, oid) }
    : refusal(422, 'Reference cannot be updated');
}

export async function deleteRef({ repository, caught }: Call): Promise<Reply> {
  const ref = `refs/${caught[0] ?? ''}`;
  if ((await repository.refs.now(ref)) === null) return refusal(422, 'Reference does not exist');
  const how = isGuarded(repository, ref);
  if (how !== null) return guardedRest(how);
  await repository.refs.move([{ ref, before: undefined, after: null }]);
  return { status: 204, body: null };
}

/** The only write that an empty repository takes. */
export async function putContents({ repository, caught, body }: Call): Promise<Reply> {
  const path = decodeURIComponent(caught[0] ?? '');
  const { message, content, sha: known, branch } = contentsBody.parse(body);
  const ref = `refs/heads/${branch}`;
  const head = await repository.refs.now(ref);
  if (head === null && !(await isEmpty(repository))) return refusal(404, `Branch ${branch} not found`);
  const how = isGuarded(repository, ref);
  if (how !== null) return { ...guardedRest(how), status: 409 };
  const before = head === null ? null : await repository.objects.read(`${head}:${path}`);
  if (before !== null && known === undefined)
    return refusal(422, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  if (before !== null && known !== before.oid) return refusal(409, `${path} does not match ${known}`);
  const blob = repository.objects.write('blob', Buffer.from(content, 'base64'));
  const change = { path, mode: '100644', oid: blob };
  const tree = await changeTree(repository.objects, head === null ? null : `${head}^{tree}`, [change]);
  const parents = head === null ? [] : [head];
  const oid = writeCommit(repository.objects, { tree, parents, message, at: repository.now() });
  const said = await repository.refs.move([{ ref, before: head, after: oid }]);
  if (said !== null)
    return refusal(409, `${ref} is at ${await repository.refs.now(ref)} but expected ${head}`);
  return made({ content: { path, sha: blob }, commit: { sha: oid, tree: { sha: tree } } });
}
