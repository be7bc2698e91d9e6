/** The setup door: the command on PATH of the steps that follow, from the bundle alone, and what it gives out. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { beginJob, type Job } from './job.ts';
import type { StepEnd } from './step.ts';

const MATRIX = '{"gpu":"it\'s $(a) \\\\ `b`"}';

let job: Job;
let setup: StepEnd;
beforeAll(async () => {
  job = await beginJob();
  setup = await job.step('setup', 'main', { inputs: { matrix: MATRIX, label: "o'neil trains" } });
}, 120_000);
afterAll(() => job.end());

const answer = z.looseObject({
  label: z.string(),
  uuid: z.string(),
  registry: z.object({ place: z.string(), registryId: z.string() }),
});

/** As a run: step calls it: no HOME, no Node on PATH. */
function podtrack(...args: readonly string[]): z.infer<typeof answer> {
  const env = {
    PATH: `${setup.path[0] ?? ''}:/usr/bin:/bin`,
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'http://github.localhost',
    GITHUB_REPOSITORY: 'acme/ml',
    GITHUB_REPOSITORY_ID: '7654321',
    GITHUB_RUN_ID: '1001',
    RUNNER_TEMP: job.temp,
    ...setup.env,
  };
  return answer.parse(JSON.parse(execFileSync('podtrack', [...args], { env, encoding: 'utf8' })));
}

it('puts a command of this job alone on PATH, which knows owner and registry without being told', () => {
  expect(setup.code, setup.log).toBe(0);
  expect(setup.path).toHaveLength(1);
  const [bin = ''] = setup.path;
  expect(bin.startsWith(job.temp)).toBe(true);
  expect(statSync(join(bin, '..')).mode & 0o777).toBe(0o700);
  const me = podtrack('whoami', '--json');
  expect(me).toMatchObject({
    label: "o'neil trains",
    uuid: setup.outputs['uuid'],
    registry: { place: job.registry },
  });
  expect(setup.env).toEqual({ PODTRACK_OWNER_UUID: setup.outputs['uuid'] });
}, 60_000);

it('gives a stamp and a name for a pod of one’s own, of the registry that it has begun', () => {
  expect(setup.outputs['stamp']).toMatch(/^1:[0-9a-f]{32}:7654321:1001:\d+:\d+:[0-9a-f]{16}$/);
  expect(setup.outputs['pod-name']).toMatch(/^pt-[0-9a-f]{8}-[0-9a-f]{8}$/);
  const result = z.looseObject({ registryId: z.string() }).parse(JSON.parse(setup.outputs['result'] ?? ''));
  expect(result).toMatchObject({ schemaVersion: 1, stamp: setup.outputs['stamp'] });
  expect(podtrack('whoami', '--json').registry.registryId).toBe(result.registryId);
}, 60_000);

it('says what it could not look up, and asks for no RunPod key', () => {
  expect(setup.log).toContain('whether a reaper will come could not be looked up');
  expect(setup.summary).toContain('is ready');
});

it('refuses a word that is neither yes nor no, by its input, with exit 2', async () => {
  const wrong = await job.step('setup', 'main', { inputs: { strict: 'maybe' } });
  expect(wrong.code).toBe(2);
  expect(wrong.log).toContain('strict');
}, 60_000);
