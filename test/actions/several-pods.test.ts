/** Several pods in one job, at the doors: in together or not at all, armed and ended side by side, told pod by pod. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job, textsBelow } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

const PODS = ['one000000pod', 'two000000pod', 'three0000pod', 'four00000pod', 'five00000pod'] as const;
const [A, B, C, D, E] = PODS;

let job: Job;
beforeAll(async () => {
  job = await beginJob({ pods: PODS });
}, 120_000);
afterAll(() => job.end());

const access = (): Texts => ({ 'api-key': API_KEY, 'ssh-key': job.sshKey });
const isUp = (pod: string): boolean => job.world.world.pods.has(pod);

function enter(ids: string, change: Texts = {}, env: Texts = {}): Promise<StepEnd> {
  const inputs = { ...access(), 'pod-ids': ids, 'remote-path': '/workspace/results', ...change };
  return job.step('register', 'main', { inputs, env });
}

it('one that is not there is named, none is registered or touched, and post is quiet', async () => {
  const before = job.world.requests().length;
  const main = await enter(`${A}, n0such0pod ${B}`);
  expect([main.code, main.state['phase']]).toEqual([2, 'refused']);
  expect(main.log).toMatch(/::error.*n0such0pod: this account has no such pod.*None of the 3 pods/);
  expect([job.record(A), job.record(B)]).toEqual([null, null]);
  const asked = job.world.requests().slice(before);
  expect(
    asked.filter(({ method, path }) => method !== 'GET' && PODS.some((id) => path.includes(id))),
  ).toEqual([]);
  const post = await job.step('register', 'post', { state: main.state });
  expect([post.code, post.log]).toEqual([0, expect.stringContaining('nothing to end')]);
}, 120_000);

it('an address, which is one pod’s, and pod-id beside pod-ids are refused by name', async () => {
  const address = await enter(`${A},${B}`, { 'ssh-port': '22' });
  const both = await enter(`${A},${B}`, { 'pod-id': A });
  expect([address.code, both.code]).toEqual([2, 2]);
  expect(address.log).toContain("Reading the input ssh-port: it is one pod's, and pod-ids holds 2");
  expect(both.log).toContain('Reading the input pod-ids: pod-id was given as well');
}, 120_000);

it('three are entered in one commit, armed side by side, and end with their job: a row, an artifact and a line each', async () => {
  const main = await enter(JSON.stringify([A, B, C]), { 'local-path': 'out' });
  expect(main.code, main.log).toBe(0);
  expect(job.history()).toEqual(['3 changes: register ×3']);
  expect(main.outputs).toMatchObject({ 'pod-id': '', 'ssh-host': '', 'ssh-port': '' });
  expect(JSON.parse(main.outputs['pod-ids'] ?? '')).toEqual([A, B, C]);
  const result = JSON.parse(main.outputs['result'] ?? '');
  expect(result).toMatchObject({ schemaVersion: 1, uuid: main.outputs['uuid'], label: 'acme/ml#1001' });
  expect(result).not.toHaveProperty('podId');
  expect(result.pods).toMatchObject(
    [A, B, C].map((podId) => ({ podId, how: 'registered', sshHost: '127.0.0.1', status: 'active' })),
  );
  expect(main.outputs['deadline']).toBe(
    result.pods.map((pod: { ownerDeadlineAt: string }) => pod.ownerDeadlineAt).toSorted()[0],
  );
  expect(main.env).toMatchObject({ PODTRACK_POD_ID: '', PODTRACK_POD_IDS: `${A} ${B} ${C}` });
  expect(main.summary.match(/^\| \w+pod \|/gm)).toHaveLength(3);
  expect(Buffer.byteLength(JSON.stringify(main.state))).toBeLessThan(16_000);

  // Without a word, arm takes what register entered; a pod that nobody can log in to is told and stops no other.
  job.world.disturb(B, 'vanish');
  const arm = await job.step('arm', 'main', { inputs: access() });
  expect(arm.code).toBe(3);
  expect(arm.log).toMatch(new RegExp(`::error.*${B}: not armed`));
  const armed = JSON.parse(arm.outputs['result'] ?? '').pods;
  expect(armed).toMatchObject([
    { podId: A, armed: true },
    { podId: B, armed: false },
    { podId: C, armed: true },
  ]);
  const [first, , third] = armed.map(({ switchStopAt }: { switchStopAt: string }) =>
    Date.parse(switchStopAt),
  );
  expect(Date.parse(arm.outputs['stop'] ?? '')).toBe(Math.min(first, third));

  const post = await job.step('register', 'post', { state: main.state, jobStatus: 'failure' });
  expect([A, B, C].map(isUp)).toEqual([false, false, false]);
  for (const pod of [A, C]) expect(job.record(pod)).toMatchObject({ end: { verified: true } });
  const kept = job.results.artifacts().map(({ name }) => name);
  expect(kept).toEqual(expect.arrayContaining([`podtrack-${A}-1`, `podtrack-${C}-1`]));
  expect(post.summary.match(/^\| \w+pod \|/gm)).toHaveLength(3);
  const pulled = textsBelow(join(job.workspace, 'out')).map(({ path }) => path);
  for (const pod of [A, C]) expect(pulled).toContain(join(job.workspace, 'out', pod, 'model.bin'));
}, 240_000);

it('teardown takes a list, ends what it can, and names the rest of this owner', async () => {
  const main = await enter(`${D}\n${E}`, {}, { PODTRACK_OWNER_UUID: '' });
  expect(main.code, main.log).toBe(0);
  const inputs = { ...access(), 'pod-ids': `${E} n0such0pod`, uuid: main.outputs['uuid'] ?? '' };
  const ended = await job.step('teardown', 'main', { inputs });
  expect(ended.code).toBe(1);
  expect([isUp(D), isUp(E)]).toEqual([true, false]);
  expect(JSON.parse(ended.outputs['result'] ?? '')).toMatchObject({
    scope: 'pods',
    pods: [
      { pod: E, kind: 'done' },
      { pod: 'n0such0pod', kind: 'failed' },
    ],
  });
  expect(ended.log).toContain(`more pod(s) of this owner live: ${D}`);
  const rest = await job.step('teardown', 'main', { inputs: access() });
  expect(rest.code, rest.log).toBe(0);
  expect(isUp(D)).toBe(false);
}, 240_000);
