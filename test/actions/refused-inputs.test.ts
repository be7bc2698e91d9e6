/** What register says before anything costs money: each wrong input by its name, with the mend, and post stays quiet. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_KEY, beginJob, type Job, POD } from './job.ts';
import type { StepEnd, Texts } from './step.ts';

let job: Job;
beforeAll(async () => {
  job = await beginJob();
}, 120_000);
afterAll(() => job.end());

function good(): Record<string, string> {
  return {
    'pod-id': POD,
    'api-key': API_KEY,
    'ssh-key': job.sshKey,
    'remote-path': '/workspace/results',
  };
}

async function refusedWith(change: Texts, env: Texts = {}): Promise<StepEnd> {
  const main = await job.step('register', 'main', { inputs: { ...good(), ...change }, env });
  expect(main.code, main.log).not.toBe(0);
  expect(job.record(POD)).toBeNull();
  expect(job.world.world.pods.get(POD)?.status).toBe('RUNNING');
  const writes = job.world.requests().filter(({ method, path }) => method !== 'GET' && path.includes(POD));
  expect(writes).toEqual([]);
  return main;
}

it.each([
  ['C41 b: an empty pod-id', { 'pod-id': '' }, 2, /pod-id: it is empty.*masked/],
  ['a missing key', { 'api-key': '' }, 2, /no RunPod key was given/],
  ['C41 c: a key that is the word null', { 'api-key': 'null' }, 2, /no RunPod key was given/],
  ['C41 c: a pod-id that is the word null', { 'pod-id': 'null' }, 2, /pod-id: it is the word null/],
  [
    'C41 c: a pod-id that is the word undefined',
    { 'pod-id': 'undefined' },
    2,
    /pod-id: it is the word undef/,
  ],
  ['C41 b: a pod-id that was masked', { 'pod-id': '***' }, 2, /pod-id: it is masked.*Never mask pod ids/],
  ['a pod-id in quotes', { 'pod-id': `"${POD}"` }, 2, /pod-id: it stands in quotes/],
  ['a pod-id with a quote left over', { 'pod-id': `${POD}'` }, 2, /pod-id: it stands in quotes/],
  [
    'an address for a pod-id',
    { 'pod-id': `https://${POD}-8888.proxy.runpod.net/` },
    2,
    /pod-id: it is an address/,
  ],
  [
    'an expression that nobody evaluated',
    { 'pod-id': `\${{ steps.create.outputs.pod-id }}` },
    2,
    /pod-id: it is an expression that nobody has evaluated/,
  ],
  ['a key for a pod-id', { 'pod-id': API_KEY }, 2, /pod-id: it is a RunPod key/],
  ['two ids in one', { 'pod-id': `${POD} ${POD}` }, 2, /pod-id: .* is not one pod id/],
  ['a key that is masked', { 'api-key': '***' }, 2, /odd characters/],
  [
    'an expression for a key that nobody evaluated',
    { 'api-key': `\${{ secrets.RUNPOD_API_KEY }}` },
    2,
    /spaces, line breaks or odd characters/,
  ],
  ['a remote-path that is the word null', { 'remote-path': 'null' }, 2, /remote-path "null" is not absolute/],
  ['a key with a line break in it', { 'api-key': 'rpa_AB\nCD' }, 2, /spaces, line breaks/],
  ['no way to log in', { 'ssh-key': '' }, 2, /no SSH key was given/],
  ['no artifact path', { 'remote-path': '' }, 2, /no artifact path was given/],
  ['an absolute pattern', { include: 'ok\n/workspace/*.pt' }, 2, /include: "\/workspace.*absolute/],
  ['a pattern that leads out', { exclude: '../*' }, 2, /exclude: .*leads out of remote-path/],
  ['an ending that is not there', { 'on-failure': 'hibernate' }, 2, /on-failure.*teardown, keep, stop/],
  ['a rule that is no number', { 'idle-strikes': 'three' }, 2, /idle-strikes.*whole number/],
  ['another repository without its token', { 'registry-repository': 'other/place' }, 2, /registry-token/],
  ['a pod that is not there', { 'pod-id': 'n0such0pod' }, 2, /this account has no such pod/],
])(
  '%s is refused by name',
  async (_what, change, code, words) => {
    const main = await refusedWith(change);
    expect(main.code).toBe(code);
    expect(main.log).toMatch(words);
    expect(main.log.match(/^::error/gm)).toHaveLength(1);
  },
  60_000,
);

it('C41 a: a pull request from a fork gets a clear word, exit 3, and nothing happens', async () => {
  const event = join(job.temp, 'event.json');
  writeFileSync(event, JSON.stringify({ pull_request: { head: { repo: { fork: true } } } }));
  const main = await refusedWith({ 'api-key': '', 'ssh-key': '' }, { GITHUB_EVENT_PATH: event });
  expect(main.code).toBe(3);
  expect(main.log).toContain('pull requests from forks');
  expect(main.log).toContain('if: github.event.pull_request.head.repo.fork == false');
}, 60_000);

it('a key that may look but not terminate is found out before the job', async () => {
  const main = await refusedWith({ 'api-key': job.world.readOnlyKey });
  expect(main.code).toBe(3);
  expect(main.log).toContain('it may look but not terminate');
}, 60_000);

it('a broken .github/podtrack.yml is refused with its word', async () => {
  mkdirSync(join(job.workspace, '.github'));
  writeFileSync(join(job.workspace, '.github', 'podtrack.yml'), 'label: mine\n');
  const main = await refusedWith({});
  rmSync(join(job.workspace, '.github'), { recursive: true });
  expect(main.log).toContain('it does not know "label"');
}, 60_000);

it('post ends quietly where nothing was begun, and where register was refused', async () => {
  const refused = await refusedWith({ 'pod-id': 'n0such0pod' });
  expect(refused.state['phase']).toBe('refused');
  for (const state of [{}, refused.state]) {
    const post = await job.step('register', 'post', { state });
    expect(post.code, post.log).toBe(0);
    expect(post.log).toContain('nothing to end');
    expect(post.log).not.toContain('::error');
  }
}, 60_000);

it('C41 c: blanks and Windows line ends around inputs are no part of them', async () => {
  const crlf = Object.fromEntries(Object.entries(good()).map(([name, text]) => [name, ` ${text}\r\n`]));
  const more = { 'kill-in': '2h\r\n', 'on-failure': 'keep\r\n', 'no-artifacts': 'false\r\n' };
  const main = await job.step('register', 'main', {
    inputs: { ...crlf, ...more, 'ssh-key': job.sshKey.replaceAll('\n', '\r\n') },
  });
  expect(main.code, main.log).toBe(0);
  expect(job.record(POD)).toMatchObject({
    status: 'active',
    artifacts: { remotePath: '/workspace/results' },
  });
}, 60_000);
