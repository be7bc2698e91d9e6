/** The doors for the reaper and for a single end: one cycle, its report and its colour; an end by name and by force. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

const HEALTHY = 'healthy00pod';
const MINE = 'mine00000pod';
const FORCED = 'forced000pod';

let job: Job;
beforeAll(async () => {
  job = await beginJob({ pods: [HEALTHY, MINE, FORCED] });
}, 120_000);
afterAll(() => job.end());

function access(): Texts {
  return { 'api-key': API_KEY, 'ssh-key': job.sshKey };
}

async function registered(pod: string, change: Texts = {}): Promise<StepEnd> {
  const inputs = { ...access(), 'pod-id': pod, 'remote-path': '/workspace/results', ...change };
  const main = await job.step('register', 'main', { inputs });
  expect(main.code, main.log).toBe(0);
  return main;
}

function isGone(pod: string): boolean {
  return !job.world.world.pods.has(pod);
}

/** The reaper runs in a run of its own. */
const REAPER = { GITHUB_RUN_ID: '2002', GITHUB_JOB: 'reap', PODTRACK_OWNER_UUID: '' };

it('a dry run decides and tells, and changes nothing', async () => {
  await registered(HEALTHY);
  const before = job.history();
  const reap = await job.step('reap', 'main', { inputs: { ...access(), 'dry-run': 'true' }, env: REAPER });
  expect(reap.code, reap.log).toBe(0);
  expect(reap.summary).toContain('would');
  expect(job.history()).toEqual(before);
}, 120_000);

it('a cycle over a healthy pod pets and mirrors it, lets it live, and ends green with one table', async () => {
  const arm = await job.step('arm', 'main', { inputs: access() });
  expect(arm.code, arm.log).toBe(0);
  const reap = await job.step('reap', 'main', { inputs: access(), env: REAPER });
  expect(reap.code, reap.log).toBe(0);
  expect(reap.outputs).toMatchObject({ ended: '0', red: '0' });
  const result = JSON.parse(reap.outputs['result'] ?? '');
  expect(result.pods[0].outcomes.map(({ order }: { order: string }) => order)).toContain('pet');
  expect(result).toMatchObject({ schemaVersion: 1, counts: { ours: 1, kept: 1, foreign: 2 } });
  expect(reap.summary.match(/^\| ---/gm)).toHaveLength(1);
  expect(job.record(HEALTHY)).toMatchObject({ lastMirror: { verified: true } });
  expect(isGone(HEALTHY)).toBe(false);
}, 120_000);

it('a cycle that cannot read the account is red, says why, and ends nothing', async () => {
  job.world.setFaults([{ name: 'unauthorized' }]);
  const reap = await job.step('reap', 'main', { inputs: access(), env: REAPER });
  job.world.setFaults([]);
  expect(reap.code).toBe(1);
  expect(reap.log).toMatch(/::error.*the account could not be read/);
  expect(isGone(HEALTHY)).toBe(false);
}, 120_000);

it('a rule of the reaper that is no rule is refused by its input', async () => {
  const reap = await job.step('reap', 'main', { inputs: { ...access(), 'max-kills': '0' }, env: REAPER });
  expect(reap.code).toBe(2);
  expect(reap.log).toMatch(/::error.*max-kills/);
}, 120_000);

it('teardown from a later job needs the uuid that register gave, and ends verified with it', async () => {
  const main = await registered(MINE);
  const later = { GITHUB_JOB: 'cleanup', PODTRACK_OWNER_UUID: '', PODTRACK_POD_ID: '' };
  const inputs = { ...access(), 'pod-id': MINE };
  const without = await job.step('teardown', 'main', { inputs, env: later });
  expect(without.code).toBe(3);
  expect(isGone(MINE)).toBe(false);
  const uuid = main.outputs['uuid'] ?? '';
  const ended = await job.step('teardown', 'main', { inputs: { ...inputs, uuid }, env: later });
  expect(ended.code, ended.log).toBe(0);
  expect(ended.outputs['ended']).toBe('true');
  expect(ended.log).toContain(`1 more pod(s) of this owner live: ${HEALTHY}`);
  expect(job.record(MINE)).toMatchObject({ end: { reason: 'requested', verified: true } });
  expect(isGone(MINE)).toBe(true);
}, 120_000);

it('force needs a reason, takes the pod over by a claim that says it, and ends it', async () => {
  await registered(FORCED);
  const stranger = { GITHUB_RUN_ID: '3003', PODTRACK_OWNER_UUID: 'a-stranger' };
  const inputs = { ...access(), 'pod-id': FORCED, force: 'true' };
  const bare = await job.step('teardown', 'main', { inputs, env: stranger });
  expect(bare.code).toBe(2);
  expect(bare.log).toContain('force was given without a reason');
  const reasoned = { ...inputs, reason: 'runaway bill' };
  const forced = await job.step('teardown', 'main', { inputs: reasoned, env: stranger });
  expect(forced.code, forced.log).toBe(0);
  expect(isGone(FORCED)).toBe(true);
  expect(job.history().some((subject) => subject.startsWith('claim '))).toBe(true);
  expect(job.git('log', '--format=%B', 'podtrack')).toContain('runaway bill');
}, 120_000);

it('C66: scope run ends what is left of this run and says whose leg it was; a pod id beside it is refused', async () => {
  const both = await job.step('teardown', 'main', {
    inputs: { ...access(), scope: 'run', 'pod-id': HEALTHY },
  });
  expect(both.code).toBe(2);
  expect(both.log).toContain('pod-id and scope: run were both given');
  const all = await job.step('teardown', 'main', { inputs: { ...access(), scope: 'run' } });
  expect(all.code, all.log).toBe(0);
  expect(JSON.parse(all.outputs['result'] ?? '')).toMatchObject({
    scope: 'run',
    pods: [{ pod: HEALTHY, kind: 'done', detail: { leg: expect.any(String) } }],
  });
  expect(all.summary).toContain('| pod | job | state | cost so far | what happened |');
  expect(isGone(HEALTHY)).toBe(true);
}, 120_000);
