/** A stop at the job's end: verified first, bounded by the old deadlines, and ended by the reaper without a second look inside. */
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/duration.ts';
import { seen } from '../../src/domain/part.ts';
import { type FinishInput, finishJob } from '../../src/flows/ending/finish-job.ts';
import type { RegisterInput } from '../../src/flows/entry/register-checks.ts';
import { reap } from '../../src/flows/reap.ts';
import { register } from '../../src/flows/register.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import {
  cycles,
  ended,
  ours,
  reapOptions,
  record,
  registerInput,
  type Stage,
  stage,
  verdicts,
} from './stage.ts';

const stopping = (): FinishInput => ({
  register: registerInput('p', {}, anOwner({ uuid: 'u-p' })),
  entered: true,
  ending: 'stop',
  keepForMs: minutes(30),
  localPath: null,
  pullBudgetMs: minutes(3),
  waitMs: minutes(3),
  known: null,
});

/** Long enough that the grace of a stopped pod, and not the owner deadline, ends it. */
const LONG: Partial<RegisterInput> = { killInMs: 3 * DAY_MS };

async function stopped(wish: Partial<RegisterInput> = {}): Promise<Stage> {
  const on = stage();
  await ours(on, 'p', { register: wish });
  const before = (await record(on, 'p')).deadlines;
  const outcome = await finishJob(on.world, stopping());
  expect(outcome).toMatchObject({ order: 'stop', kind: 'done', reason: 'stopped' });
  expect((await record(on, 'p')).deadlines).toEqual(before);
  on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW, conclusion: 'success' }));
  return on;
}

describe('a stop', () => {
  it('pulls, verifies and keeps first, moves no deadline, and says what bills on and who ends that', async () => {
    const on = stage();
    await ours(on, 'p');
    const outcome = await finishJob(on.world, stopping());
    expect(outcome.says).toMatch(
      /1 artifact file\(s\) verified and kept.*disk bills on until the reaper alone ends it, in 2 h/,
    );
    expect(on.pulled).toEqual(['p']);
    expect(on.provider.pods.get('p')?.status).toBe('EXITED');
    expect(await record(on, 'p')).toMatchObject({
      status: 'active',
      stopped: { verified: true },
      lastMirror: { verified: true, files: 1 },
    });
    expect(ended(on)).toEqual([]);
  });

  it('that could not save the artifacts leaves the pod running, and is red', async () => {
    const on = stage();
    await ours(on, 'p');
    on.pulls.set('p', 'short');
    expect(await finishJob(on.world, stopping())).toMatchObject({ kind: 'failed', reason: 'not-saved' });
    expect(on.provider.calls).not.toContain('stop p');
    expect((await record(on, 'p')).stopped).toBeUndefined();
  });

  it('that the provider does not take is red, and nothing says stopped', async () => {
    const on = stage();
    await ours(on, 'p');
    on.provider.fail('stop', 'write-refused');
    expect(await finishJob(on.world, stopping())).toMatchObject({ kind: 'failed', reason: 'not-stopped' });
    expect((await record(on, 'p')).stopped).toBeUndefined();
  });

  it('of a pod with a network volume, which cannot be stopped, is its end, verified', async () => {
    const on = stage();
    await ours(on, 'p', { pod: { volumeId: 'vol1' } });
    expect(await finishJob(on.world, stopping())).toMatchObject({ order: 'teardown', kind: 'done' });
    expect(ended(on)).toEqual(['p']);
    expect(on.said.some(({ line }) => line.includes('network volume cannot be stopped'))).toBe(true);
  });

  it('again, by a post that runs twice, is done already', async () => {
    const on = await stopped();
    expect(await finishJob(on.world, stopping())).toMatchObject({ order: 'stop', kind: 'done' });
    expect(on.provider.calls.filter((call) => call === 'stop p')).toHaveLength(1);
  });

  it('does not touch what changed hands while it was pulled', async () => {
    const on = stage();
    await ours(on, 'p');
    const pull = on.world.mirror.pull.bind(on.world.mirror);
    const world = {
      ...on.world,
      mirror: {
        ...on.world.mirror,
        pull: async (...given: Parameters<typeof pull>) => {
          await register(on.world, registerInput('p', {}, anOwner({ uuid: 'u-next', attempt: 2 })));
          return await pull(...given);
        },
      },
    };
    expect(await finishJob(world, stopping())).toMatchObject({
      kind: 'handed-over',
      reason: 'moved-meanwhile',
    });
    expect(on.provider.calls).not.toContain('stop p');
  });
});

describe('after a stop', () => {
  it('the end of the job is no reason to end it; its grace is, once, and what was verified before counts', async () => {
    const on = await stopped(LONG);
    expect(verdicts(await cycles(on, 2, HOUR_MS))).toEqual({ p: 'exited-counting' });
    expect(ended(on)).toEqual([]);
    const last = await cycles(on, 2, DAY_MS);
    expect(verdicts(last)).toEqual({ p: 'exited-grace' });
    expect(ended(on)).toEqual(['p']);
    expect(await record(on, 'p')).toMatchObject({
      status: 'terminated',
      end: { verified: true, reason: 'exited-grace' },
    });
    expect(on.pulled).toEqual(['p']);
  });

  it('the owner deadline stands', async () => {
    const on = await stopped();
    on.clock.jump(minutes(121));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'owner-deadline' });
    expect(await record(on, 'p')).toMatchObject({ end: { verified: true } });
  });

  it('a pod that was started and stopped by somebody else since is not ended unverified', async () => {
    const on = await stopped(LONG);
    const pod = on.provider.pods.get('p');
    if (pod === undefined) throw new Error('put before');
    on.provider.put({ ...pod, startedAt: NOW + HOUR_MS });
    on.clock.jump(2 * HOUR_MS);
    const cycle = await cycles(on, 1);
    expect(cycle.outcomes.filter(({ order }) => order === 'teardown')).toMatchObject([{ kind: 'released' }]);
    expect(ended(on)).toEqual([]);
  });

  it('a pod that was started between the verdict and the DELETE stays up', async () => {
    const on = await stopped();
    on.clock.jump(minutes(121));
    let looks = 0;
    const get = on.world.provider.get.bind(on.world.provider);
    const provider = {
      ...on.world.provider,
      get: async (podId: string) => {
        looks += 1;
        if (looks === 1) await on.provider.start('p');
        return await get(podId);
      },
    };
    await reap({ ...on.world, provider }, reapOptions());
    expect(ended(on)).toEqual([]);
  });
});
