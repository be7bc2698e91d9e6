/** Jobs that are cut: by a cancel while register works, by a kill before its commit, by a runner that is lost. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

const PODS = { waiting: 'waiting0pod', silent: 'silent00pod', killed: 'killed00pod', lost: 'lost0000pod' };

let job: Job;
beforeAll(async () => {
  job = await beginJob({ pods: Object.values(PODS) });
}, 120_000);
afterAll(() => job.end());

function access(): Texts {
  return { 'api-key': API_KEY, 'ssh-key': job.sshKey };
}

function inputs(pod: string): Texts {
  return { ...access(), 'pod-id': pod, 'remote-path': '/workspace/results' };
}

/** Sends `signal` once the step has asked for the pod by its id: its state is saved by then. */
async function cutAtLook(pod: string, signal: NodeJS.Signals): Promise<StepEnd> {
  let child: ChildProcess | null = null;
  const running = job.step('register', 'main', {
    inputs: inputs(pod),
    watch: (process) => {
      child = process;
    },
  });
  const asked = (): boolean => job.world.requests().some(({ path }) => path.endsWith(`/pods/${pod}`));
  while (!asked() || child === null) await wait(10);
  (child as ChildProcess).kill(signal);
  return await running;
}

async function expectEndedByPost(pod: string, main: StepEnd): Promise<StepEnd> {
  job.world.setFaults([]);
  const post = await job.step('register', 'post', { state: main.state, jobStatus: 'cancelled' });
  expect(post.code, post.log).toBe(0);
  expect(job.world.world.pods.has(pod)).toBe(false);
  expect(job.record(pod)).toMatchObject({ status: 'terminated', end: { verified: true } });
  return post;
}

it('C39 b: a cancel while register waits leaves main with its row pushed, and post ends the pod', async () => {
  job.world.setFaults([{ name: 'slow', ms: 800, on: ['getPod'], podId: PODS.waiting }]);
  const main = await cutAtLook(PODS.waiting, 'SIGINT');
  expect(main.code).toBe(130);
  expect(main.log).toContain('SIGINT: stopping');
  expect(job.record(PODS.waiting)).toMatchObject({ status: 'active' });
  await expectEndedByPost(PODS.waiting, main);
}, 120_000);

it('a provider that never answers does not hold main past its grace, and post does what was begun', async () => {
  job.world.setFaults([{ name: 'slow', ms: 60_000, on: ['getPod'], podId: PODS.silent }]);
  const main = await cutAtLook(PODS.silent, 'SIGINT');
  expect(main.code).toBe(130);
  expect(main.state['phase']).toBe('asked');
  expect(job.record(PODS.silent)).toBeNull();
  const post = await expectEndedByPost(PODS.silent, main);
  expect(post.log).toContain('ended before its record was written');
}, 120_000);

it('C02 b: main killed outright before its commit: post enters the pod and ends it, verified', async () => {
  job.world.setFaults([{ name: 'slow', ms: 5_000, on: ['getPod'], podId: PODS.killed }]);
  const main = await cutAtLook(PODS.killed, 'SIGKILL');
  expect(main.code).toBeNull();
  expect(job.record(PODS.killed)).toBeNull();
  await expectEndedByPost(PODS.killed, main);
}, 120_000);

it('C39 a: a lost runner runs no post: the first cycle after the owner deadline ends the pod, verified', async () => {
  const short = { ...inputs(PODS.lost), 'kill-in': '1s', 'max-extensions': '0' };
  const main = await job.step('register', 'main', { inputs: short });
  expect(main.code, main.log).toBe(0);
  await wait(1_500);
  const reap = await job.step('reap', 'main', { inputs: access(), env: { GITHUB_RUN_ID: '2002' } });
  expect(reap.outputs['ended'], reap.log).toBe('1');
  expect(job.world.world.pods.has(PODS.lost)).toBe(false);
  expect(job.record(PODS.lost)).toMatchObject({ end: { verified: true } });
}, 120_000);
