/** The GitHub server answers as GitHub does: what it holds, what it refuses and in which words. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { suiteWith } from '../components.ts';
import { REPOSITORY, type Stand, standUp } from './asking.ts';
import { runGit } from './run-git.ts';
import { TOKEN } from './switches.ts';

const madeOid = z.looseObject({ sha: z.string() });
const COMMIT = `mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`;
const REFS = `mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;
const NONE = '0'.repeat(40);

let stand: Stand;
beforeEach(async () => {
  stand = await standUp();
});
afterEach(() => stand.close());

async function ask(method: string, path: string, body?: unknown, token = TOKEN) {
  const response = await fetch(stand.apiUrl + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `token ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
}

const inRepository = (method: string, path: string, body?: unknown) =>
  ask(method, `/repos/acme/ci${path}`, body);

async function graph(query: string, variables: unknown = {}, token = TOKEN) {
  const response = await fetch(stand.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function newCommit(text: string, parents: string[] = []): Promise<string> {
  const files = [{ path: 'a/b.txt', mode: '100644', type: 'blob', content: text }];
  const tree = madeOid.parse((await inRepository('POST', '/git/trees', { tree: files })).body);
  const commit = { message: `says ${text}\n\nbody\n`, tree: tree.sha, parents };
  return madeOid.parse((await inRepository('POST', '/git/commits', commit)).body).sha;
}

async function newBranch(text = 'one'): Promise<string> {
  const sha = await newCommit(text);
  await inRepository('POST', '/git/refs', { ref: 'refs/heads/podtrack', sha });
  return sha;
}

const commitInput = (expectedHeadOid: string, text = 'two') => ({
  input: {
    branch: { repositoryNameWithOwner: 'acme/ci', branchName: 'podtrack' },
    message: { headline: 'second', body: 'Podtrack-Seq: 2' },
    expectedHeadOid,
    fileChanges: { additions: [{ path: 'a/b.txt', contents: Buffer.from(text).toString('base64') }] },
  },
});

describe('what it holds is a real repository', () => {
  it('an orphan branch made by REST is one commit without parent that git itself finds whole', async () => {
    const sha = await newBranch();
    expect((await runGit(stand.folder, ['fsck', '--strict', '--full'])).exitCode).toBe(0);
    expect((await runGit(stand.folder, ['rev-list', 'podtrack'])).stdout.trim()).toBe(sha);
    expect((await runGit(stand.folder, ['show', 'podtrack:a/b.txt'])).stdout).toBe('one');
  });

  it('createCommitOnBranch keeps the other files, and a second one on the old head is stale', async () => {
    const sha = await newBranch();
    const first = await graph(COMMIT, commitInput(sha));
    expect(first.body.data.createCommitOnBranch.commit.oid).toHaveLength(40);
    expect(await graph(COMMIT, commitInput(sha, 'three'))).toMatchObject({
      status: 200,
      body: {
        data: { createCommitOnBranch: null },
        errors: [
          {
            type: 'STALE_DATA',
            path: ['createCommitOnBranch'],
            message: `Expected branch to point to "${sha}" but it did not.  Pull and try again.`,
          },
        ],
      },
    });
    expect((await runGit(stand.folder, ['log', '--format=%B', '-1', 'podtrack'])).stdout.trim()).toBe(
      'second\n\nPodtrack-Seq: 2',
    );
    expect((await runGit(stand.folder, ['fsck', '--strict', '--full'])).exitCode).toBe(0);
  });

  it('reads head, files and history in one query', async () => {
    const sha = await newBranch();
    await graph(COMMIT, commitInput(sha, 'two'));
    const query = `{ repository(owner: "acme", name: "ci") { databaseId ref(qualifiedName: "refs/heads/podtrack") { target {
      oid ... on Commit {
        file(path: "a") { type object { ... on Tree { entries { name mode object { ... on Blob { text isTruncated } } } } } }
        deep: file(path: "a/b.txt") { name object { ... on Blob { text } } }
        history(first: 1, path: "a/b.txt") { nodes { message } pageInfo { hasNextPage } }
      } } } } }`;
    expect((await graph(query)).body.data.repository).toMatchObject({
      databaseId: REPOSITORY.id,
      ref: {
        target: {
          file: {
            type: 'tree',
            object: {
              entries: [{ name: 'b.txt', mode: 0o100644, object: { text: 'two', isTruncated: false } }],
            },
          },
          deep: { name: 'b.txt', object: { text: 'two' } },
          history: { nodes: [{ message: 'second\n\nPodtrack-Seq: 2' }], pageInfo: { hasNextPage: true } },
        },
      },
    });
  });

  it('updateRefs moves all refs or none', async () => {
    const [one, two] = [await newBranch('one'), await newCommit('two')];
    const update = (beforeOid: string, name = 'refs/heads/podtrack') => ({
      name,
      beforeOid,
      afterOid: two,
      force: true,
    });
    const both = (first: unknown) => ({
      input: { repositoryId: 'R_41', refUpdates: [update(NONE, 'refs/heads/new'), first] },
    });
    expect((await graph(REFS, both(update(two)))).body.errors).toHaveLength(1);
    expect((await inRepository('GET', '/git/ref/heads/new')).status).toBe(404);
    expect((await graph(REFS, both(update(one)))).body.errors).toBeUndefined();
    expect((await inRepository('GET', '/git/ref/heads/podtrack')).body.object.sha).toBe(two);
  });

  it('compares commits, and says when they have nothing in common', async () => {
    const one = await newBranch();
    const two = await newCommit('two', [one]);
    const status = async (base: string, head: string) =>
      (await inRepository('GET', `/compare/${base}...${head}`)).body.status;
    expect([await status(one, two), await status(two, one), await status(one, one)]).toEqual([
      'ahead',
      'behind',
      'identical',
    ]);
    const stranger = await newCommit('stranger');
    expect(await inRepository('GET', `/compare/${one}...${stranger}`)).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/^No common ancestor/) },
    });
  });
});

describe('what it refuses', () => {
  it.each([
    {
      what: 'a ref that is there',
      call: ['POST', '/git/refs'],
      body: { ref: 'refs/heads/podtrack' },
      says: 'Reference already exists',
    },
    {
      what: 'a step that is none',
      call: ['PATCH', '/git/refs/heads/podtrack'],
      body: {},
      says: 'Update is not a fast forward',
    },
    {
      what: 'a name too short',
      call: ['POST', '/git/refs'],
      body: { ref: 'refs/podtrack' },
      says: 'at least three slash-separated',
    },
  ])('$what', async ({ call: [method = '', path = ''], body, says }) => {
    await newBranch();
    const answer = await inRepository(method, path, { ...body, sha: await newCommit('other') });
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(says)]);
  });

  it('everything, for a token that it does not know, and writing for one that may only read', async () => {
    stand.switches.tokens.set('ghs_reader', 'read');
    expect(await ask('GET', '/repos/acme/ci', undefined, 'nobody')).toMatchObject({
      status: 401,
      body: { message: 'Bad credentials' },
    });
    const refused = { message: 'Resource not accessible by integration' };
    expect(await ask('POST', '/repos/acme/ci/git/trees', { tree: [] }, 'ghs_reader')).toMatchObject({
      status: 403,
      body: refused,
    });
    const sha = await newBranch();
    expect((await graph(COMMIT, commitInput(sha), 'ghs_reader')).body.errors).toMatchObject([
      { type: 'FORBIDDEN', ...refused },
    ]);
  });

  it('a mutation that an older server does not know', async () => {
    stand.switches.commitMutations = false;
    expect((await graph(COMMIT, commitInput(NONE))).body.errors).toContainEqual(
      expect.objectContaining({
        extensions: { code: 'undefinedField', typeName: 'Mutation', fieldName: 'createCommitOnBranch' },
      }),
    );
  });

  it('what a ruleset guards, by both doors', async () => {
    const sha = await newBranch();
    stand.switches.guarded = { refs: /^refs\/heads\/podtrack/, how: 'rules' };
    const next = await newCommit('two', [sha]);
    expect(await inRepository('PATCH', '/git/refs/heads/podtrack', { sha: next })).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^Repository rule violations found/) },
    });
    expect((await graph(COMMIT, commitInput(sha))).body.errors).toMatchObject([{ type: 'UNPROCESSABLE' }]);
  });

  it('requests beyond the quota, until its hour is over', async () => {
    stand.switches.rest.limit = 1;
    expect((await inRepository('GET', '')).status).toBe(200);
    const refused = await inRepository('GET', '');
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
    stand.switches.graphql.limit = 0;
    expect(await graph('{ rateLimit { cost } }')).toMatchObject({
      status: 200,
      body: { errors: [{ type: 'RATE_LIMIT' }] },
    });
    stand.switches.rest.resetAt = 0;
    expect((await inRepository('GET', '')).status).toBe(200);
  });

  it('the third write of a minute where two are allowed, with the time to wait', async () => {
    stand.switches.contentPerMinute = 2;
    await newCommit('one');
    const refused = await inRepository('POST', '/git/trees', { tree: [] });
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([403, expect.any(Number)]);
    expect(refused.body.message).toMatch(/secondary rate limit/);
  });

  it('an old name: moved for REST, unknown for GraphQL', async () => {
    stand.rename('acme/infra');
    const moved = await inRepository('GET', '/git/ref/heads/main');
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `${stand.apiUrl}/repositories/41/git/ref/heads/main`,
    ]);
    expect((await graph('{ repository(owner: "acme", name: "ci") { id } }')).body).toMatchObject({
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
    });
  });

  it('git data of an empty repository, but takes its first file', async () => {
    await stand.close();
    stand = await standUp({ empty: true });
    const refused = await inRepository('POST', '/git/trees', { tree: [] });
    expect([refused.status, refused.body.message]).toEqual([409, 'Git Repository is empty.']);
    const file = { message: 'first', content: Buffer.from('x').toString('base64'), branch: 'podtrack' };
    expect((await inRepository('PUT', '/contents/meta.json', file)).status).toBe(201);
    expect((await inRepository('PUT', '/contents/meta.json', file)).body.message).toMatch(
      /sha" wasn't supplied/,
    );
  });
});

describe('what it may be made to do', () => {
  it('a replica shows the old head for a while', async () => {
    const one = await newBranch();
    stand.switches.staleReads = 1;
    const two = await newCommit('two', [one]);
    await inRepository('PATCH', '/git/refs/heads/podtrack', { sha: two });
    const head = async () => (await inRepository('GET', '/git/ref/heads/podtrack')).body.object.sha;
    expect([await head(), await head()]).toEqual([one, two]);
  });

  it('a commit stands although it was answered 502', async () => {
    const sha = await newBranch();
    stand.switches.faults.push({ when: 'graphql createCommitOnBranch', what: 'after', times: 1 });
    expect((await graph(COMMIT, commitInput(sha))).status).toBe(502);
    expect((await runGit(stand.folder, ['rev-list', '--count', 'podtrack'])).stdout.trim()).toBe('2');
  });

  it('a blob is cut at the limit, with only a flag to tell', async () => {
    stand.switches.blobTextBytes = 4;
    await newBranch('more than four');
    const query = `{ repository(owner: "acme", name: "ci") { object(expression: "podtrack:a/b.txt") { ... on Blob { text isTruncated byteSize } } } }`;
    expect((await graph(query)).body.data.repository.object).toEqual({
      text: 'more',
      isTruncated: true,
      byteSize: 14,
    });
  });

  it('a run is told by its attempts', async () => {
    stand.switches.runs.set(7, { status: 'in_progress', conclusion: null, attempt: 2 });
    expect((await inRepository('GET', '/actions/runs/7')).body).toMatchObject({
      run_attempt: 2,
      status: 'in_progress',
    });
    expect((await inRepository('GET', '/actions/runs/7/attempts/1')).body.status).toBe('completed');
    expect((await inRepository('GET', '/actions/runs/8')).status).toBe(404);
  });
});

suiteWith(['git-http-backend'], 'beside the API', () => {
  it('git fetches the same repository', async () => {
    await newBranch();
    const { stdout } = await runGit(stand.folder, ['ls-remote', stand.gitUrl, 'refs/heads/podtrack']);
    expect(stdout).toMatch(/^[0-9a-f]{40}\trefs\/heads\/podtrack\n$/);
  });
});
