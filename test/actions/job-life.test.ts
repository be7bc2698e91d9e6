/** A job from register to its end, from the built bundle, as the runner runs it: what stands where, in which order. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { component, suiteWith } from '../components.ts';
import { API_KEY, beginJob, GITHUB_TOKEN, type Job, POD, textsBelow } from './job.ts';
import type { StepEnd } from './step.ts';
import { zipNames } from './zip.ts';

const POD_KEY = 'rpa_POD0KEY0POD0KEY0POD0KEY0POD0KEY0';
const LEAK = 'hf_envSecretOfThePodThatListsReturn';

type Life = {
  job: Job;
  register: StepEnd;
  arm: StepEnd;
  post: StepEnd;
  sealedMode: number;
  folderMode: number;
};

async function live(node: string): Promise<Life> {
  const job = await beginJob({ pod: { podKey: POD_KEY, env: { HF_TOKEN: LEAK } } });
  const access = { 'api-key': API_KEY, 'ssh-key': job.sshKey };
  const inputs = { ...access, 'pod-id': ` ${POD}\r\n`, 'remote-path': '/workspace/results', 'kill-in': '2h' };
  const register = await job.step('register', 'main', { inputs, node });
  const sealed = register.state['secrets-file'] ?? '';
  const modes = [sealed, dirname(sealed)].map((path) => statSync(path).mode & 0o777);
  const arm = await job.step('arm', 'main', { inputs: access, node });
  const post = await job.step('register', 'post', { inputs, state: register.state, node });
  return { job, register, arm, post, sealedMode: modes[0] ?? 0, folderMode: modes[1] ?? 0 };
}

function lifeOn(node: () => string): void {
  let life: Life;
  beforeAll(async () => {
    life = await live(node());
  }, 120_000);
  afterAll(() => life.job.end());

  it('every step ends 0', () => {
    expect([life.register, life.arm, life.post].map(({ code, log }) => (code === 0 ? 0 : log))).toEqual([
      0, 0, 0,
    ]);
  });

  it('the pod is gone, the record says so, and its artifacts are kept under the run', async () => {
    expect(life.job.world.world.pods.has(POD)).toBe(false);
    expect(life.job.record(POD)).toMatchObject({
      status: 'terminated',
      end: { verified: true, reason: 'requested' },
    });
    const kept = life.job.results.artifacts().find(({ name }) => name === `podtrack-${POD}-1`);
    expect(zipNames(kept?.bytes ?? Buffer.alloc(0))).toEqual(['log/train.txt', 'model.bin']);
  });

  it('the record came before the switch, and the fence before the end', () => {
    const trailers = life.job.git(
      'log',
      '--reverse',
      '--format=%(trailers:key=Podtrack-Op,valueonly)',
      'podtrack',
    );
    const ops = trailers
      .split('\n')
      .flatMap((line) => line.trim().split(/\s+/)[0] ?? [])
      .filter((op) => op !== '');
    const first = ['register', 'arm', 'fence', 'confirm'].map((op) => ops.indexOf(op));
    expect(ops[0]).toBe('register');
    expect(first).toEqual(first.toSorted((left, right) => left - right));
    expect(first).not.toContain(-1);
    expect(ops.at(-1)).toBe('settle');
  });

  it('outputs give what later steps need', () => {
    const { outputs } = life.register;
    expect(outputs).toMatchObject({ 'pod-id': POD, label: 'acme/ml#1001', 'ssh-host': '127.0.0.1' });
    expect(outputs['ssh-port']).toMatch(/^\d+$/);
    expect(outputs['deadline']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(outputs['registry-commit']).toMatch(/^[0-9a-f]{40}$/);
    expect(JSON.parse(outputs['result'] ?? '')).toMatchObject({
      schemaVersion: 1,
      podId: POD,
      how: 'registered',
    });
    expect(life.arm.outputs['credential']).toBe('injected');
  });

  it('the owner travels to later steps through the environment of the job', () => {
    expect(life.register.env).toEqual({
      PODTRACK_OWNER_UUID: life.register.outputs['uuid'],
      PODTRACK_POD_ID: POD,
      PODTRACK_POD_IDS: POD,
      PODTRACK_JOB_POD_IDS: POD,
    });
  });

  it('the owner is the run by its key, with job, attempt and check run as plain fields', () => {
    expect(life.job.record(POD)).toMatchObject({
      owner: {
        label: 'acme/ml#1001',
        labelGiven: false,
        key: { server: 'http://github.localhost', repositoryId: '7654321', runId: '1001' },
        attempt: 1,
        job: 'train',
        matrix: null,
        checkRunId: '4711',
      },
    });
  });

  it('secrets wait sealed in a file of this user alone, and post takes it away', () => {
    expect([life.sealedMode, life.folderMode]).toEqual([0o600, 0o700]);
    expect(textsBelow(life.job.temp).filter(({ path }) => path.includes('podtrack-'))).toEqual([]);
  });

  it('one short table tells each step in the summary', () => {
    expect(life.register.summary).toContain(`${POD} is registered`);
    expect(life.post.summary).toContain(`${POD} is settled`);
    expect(life.post.summary.split('\n').length).toBeLessThan(15);
  });

  it('no secret stands in a log, an output, the state, a summary, the registry or an artifact name', () => {
    const { job } = life;
    const keyBody = job.sshKey.split('\n')[2] ?? '';
    const secrets = [API_KEY, GITHUB_TOKEN, POD_KEY, LEAK, keyBody];
    const registry =
      textsBelow(job.registry)
        .map(({ text }) => text)
        .join('\n') + job.git('log', '-p', 'podtrack');
    const told = [
      ...job.ends.map(({ log, outputs, state, env, summary }) =>
        JSON.stringify({ log, outputs, state, env, summary }),
      ),
      registry,
    ];
    expect(keyBody.length).toBeGreaterThan(40);
    expect(secrets.filter((secret) => told.some((text) => text.includes(secret)))).toEqual([]);
    // The same look finds what is there: the pod's id stands in all of these.
    expect(told.filter((text) => text.includes(POD)).length).toBe(told.length);
  });
}

describe('on the Node that runs the tests', () => {
  lifeOn(() => process.execPath);
});

suiteWith(['node24'], 'on Node 24', () => lifeOn(() => component('node24') ?? ''));
