/** include and exclude of a workflow, from the built bundle: several lines there, the same choice in record, post and artifact. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job, POD } from './job.ts';
import { zipNames } from './zip.ts';

let job: Job;
beforeAll(async () => {
  job = await beginJob();
}, 120_000);
afterAll(() => job.end());

it('only what was chosen is kept under the run, and the summary says what was left out', async () => {
  const access = { 'api-key': API_KEY, 'ssh-key': job.sshKey };
  const inputs = {
    ...access,
    'pod-id': POD,
    'remote-path': '/workspace/results',
    include: '# the model, and logs\n*.bin\nlog\n',
    exclude: '**/*.txt',
  };
  const register = await job.step('register', 'main', { inputs });
  expect(register.code, register.log).toBe(0);
  expect(register.summary).toContain('only &#42;.bin log');
  const choice = { include: ['*.bin', 'log'], exclude: ['**/*.txt'] };
  expect(job.record(POD)).toMatchObject({ artifacts: { choice } });
  const arm = await job.step('arm', 'main', { inputs: access });
  expect(arm.code, arm.log).toBe(0);
  const post = await job.step('register', 'post', { inputs, state: register.state });
  expect(post.code, post.log).toBe(0);
  expect(job.record(POD)).toMatchObject({ status: 'terminated', end: { verified: true } });
  expect(post.summary).toMatch(/1 file&#40;s&#41; left out by patterns/);
  const kept = job.results.artifacts().find(({ name }) => name === `podtrack-${POD}-1`);
  expect(zipNames(kept?.bytes ?? Buffer.alloc(0))).toEqual(['model.bin']);
}, 120_000);
