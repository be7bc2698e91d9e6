/** What surrounds a job may be odd: homes, paths, tokens, forks, composites. Told by the shipped dist in the runner. */
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWork } from './at-work.ts';
import type { JobReport } from './job-run.ts';
import type { RunnerOptions, StartWish } from './options.ts';
import { endClean, openScene, type Scene } from './scene.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import { course, jobOf, onlyJob, stepNamed } from './stand.ts';

const A = 'train0pod1';
const B = 'train0pod2';
const MOST_MS = 120_000;

let checkout: Checkout;
beforeAll(() => {
  checkout = shippedCheckout();
}, 300_000);
afterAll(() => checkout.remove());

let folder: string;
let scene: Scene | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'podtrack story '));
});
afterEach(async () => {
  await endClean(scene);
  scene = null;
  rmSync(folder, { recursive: true, force: true });
});

async function open(runner: RunnerOptions = {}, pods: readonly string[] = [A]): Promise<Scene> {
  scene = await openScene({ pods, checkout, runner });
  return scene;
}

const expression = (inner: string): string => `\${{ ${inner} }}`;
const API = expression('secrets.RUNPOD_API_KEY');
const LOGIN = expression('secrets.PODTRACK_SSH_KEY');
const WRITES = 'permissions:\n  contents: write';
const registering = (
  change: Readonly<Record<string, string>> = {},
  uses = 'podtrack/register@v1',
): string => {
  const inputs = {
    'pod-id': A,
    'api-key': API,
    'ssh-key': LOGIN,
    'remote-path': '/workspace/results',
    ...change,
  };
  const lines = Object.entries(inputs).map(([name, text]) => `    ${name}: ${JSON.stringify(text)}`);
  return [`- uses: ${uses}`, '  id: pod', '  with:', ...lines].join('\n');
};

async function runJob(on: Scene, steps: string, wish: StartWish = {}): Promise<JobReport> {
  return onlyJob(await (await on.start(jobOf(steps, WRITES), wish)).finished);
}

const said = (job: JobReport): string => job.log.join('\n');
/** Nothing but looks was asked of the provider about pods. */
const touches = (on: Scene): string[] =>
  on.world.requests().flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path}`]));

/** How the job and its pod ended; a job that failed says so in its own words. */
async function endOf(on: Scene, job: JobReport): Promise<unknown> {
  const { status, end } = (await on.record(A)) ?? {};
  return { job: job.result === 'success' ? 'success' : said(job), status, end };
}
const WELL = { job: 'success', status: 'terminated', end: { verified: true } };

describe('C68: homes and programs', () => {
  it(
    'two runners of one user on one host: one ends while the other works, which never notices; their home stays empty',
    async () => {
      const home = join(folder, 'home');
      mkdirSync(home);
      const on = await open({ home, machinesIn: folder }, [A, B]);
      const other = await startWork(on, 'register', { inputs: { 'pod-id': B } });
      expect(await endOf(on, await runJob(on, registering()))).toMatchObject(WELL);
      expect(on.hasPod(B)).toBe(true);
      on.releaseWork();
      const job = onlyJob(await other.finished);
      expect(job.result, said(job)).toBe('success');
      expect(await on.record(B)).toMatchObject({ status: 'terminated', end: { verified: true } });
      expect(readdirSync(home)).toEqual([]);
    },
    MOST_MS,
  );

  it(
    'no HOME and no git in the image',
    async () => {
      for (const program of ['bash', 'sh']) symlinkSync(`/bin/${program}`, join(folder, program));
      const on = await open({ home: null, hostEnv: { PATH: folder } });
      expect(
        await endOf(on, await runJob(on, `${registering()}\n- run: '! command -v git && [ -z "$HOME" ]'`)),
      ).toMatchObject(WELL);
    },
    MOST_MS,
  );

  it(
    'a HOME in which nobody can write, and blanks in the paths of the runner',
    async () => {
      const on = await open({ home: '/proc', machinesIn: folder });
      const job = await runJob(on, registering({ 'local-path': 'my results', 'keep-in': 'artifact' }));
      expect(await endOf(on, job)).toMatchObject(WELL);
    },
    MOST_MS,
  );

  it(
    'as in a container: a HOME that is not there, and a workspace of another user',
    async () => {
      const on = await open({ home: '/github/home' });
      const onJob: NonNullable<StartWish['onJob']> = ({ core }) => {
        // Only root may give a folder away; for another the rest of it holds all the same.
        if (process.getuid?.() === 0) chownSync(core.machine.workspace, 1001, 1001);
      };
      expect(await endOf(on, await runJob(on, registering(), { onJob }))).toMatchObject(WELL);
    },
    MOST_MS,
  );
});

describe('C63 and C41: what arrives, and what has died', () => {
  it(
    'C63: a token that died before post: the pod is ended by its mark, its row left to the reaper, and the cure is named',
    async () => {
      const on = await open();
      const onPosts: NonNullable<StartWish['onPosts']> = () => {
        on.github.switches.tokens.clear();
      };
      const job = await runJob(on, registering(), { onPosts });
      expect(course(job)).toContain('Post Run podtrack/register@v1: success');
      expect(on.hasPod(A)).toBe(false);
      expect(said(job)).toMatch(/ended by its mark.*row is left to the reaper.*to mend: Give a valid token/);
      expect(await on.record(A)).toMatchObject({ status: 'active' });
    },
    MOST_MS,
  );

  it(
    'C41 a: a pull request from a fork: one annotation says why and how to leave the job out, post is quiet, nothing is asked of the provider',
    async () => {
      const on = await open();
      const payload = { pull_request: { head: { repo: { fork: true } } } };
      const wish = { fork: true, event: 'pull_request', payload };
      const job = await runJob(on, registering(), wish);
      expect(course(job)).toEqual([
        'Run podtrack/register@v1: failure',
        'Post Run podtrack/register@v1: success',
      ]);
      const told = job.steps.flatMap(({ annotations }) => annotations);
      expect(told.filter(({ kind }) => kind === 'error')).toHaveLength(1);
      expect(told[0]?.message).toContain('pull requests from forks');
      expect(told[0]?.message).toContain('if: github.event.pull_request.head.repo.fork == false');
      expect(on.world.requests()).toEqual([]);

      const heeded = `${WRITES}\nif: github.event.pull_request.head.repo.fork == false`;
      const neutral = await (await on.start(jobOf(registering(), heeded), wish)).finished;
      expect(neutral).toMatchObject({ conclusion: 'success', jobs: [] });
    },
    MOST_MS,
  );

  it(
    'C41 b: an id that was masked arrives empty in the next job, which is red and names that cause; nothing is touched',
    async () => {
      const on = await open();
      const yaml = `on: push
