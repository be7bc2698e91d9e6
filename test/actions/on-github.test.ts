/** The registry where it lies on GitHub: through the API with the job's token, without git, and what is said when it cannot. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { suiteWith } from '../components.ts';
import { type Stand, standUp } from '../github-server/asking.ts';
import { runGit } from '../github-server/run-git.ts';
import { API_KEY, beginJob, GITHUB_TOKEN, type Job, REPOSITORY_ID } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

const APP_TOKEN = 'ghs_appTokenThatDiesBeforeTheJob0001';
const PODS = [
  'whole0pod',
  'left0pod',
  'stale0pod',
  'dead00pod',
  'fork00pod',
  'empty0pod',
  'nogit0pod',
  'old000pod',
  'central0pod',
];
const MOST_MS = 120_000;

suiteWith(['git-http-backend'], 'a registry on GitHub', () => {
  let job: Job;
  let github: Stand;
  let more: Stand[] = [];
  beforeAll(async () => {
    job = await beginJob({ pods: PODS });
  }, MOST_MS);
  afterAll(() => job.end());
  beforeEach(async () => {
    github = await standUp({ name: 'acme/ml', id: Number(REPOSITORY_ID) });
    github.switches.tokens.set(GITHUB_TOKEN, 'write');
  });
  afterEach(async () => {
    for (const stand of [github, ...more]) await job.look(stand);
    await Promise.all([github, ...more].map((stand) => stand.close()));
    more = [];
  });

  /** As the runner of that server names it. */
  const envOn = (stand: Stand): Texts => ({
    GITHUB_SERVER_URL: new URL(stand.apiUrl).origin,
    GITHUB_API_URL: stand.apiUrl,
    GITHUB_GRAPHQL_URL: stand.graphqlUrl,
    PODTRACK_REGISTRY: '',
  });

  const enter = (pod: string, change: { inputs?: Texts; env?: Texts } = {}): Promise<StepEnd> =>
    job.step('register', 'main', {
      inputs: {
        'pod-id': pod,
        'api-key': API_KEY,
        'ssh-key': job.sshKey,
        'remote-path': '/workspace/results',
        'local-path': `results-${pod}`,
        'keep-in': 'disk',
        ...change.inputs,
      },
      env: { ...envOn(github), ...change.env },
    });
  const leave = (main: StepEnd, env: Texts = {}): Promise<StepEnd> =>
    job.step('register', 'post', { state: main.state, env: { ...envOn(github), ...env } });
  const subjects = async (stand = github): Promise<string> =>
    (await runGit(stand.folder, ['log', '--reverse', '--format=%s', 'podtrack'])).stdout;
  const labels = (stand = github): Set<string> => new Set(stand.seen.map(({ label }) => label));
  const overGit = (stand = github): string[] =>
    [...labels(stand)].filter((label) => label.startsWith('git '));

  it(
    'a job lives and ends through the API alone: signed commits, the job’s own token, no git request',
    async () => {
      const main = await enter('whole0pod');
      expect(main.code, main.log).toBe(0);
      const arm = await job.step('arm', 'main', {
        inputs: { 'api-key': API_KEY, 'ssh-key': job.sshKey },
        env: envOn(github),
      });
      expect(arm.code, arm.log).toBe(0);
      const reap = await job.step('reap', 'main', {
        inputs: { 'api-key': API_KEY, 'ssh-key': job.sshKey },
        env: envOn(github),
      });
      expect(JSON.parse(reap.outputs['result'] ?? '').pods).toContainEqual(
        expect.objectContaining({ pod: 'whole0pod', kind: 'ours', verdict: 'keep' }),
      );
      const post = await leave(main);
      expect(post.code, post.log).toBe(0);
      expect(job.world.world.pods.has('whole0pod')).toBe(false);
      expect(await subjects()).toMatch(/^register runpod\.whole0pod.*arm .*fence .*terminated, requested/s);
      expect(overGit()).toEqual([]);
      expect(labels()).toContain('graphql createCommitOnBranch');
      expect(labels()).toContain('graphql updateRefs');
      const meta = await runGit(github.folder, ['show', 'podtrack:meta.json']);
      expect(JSON.parse(meta.stdout)).toMatchObject({ repository: { id: REPOSITORY_ID } });
    },
    MOST_MS,
  );

  it(
    'C63: an app token that died before post: one try, then the job’s own token, and it is noted',
    async () => {
      github.switches.tokens.set(APP_TOKEN, 'write');
      const main = await enter('dead00pod', { inputs: { 'registry-token': APP_TOKEN } });
      expect(main.code, main.log).toBe(0);
      github.switches.tokens.delete(APP_TOKEN);
      github.seen.length = 0;
      const post = await leave(main);
      expect(post.code, post.log).toBe(0);
      expect(post.log).toContain("going on with the job's own token");
      const refused = github.seen.filter(({ headers }) => headers.authorization?.includes(APP_TOKEN));
      expect(refused).toHaveLength(1);
      expect(job.world.world.pods.has('dead00pod')).toBe(false);
      expect(await subjects()).toContain('terminated, requested');
    },
    MOST_MS,
  );

  it(
    'C63 (c): a central registry whose token died: the pod is ended by its mark, its row left, the cure named',
    async () => {
      const central = await standUp({ name: 'acme/registry', id: 99 });
      more.push(central);
      central.switches.tokens.set(APP_TOKEN, 'write');
      const inputs = { 'registry-repository': 'acme/registry', 'registry-token': APP_TOKEN };
      const main = await enter('left0pod', { inputs, env: envOn(central) });
      expect(main.code, main.log).toBe(0);
      const access = { 'api-key': API_KEY, 'ssh-key': job.sshKey };
      const arm = await job.step('arm', 'main', { inputs: { ...access, ...inputs }, env: envOn(central) });
      expect(arm.code, arm.log).toBe(0);
      central.switches.tokens.delete(APP_TOKEN);
      central.seen.length = 0;
      const post = await leave(main, envOn(central));
      expect(post.code, post.log).toBe(0);
      expect(job.world.world.pods.has('left0pod')).toBe(false);
      expect(post.log).toMatch(
        /::error.*ended by its mark.*row is left to the reaper.*to mend: Give a valid token/,
      );
      expect(central.seen).toHaveLength(1);
      expect(await subjects(central)).not.toContain('fence');
    },
    MOST_MS,
  );

  it(
    'C63 (a): a token that died with the job that made it: register fails with the cause, after one try',
    async () => {
      const inputs = { 'registry-token': 'ghs_diedWithTheJobThatMadeIt', 'github-token': '' };
      const main = await enter('stale0pod', { inputs });
      expect(main.code).not.toBe(0);
      expect(main.log).toMatch(/::error.*the token was refused.*one of a job ends with the job/);
      expect(github.seen).toHaveLength(1);
      expect(job.world.world.pods.has('stale0pod')).toBe(true);
    },
    MOST_MS,
  );

  it(
    'a token that may only read, as on a fork: one try, exit 1, and the mend is named',
    async () => {
      github.switches.tokens.set(GITHUB_TOKEN, 'read');
      const main = await enter('fork00pod');
      expect(main.code).not.toBe(0);
      expect(main.log).toMatch(/::error.*Resource not accessible by integration.*contents: write/);
      expect(main.log).toContain('it was left running and is not registered');
      const tries = github.seen.filter(({ label }) => !/query|^GET/.test(label));
      expect(tries).toHaveLength(1);
    },
    MOST_MS,
  );

  it(
    'a repository without any commit: the first file is put there, or the user is told to push a first commit',
    async () => {
      const empty = await standUp({ name: 'acme/ml', id: Number(REPOSITORY_ID), empty: true });
      more.push(empty);
      empty.switches.tokens.set(GITHUB_TOKEN, 'write');
      const refusal = {
        status: 404,
        body: { message: 'Branch podtrack not found', documentation_url: '', status: '404' },
      };
      empty.switches.faults.push({ when: 'PUT contents', what: refusal, times: 1 });
      const told = await enter('empty0pod', { env: envOn(empty) });
      expect(told.log).toMatch(
        /::error.*Git Repository is empty.*git commit --allow-empty -m start && git push/,
      );
      const started = await enter('empty0pod', { env: envOn(empty) });
      expect(started.code, started.log).toBe(0);
      expect(await subjects(empty)).toMatch(/^start the registry\nregister runpod\.empty0pod/);
    },
    MOST_MS,
  );

  it(
    'C68: an image without git registers through the API; where only git leads, register says what to install',
    async () => {
      const bin = join(job.temp, 'bin without git');
      mkdirSync(bin);
      symlinkSync('/bin/sh', join(bin, 'sh'));
      const main = await enter('nogit0pod', { env: { PATH: bin } });
      expect(main.code, main.log).toBe(0);
      const lost = await enter('nogit0pod', { env: { PATH: bin, PODTRACK_REGISTRY: github.gitUrl } });
      expect(lost.code).not.toBe(0);
      expect(lost.log).toMatch(/::error.*Running git.*Install git 2\.31/);
    },
    MOST_MS,
  );

  it(
    'a server whose API is not GitHub’s: git goes on, and it is said once',
    async () => {
      const none = { status: 404, body: { message: 'Not Found' } };
      github.switches.faults.push({ when: 'graphql query', what: none, times: 99 });
      const main = await enter('old000pod');
      expect(main.code, main.log).toBe(0);
      expect(main.log.match(/going on with git/g)).toHaveLength(1);
      expect(await subjects()).toContain('register runpod.old000pod');
      expect(overGit()).toContain('git /git-receive-pack');
    },
    MOST_MS,
  );

  it(
    'Gitea names an empty address for GraphQL: git is taken at once',
    async () => {
      const main = await enter('old000pod', { env: { GITHUB_GRAPHQL_URL: '' } });
      expect(main.code, main.log).toBe(0);
      expect([...labels()].every((label) => label.startsWith('git '))).toBe(true);
    },
    MOST_MS,
  );

  it(
    'registry-repository: a central registry takes its own token, and the job’s is never sent there',
    async () => {
      const central = await standUp({ name: 'acme/registry', id: 99 });
      more.push(central);
      central.switches.tokens.set(APP_TOKEN, 'write');
      const inputs = { 'registry-repository': 'acme/registry', 'registry-token': APP_TOKEN };
      const main = await enter('central0pod', { inputs, env: envOn(central) });
      expect(main.code, main.log).toBe(0);
      expect(main.log).toContain('/acme/registry');
      // The owner question goes to the job's own server with the job's own token, and names another repository.
      const toRegistry = central.seen.filter(({ label }) => !/actions|nothing/.test(label));
      const sent = new Set(toRegistry.map(({ headers }) => headers.authorization));
      expect([...sent]).toEqual([`token ${APP_TOKEN}`]);
      const meta = await runGit(central.folder, ['show', 'podtrack:meta.json']);
      expect(JSON.parse(meta.stdout)).toMatchObject({ repository: null });
    },
    MOST_MS,
  );
});
