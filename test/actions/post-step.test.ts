/** The post step: what it decides from saved state and the job's end, what it hands over, and when the job is red. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job, type StepWish } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

const PODS = [
  'kept00000pod',
  'red000000pod',
  'stalled00pod',
  'others000pod',
  'disk00000pod',
  'away00000pod',
  'stopped00pod',
] as const;
const [KEPT, RED, STALLED, OTHERS, DISK, AWAY, STOPPED] = PODS;

let job: Job;
beforeAll(async () => {
  job = await beginJob({ pods: PODS });
}, 120_000);
afterAll(() => job.end());

function access(): Texts {
  return { 'api-key': API_KEY, 'ssh-key': job.sshKey };
}

async function registered(pod: string, change: Texts = {}, wish: StepWish = {}): Promise<StepEnd> {
  const inputs = { ...access(), 'pod-id': pod, 'remote-path': '/workspace/results', ...change };
  const main = await job.step('register', 'main', { ...wish, inputs });
  expect(main.code, main.log).toBe(0);
  return main;
}

async function armed(pod: string): Promise<void> {
  const arm = await job.step('arm', 'main', { inputs: { ...access(), 'pod-id': pod } });
  expect(arm.code, arm.log).toBe(0);
}

function isGone(pod: string): boolean {
  return !job.world.world.pods.has(pod);
}

it('a keep after a failure is bounded, in the record and on the switch; after a success the pod is ended', async () => {
  const main = await registered(KEPT, { 'on-failure': 'keep', 'keep-for': '20m' });
  await armed(KEPT);
  const failed = await job.step('register', 'post', { state: main.state, jobStatus: 'failure' });
  expect(failed.code, failed.log).toBe(0);
  expect(failed.log).toMatch(/kept for (19|20) min.*switch has taken the new stop/);
  expect(isGone(KEPT)).toBe(false);
  const succeeded = await job.step('register', 'post', { state: main.state, inputs: access() });
  expect(succeeded.code, succeeded.log).toBe(0);
  expect(isGone(KEPT)).toBe(true);
}, 120_000);

it('a stop after a success verifies first, bills no GPU more, moves no deadline, and says who ends the rest', async () => {
  const main = await registered(STOPPED, { 'on-success': 'stop' });
  const before = job.record(STOPPED)?.['deadlines'];
  const post = await job.step('register', 'post', { state: main.state });
  expect(post.code, post.log).toBe(0);
  expect(post.log).toMatch(/stopped: its GPU bills no more, 2 artifact file\(s\) verified and kept/);
  expect(post.summary).toContain(`${STOPPED} is stopped`);
  expect(post.summary).toMatch(/absolute deadline.*\n.*cost so far/);
  expect(job.world.world.pods.get(STOPPED)?.status).toBe('EXITED');
  expect(job.record(STOPPED)).toMatchObject({
    status: 'active',
    stopped: { verified: true },
    deadlines: before,
  });
}, 120_000);

it('whatever leaves the pod up makes the job red, names the pod and its cause, and the end stays possible', async () => {
  const wishes = { 'on-success': 'keep', 'on-failure': 'keep', 'on-cancel': 'keep' };
  const main = await registered(RED, wishes);
  const again = { state: main.state, inputs: access(), jobStatus: '' };

  const unreadable = await job.step('register', 'post', {
    ...again,
    state: { ...main.state, register: '{' },
  });
  expect(unreadable.log).toMatch(new RegExp(`::error.*${RED}.*cannot be read`));

  job.world.setFaults([{ name: 'unauthorized' }]);
  const newKey = await job.step('register', 'post', again);
  job.world.setFaults([]);
  expect(newKey.log).toMatch(new RegExp(`::error.*${RED}`));

  const noService = await job.step('register', 'post', { ...again, env: { ACTIONS_RESULTS_URL: '' } });
  expect(noService.log).toContain('verified, but not kept: this step has no artifact service');

  renameSync(job.registry, `${job.registry}-away`);
  const noRegistry = await job.step('register', 'post', again);
  rmSync(job.registry, { recursive: true, force: true });
  renameSync(`${job.registry}-away`, job.registry);
  expect(noRegistry.log.match(/^::error/gm)).toHaveLength(1);

  expect([unreadable, newKey, noService, noRegistry].map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  expect(isGone(RED)).toBe(false);

  // No word of the runner for the job's end: it is ended although every ending was wished to be a keep.
  const last = await job.step('register', 'post', again);
  expect(last.code, last.log).toBe(0);
  expect(isGone(RED)).toBe(true);
}, 180_000);

it('C39 c: an endless pull ends inside the budget: handed over in the record, red, and the pod not ended unverified', async () => {
  const main = await registered(STALLED, { 'post-budget': '10s' });
  job.hosts.stallTransfer(STALLED, 100);
  const post = await job.step('register', 'post', { state: main.state, jobStatus: 'cancelled' });
  expect(post.code).toBe(1);
  expect(isGone(STALLED)).toBe(false);
  expect(job.record(STALLED)).toMatchObject({ end: null });
  expect(post.log).toMatch(/::error.*(stays up|not finished)/);
  expect(post.summary).toContain('IS NOT SETTLED');
}, 120_000);

it('an abandoned post cannot end what a later attempt has reclaimed, nor another run what is not its own', async () => {
  const main = await registered(OTHERS);
  const inputs = { ...access(), 'pod-id': OTHERS, 'remote-path': '/workspace/results' };
  const stranger = { GITHUB_RUN_ID: '5005', PODTRACK_OWNER_UUID: 'somebody-else' };
  const refused = await job.step('register', 'main', { inputs, env: stranger });
  expect(refused.code).toBe(3);
  expect(refused.log).toContain('it belongs to acme/ml#1001');
  const quiet = await job.step('register', 'post', { state: refused.state });
  expect(quiet.code, quiet.log).toBe(0);

  const second = { GITHUB_RUN_ATTEMPT: '2', PODTRACK_OWNER_UUID: 'attempt-two' };
  const reclaimed = await registered(OTHERS, {}, { env: second });
  expect(JSON.parse(reclaimed.outputs['result'] ?? '')).toMatchObject({ how: 'reclaimed' });
  const abandoned = await job.step('register', 'post', { state: main.state });
  expect(abandoned.code, abandoned.log).toBe(0);
  expect(abandoned.log).toContain('was left to it');
  expect(isGone(OTHERS)).toBe(false);
}, 120_000);

it('C41 d: a wiped workspace and a changed sealed file make no difference; keep-in: disk takes local-path for lasting', async () => {
  const main = await registered(DISK, { 'keep-in': 'disk', 'local-path': 'results' });
  writeFileSync(main.state['secrets-file'] ?? '', 'forged');
  rmSync(job.workspace, { recursive: true });
  const post = await job.step('register', 'post', {
    state: main.state,
    inputs: access(),
    env: { ACTIONS_RESULTS_URL: '' },
  });
  expect(post.code, post.log).toBe(0);
  expect(post.log).toContain('the secrets that main saved are gone');
  expect(post.log).toContain(`folder ${job.workspace}/results`);
  expect(isGone(DISK)).toBe(true);
}, 120_000);

it('a pod that is away already is settled as lost, without a word of red when nothing was to be saved', async () => {
  const main = await registered(AWAY, { 'remote-path': '', 'no-artifacts': 'true' });
  job.world.disturb(AWAY, 'vanish');
  const post = await job.step('register', 'post', { state: main.state });
  expect(job.record(AWAY)).not.toMatchObject({ status: 'active' });
  expect(post.log).toMatch(/gone already|later cycle|away/);
}, 120_000);
