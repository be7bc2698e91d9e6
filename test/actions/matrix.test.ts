/** Legs of one matrix, attempts, renames and emulators: whose pod it is, shown on the doors. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

const LEGS = ['leg0a00000pod', 'leg0b00000pod', 'leg0c00000pod', 'leg0d00000pod'] as const;
const [A, B, C, D] = LEGS;
const MOVED = 'moved00000pod';
const LAPTOP = 'laptop0000pod';

let job: Job;
beforeAll(async () => {
  job = await beginJob({ pods: [...LEGS, MOVED, LAPTOP] });
}, 120_000);
afterAll(() => job.end());

/** A job of its own: nothing that another one has exported. */
const ALONE = { PODTRACK_OWNER_UUID: '', PODTRACK_POD_ID: '' };

function enter(pod: string, change: { inputs?: Texts; env?: Texts } = {}): Promise<StepEnd> {
  const inputs = { 'pod-id': pod, 'api-key': API_KEY, 'ssh-key': job.sshKey, 'no-artifacts': 'true' };
  return job.step('register', 'main', {
    inputs: { ...inputs, ...change.inputs },
    env: { ...ALONE, ...change.env },
  });
}

const leg = (pod: string): Promise<StepEnd> => enter(pod, { inputs: { matrix: `{"pod":"${pod}"}` } });
const isUp = (pod: string): boolean => job.world.world.pods.has(pod);

it('C66: four legs have four rows; no leg can take or end another’s, and each pod ends with its own leg', async () => {
  const mains = [];
  for (const pod of LEGS) mains.push(await leg(pod));
  expect(mains.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(new Set(mains.map(({ outputs }) => outputs['uuid'])).size).toBe(4);

  const thief = await enter(B, { inputs: { matrix: `{"pod":"${A}"}` } });
  expect(thief.code).toBe(3);
  expect(thief.log).toContain('a sibling of this job that may still run holds it');
  const quiet = await job.step('register', 'post', { state: thief.state });
  expect(quiet.code, quiet.log).toBe(0);

  const post = await job.step('register', 'post', { state: mains[0]?.state ?? {} });
  expect(post.code, post.log).toBe(0);
  expect(LEGS.map(isUp)).toEqual([false, true, true, true]);
}, 120_000);

it('C66: given one id of several, teardown ends that one and names the others', async () => {
  const record = job.record(D) as { owner: { uuid: string } } | null;
  const ended = await job.step('teardown', 'main', {
    inputs: { 'pod-id': D, 'api-key': API_KEY, uuid: record?.owner.uuid ?? '' },
    env: ALONE,
  });
  expect(ended.code, ended.log).toBe(0);
  expect(ended.log).toMatch(new RegExp(`2 more pod\\(s\\) of this owner live: ${B}, ${C}`));
  expect(LEGS.map(isUp)).toEqual([false, true, true, false]);
}, 60_000);

it('C65: after a rename and a move the pod is still ours, and the label follows; on another forge it is not', async () => {
  const first = await enter(MOVED, { env: { GITHUB_RUN_ID: '7065' } });
  expect(first.code, first.log).toBe(0);
  const elsewhere = { GITHUB_SERVER_URL: 'http://forge-two.localhost', GITHUB_RUN_ID: '7065' };
  const stranger = await enter(MOVED, { env: elsewhere });
  expect(stranger.code).toBe(3);
  expect(stranger.log).toContain('it belongs to acme/ml#7065');
  const renamed = { GITHUB_REPOSITORY: 'harbour/new', GITHUB_RUN_ID: '7065', GITHUB_RUN_ATTEMPT: '2' };
  const again = await enter(MOVED, { env: renamed });
  expect(JSON.parse(again.outputs['result'] ?? '{}')).toMatchObject({
    how: 'reclaimed',
    label: 'harbour/new#7065',
  });
}, 60_000);

it('C65: run 1 of one laptop is not run 1 of another, and that nobody is asked about it is said', async () => {
  const act = { ACT: 'true', GITHUB_RUN_ID: '1', GITHUB_REPOSITORY_ID: '' };
  const one = await enter(LAPTOP, { env: act });
  expect(one.code, one.log).toBe(0);
  expect(one.log).toContain('this runner names no run on a forge');
  const other = await enter(LAPTOP, { env: act });
  expect(other.code).toBe(3);
}, 60_000);