jobs:
  create:
    runs-on: ubuntu-latest
    outputs:
      pod-id: \${{ steps.create.outputs.pod-id }}
    steps:
      - id: create
        run: |
          echo "::add-mask::${A}"
          echo "pod-id=${A}" >>"$GITHUB_OUTPUT"
  train:
    needs: create
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
${registering({ 'pod-id': expression('needs.create.outputs.pod-id') }).replace(/^/gm, '      ')}
`;
      const { jobs } = await (await on.start(yaml)).finished;
      const train = jobs.find(({ key }) => key === 'train');
      expect(train?.result).toBe('failure');
      expect(train?.log.join('\n')).toMatch(/pod-id: it is empty.*masked/);
      expect(touches(on)).toEqual([]);
    },
    MOST_MS,
  );

  it(
    'C41 c: Windows line ends and blanks around every input are no part of it',
    async () => {
      const on = await open();
      const crlf = { 'pod-id': ` ${A}\r\n`, 'remote-path': '/workspace/results\r\n', 'kill-in': '2h\r\n' };
      const keys = { 'api-key': `${API}\r\n`, 'no-artifacts': 'false\r\n' };
      const job = await runJob(on, registering({ ...crlf, ...keys }));
      expect(await endOf(on, job)).toMatchObject(WELL);
    },
    MOST_MS,
  );

  it(
    'C41 d: `uses: ./` from a workspace that is wiped: its post cannot be found and the job is red; switch and record stand',
    async () => {
      const on = await open();
      const steps = [
        `- run: cp -r '${checkout.folder}/.' .`,
        registering({}, './register'),
        `- uses: ./arm\n  with:\n    api-key: ${API}\n    ssh-key: ${LOGIN}`,
        '- run: rm -rf ./*',
      ];
      const job = await runJob(on, steps.join('\n'));
      expect(course(job).at(-1)).toBe('Post Run ./register: failure');
      expect(job.result).toBe('failure');
      expect(on.hasPod(A)).toBe(true);
      expect(await on.record(A)).toMatchObject({ status: 'active', end: null });
      expect(await on.history()).toContainEqual(expect.stringMatching(/^arm /));
    },
    MOST_MS,
  );
});

describe('a composite of the user’s own around podtrack', () => {
  const OUTER = `name: train
description: trains
inputs:
  pod:
    description: the pod
    required: true
  key:
    description: the key
  login:
    description: the login
runs:
  using: composite
  steps:
    - uses: podtrack/register@v1
      with:
        pod-id: \${{ inputs.pod }}
        api-key: \${{ inputs.key }}
        ssh-key: \${{ inputs.login }}
        remote-path: /workspace/results
`;
  const steps = `- uses: acme/tools@v1
  with:
    pod: ${A}
    key: ${API}
    login: ${LOGIN}`;

  it.each([
    ['its post has its own inputs', false],
    ['its post is given the inputs of the outermost composite (actions/runner#3514)', true],
  ])(
    '%s, and ends the pod from what main saved',
    async (_what, wrongNestedInputs) => {
      writeFileSync(join(folder, 'action.yml'), OUTER);
      const on = await open({ checkouts: { 'acme/tools@v1': folder }, wrongNestedInputs });
      const job = await runJob(on, steps);
      expect(await endOf(on, job)).toMatchObject(WELL);
      expect(stepNamed(job, 'Post Run acme/tools@v1').conclusion).toBe('success');
    },
    MOST_MS,
  );
});
