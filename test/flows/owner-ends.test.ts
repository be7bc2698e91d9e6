/** The owner's end of his own pod: teardown on request, the end of a job, and what is handed over. */
import { describe, expect, it } from 'vitest';
import { Refusal, type WorldError } from '../../src/domain/errors.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { seen } from '../../src/domain/part.ts';
import { actingOwner, actingReaper } from '../../src/flows/acting.ts';
import { claim } from '../../src/flows/claim.ts';
import { releaseFence, takeFence } from '../../src/flows/ending/fence.ts';
import { type FinishInput, finishJob, handOver } from '../../src/flows/ending/finish-job.ts';
import { type TeardownOwnInput, teardownOwn } from '../../src/flows/ending/teardown-own.ts';
import { extendBy } from '../../src/flows/move-deadline.ts';
import { settleBase } from '../../src/flows/watch/settle.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import {
  answering,
  cycles,
  ended,
  ours,
  put,
  record,
  registerInput,
  type Stage,
  stage,
  verbs,
  verdicts,
} from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });
const acting = actingOwner(mine, null);

const ending = (of: Partial<TeardownOwnInput> = {}): TeardownOwnInput => ({
  acting,
  owner: mine,
  podId: 'p',
  forcedBecause: null,
  skipPull: false,
  choice: null,
  localPath: null,
  pullBudgetMs: minutes(5),
  waitMs: minutes(2),
  ...of,
});

const finishing = (of: Partial<FinishInput> = {}, owner: Owner = mine): FinishInput => ({
  register: registerInput('p', {}, owner),
  entered: true,
  ending: 'teardown',
  keepForMs: minutes(30),
  localPath: null,
  pullBudgetMs: minutes(3),
  waitMs: minutes(3),
  known: null,
  ...of,
});

const ACTS = { idle: { reason: 'idle' as const, inferred: true, verdict: null } };

/** The world, with something that happens the first time artifacts are pulled. */
function pullingWorld(on: Stage, happens: () => Promise<void> | void): World {
  let once = true;
  return {
    ...on.world,
    mirror: {
      ...on.world.mirror,
      pull: async (session, spec) => {
        if (once) await happens();
        once = false;
        return await on.world.mirror.pull(session, spec);
      },
    },
  };
}

describe('teardown on request', () => {
  it('goes through every step, and the history shows each', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    const outcome = await teardownOwn(on.world, ending());
    expect(outcome).toMatchObject({ kind: 'done', reason: 'requested', detail: { verified: true } });
    expect(outcome.says).toMatch(/1 artifact file\(s\) verified and kept .*DELETE accepted, then GET 404/);
    expect(await verbs(on, 'p')).toEqual([
      'register',
      'arm',
      'fence',
      'fence',
      'settle',
      'confirm',
      'settle',
    ]);
    expect(on.pods.get('p')?.pets).toHaveLength(1);
    expect(on.shell.openNow()).toBe(0);
  });

  it.each(['stalls', 'short'] as const)('does not end a pod whose pull %s', async (how) => {
    const on = stage();
    await ours(on, 'p');
    on.pulls.set('p', how);
    const outcome = await teardownOwn(on.world, ending());
    expect(outcome).toMatchObject({ kind: 'released', reason: 'not-saved' });
    expect(await record(on, 'p')).toMatchObject({ status: 'active', fence: null });
    expect((await record(on, 'p')).notes.at(-1)).toMatch(/released/);
    expect(ended(on)).toEqual([]);
  });

  it('does not end a pod that it cannot reach, unless forced or told to skip the pull', async () => {
    for (const [of, reason] of [
      [{ forcedBecause: 'hung' }, 'forced'],
      [{ skipPull: true }, 'pull-skipped'],
    ] as const) {
      const on = stage();
      await ours(on, 'p');
      const pod = on.pods.get('p');
      if (pod !== undefined) pod.door = 'no-route';
      expect(await teardownOwn(on.world, ending())).toMatchObject({ kind: 'released', reason: 'not-saved' });
      expect(ended(on)).toEqual([]);
      expect(await teardownOwn(on.world, ending(of))).toMatchObject({
        kind: 'done',
        reason,
        detail: { verified: false },
      });
    }
  });

  it('force does not break ownership', async () => {
    const on = stage();
    await ours(on, 'p');
    const stranger = anOwner({ uuid: 'u-2' });
    const theirs = ending({
      owner: stranger,
      acting: actingOwner(stranger, null),
      forcedBecause: 'I want it',
    });
    await expect(teardownOwn(on.world, theirs)).rejects.toMatchObject({ gate: 'other-owner' });
    expect(ended(on)).toEqual([]);
  });

  it('is tried again on the record as it is now when a mirror of the reaper came in between', async () => {
    const on = stage();
    await ours(on, 'p');
    let once = true;
    const provider = {
      ...on.provider,
      get: async (podId: string) => {
        if (once) {
          once = false;
          const now = await record(on, 'p');
          const note = 'a mirror of the reaper';
          await on.world.registry.submit([{ ...settleBase(on.world, actingReaper('r', null), now), note }]);
        }
        return await on.provider.get(podId);
      },
    };
    const outcome = await teardownOwn({ ...on.world, provider }, ending());
    expect(outcome).toMatchObject({ kind: 'done', reason: 'requested' });
  });

  it('does not touch another pod that bears the id by now', async () => {
    const on = stage();
    await ours(on, 'p');
    put(on, 'p', { createdAt: NOW - minutes(1) });
    const outcome = await teardownOwn(on.world, ending({ forcedBecause: 'x' }));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'id-reused' });
    expect(ended(on)).toEqual([]);
  });

  it('of a pod that is TERMINATED already settles it without a DELETE', async () => {
    const on = stage();
    await ours(on, 'p');
    put(on, 'p', { createdAt: NOW - minutes(60), status: 'TERMINATED', statusText: 'TERMINATED' });
    expect(await teardownOwn(on.world, ending())).toMatchObject({ kind: 'done', detail: { how: 'lost' } });
    expect(ended(on)).toEqual([]);
  });

  it('of an ended pod that is shown goes on with it', async () => {
    const on = stage();
    await ours(on, 'p');
    await ours(on, 'q', { switched: { util: '97' } });
    const shown = on.provider.pods.get('p');
    on.provider.pods.delete('p');
    await cycles(on, 4, minutes(6));
    expect((await record(on, 'p')).status).toBe('lost');
    if (shown !== undefined) on.provider.put(shown);
    expect(await teardownOwn(on.world, ending())).toMatchObject({ kind: 'done', reason: 'requested' });
    expect((await record(on, 'p')).status).toBe('terminated');
  });
});

describe('what does not prove an end (case C05)', () => {
  const dies = async (on: Stage) => await teardownOwn(on.world, ending());

  it('a DELETE that answers 500: it still bills, and the next cycle tries again', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    on.provider.fail('terminate', 'server-error', { times: 1 });
    expect(await dies(on)).toMatchObject({ kind: 'failed', reason: 'server-error' });
    expect((await record(on, 'p')).status).toBe('terminating');
    on.clock.jump(minutes(5));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'requested' });
    expect((await record(on, 'p')).end).toMatchObject({ how: 'terminated', reason: 'requested' });
  });

  it.each(['not-sent', 'unauthorized'] as const)(
    'neither DELETE nor look answered (%s): nothing is sent, its end stays wanted',
    async (failure) => {
      const on = stage();
      await ours(on, 'p', { switched: { util: '97' } });
      on.provider.fail('get', failure, { times: 1 });
      const outcome = await dies(on);
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'provider-unseen' });
      expect(outcome.says).toMatch(/it may still bill/);
      expect((await record(on, 'p')).status).toBe('terminating');
      on.provider.fail('terminate', failure, { times: 1 });
      on.clock.jump(minutes(5));
      await cycles(on, 1);
      expect((await record(on, 'p')).status).toBe('terminating');
      on.clock.jump(minutes(5));
      await cycles(on, 1);
      expect((await record(on, 'p')).status).toBe('terminated');
    },
  );

  it('a pod that goes three looks later: one line of success at the end', async () => {
    const on = stage();
    await ours(on, 'p');
    on.provider.linger('p', 3);
    expect(await dies(on)).toMatchObject({ kind: 'done' });
    expect(ended(on)).toEqual(['p']);
  });

  it('a pod that stays as TERMINATED counts as gone, and is not reopened for being listed', async () => {
    const on = stage();
    await ours(on, 'p');
    await ours(on, 'q', { switched: { util: '97' } });
    on.provider.linger('p', 1000, 'TERMINATED');
    expect(await dies(on)).toMatchObject({ kind: 'done' });
    const after = await record(on, 'p');
    await cycles(on, 3);
    expect(await record(on, 'p')).toEqual(after);
  });

  it('a pod that outlives its accepted DELETE by minutes is neither petted nor given back, and then settled', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    await ours(on, 'q', { switched: { util: '97' } });
    on.provider.linger('p', 1000);
    expect(await dies(on)).toMatchObject({ kind: 'pending', reason: 'not-confirmed' });
    const pets = on.pods.get('p')?.pets.length;
    on.clock.jump(minutes(4));
    expect(verdicts(await cycles(on, 1))).toMatchObject({ p: 'requested' });
    expect(on.pods.get('p')?.pets.length).toBe((pets ?? 0) + 1); // the pet before the pull, and no other
    on.provider.pods.delete('p');
    on.clock.jump(minutes(4));
    await cycles(on, 1);
    expect((await record(on, 'p')).end).toMatchObject({
      how: 'terminated',
      reason: 'requested',
      verified: true,
    });
  });

  it('a DELETE that meets nothing, a GET 404 and a good list: lost at once, not "terminated"', async () => {
    const on = stage();
    await ours(on, 'p');
    await ours(on, 'q');
    on.provider.pods.delete('p');
    expect(await dies(on)).toMatchObject({ kind: 'done', detail: { how: 'lost', verified: false } });
    expect((await record(on, 'p')).status).toBe('lost');
  });

  it.each<[string, (on: Stage) => void]>([
    ['the list is empty', (on) => on.provider.pods.clear()],
    ['the list cannot be read', (on) => on.provider.fail('list', 'unexpected-answer', { times: 1 })],
    ['an item of the list is malformed', (on) => void on.provider.malformed.push({ id: null, problem: 'x' })],
    [
      'the key belongs to another account',
      (on) => {
        on.provider.money = seen({ id: 'somebody', balanceMicroUsd: 1, spendPerHourMicroUsd: 0 });
      },
    ],
    ['the account cannot be asked', (on) => on.provider.fail('account', 'server-error', { times: 1 })],
  ])('the same while %s concludes nothing, then or in the next look', async (_what, spoil) => {
    const on = stage();
    await ours(on, 'p');
    await ours(on, 'q', { switched: { util: '97' } });
    on.provider.pods.delete('p');
    spoil(on);
    expect(await dies(on)).toMatchObject({ kind: 'pending', reason: 'not-confirmed' });
    expect(await record(on, 'p')).toMatchObject({ status: 'terminating', fence: { step: 'fenced' } });
  });

  it('the same of a young pod: a lagging list is no proof', async () => {
    const on = stage();
    await ours(on, 'p', { pod: { createdAt: NOW - minutes(5), startedAt: NOW - minutes(4) } });
    await ours(on, 'q', { switched: { util: '97' } });
    const shown = on.provider.pods.get('p');
    on.provider.pods.delete('p');
    expect(await dies(on)).toMatchObject({ kind: 'pending' });
    if (shown !== undefined) on.provider.put(shown);
    on.clock.jump(minutes(1));
    expect(verdicts(await cycles(on, 1))).toMatchObject({ p: 'requested' });
    expect((await record(on, 'p')).end).toMatchObject({ how: 'terminated', verified: true });
  });
});

describe('somebody else’s fence', () => {
  const reaper = actingReaper('reaper-1', null);

  it('is waited for, and the pod then ended by whoever is left to do it', async () => {
    const on = stage();
    await ours(on, 'p');
    const fenced = await takeFence(on.world, reaper, await record(on, 'p'), ACTS.idle);
    if (fenced.kind === 'refused') throw new Error(fenced.detail);
    const gave = on.clock.sleep(45_000).then(() => releaseFence(on.world, reaper, fenced.record, 'busy'));
    expect(await teardownOwn(on.world, ending())).toMatchObject({ kind: 'done', reason: 'requested' });
    await gave;
  });

  it('that outlasts the patience is left to its holder', async () => {
    const on = stage();
    await ours(on, 'p');
    await takeFence(on.world, reaper, await record(on, 'p'), ACTS.idle);
    const began = on.clock.now();
    expect(await teardownOwn(on.world, ending())).toMatchObject({
      kind: 'handed-over',
      reason: 'fence-held',
    });
    expect(on.clock.now() - began).toBe(minutes(2));
    expect(ended(on)).toEqual([]);
  });
});

describe('the end of a job', () => {
  it('ends the pod, and says so in the record', async () => {
    const on = stage();
    await ours(on, 'p');
    expect(await finishJob(on.world, finishing())).toMatchObject({ kind: 'done', reason: 'requested' });
    expect((await record(on, 'p')).status).toBe('terminated');
  });

  it('that asked to keep the pod keeps it for that long', async () => {
    const on = stage();
    await ours(on, 'p');
    expect(await finishJob(on.world, finishing({ ending: 'keep' }))).toMatchObject({
      order: 'keep',
      kind: 'done',
    });
    expect((await record(on, 'p')).deadlines.keepUntilAt).toBe(NOW + minutes(30));
    expect(ended(on)).toEqual([]);
  });

  it('leaves alone what a later attempt has reclaimed, and what was claimed', async () => {
    const on = stage();
    await ours(on, 'p');
    const heir = anOwner({ uuid: 'u-2', attempt: 2 });
    await claim(on.world, {
      acting: actingOwner(heir, null),
      owner: heir,
      podId: 'p',
      killInMs: null,
      forcedBecause: null,
    });
    const outcome = await finishJob(on.world, finishing());
    expect(outcome).toMatchObject({ kind: 'done', reason: 'not-mine' });
    expect(ended(on)).toEqual([]);
  });

  it('enters the record that main was cut before writing, and then ends the pod (case C02)', async () => {
    const on = stage();
    await ours(on, 'colleague', { switched: { util: '97' } });
    put(on, 'p', { createdAt: NOW - minutes(10), startedAt: NOW - minutes(9) });
    on.files.set('p', { 'out.txt': 'x' });
    answering(on, 'p');
    expect(await finishJob(on.world, finishing({ entered: false }))).toMatchObject({ kind: 'done' });
    expect(ended(on)).toEqual(['p']);
    expect(await verbs(on, 'p')).toContain('register');
  });

  it('whose pod was taken for lost looks once more before it leaves', async () => {
    const on = stage();
    await ours(on, 'p');
    await ours(on, 'q', { switched: { util: '97' } });
    const shown = on.provider.pods.get('p');
    on.provider.pods.delete('p');
    await cycles(on, 4, minutes(6));
    if (shown !== undefined) on.provider.put(shown);
    expect(await finishJob(on.world, finishing())).toMatchObject({ kind: 'done', reason: 'requested' });
    expect(ended(on)).toEqual(['p']);
  });

  it('throws for a registry that cannot be read, and leaves the pod', async () => {
    const on = stage();
    await ours(on, 'p');
    const registry = { ...on.world.registry, read: () => Promise.reject(worldError('registry-unreadable')) };
    const error = (await finishJob({ ...on.world, registry }, finishing()).catch(
      (what: unknown) => what,
    )) as WorldError;
    expect(error.failure).toBe('registry-unreadable');
    expect(ended(on)).toEqual([]);
  });

  it('that is over time hands over: its word stands, and the next cycle ends the pod, busy as it looks', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    await ours(on, 'q', { switched: { util: '97' } });
    const fenced = await takeFence(on.world, acting, await record(on, 'p'), {
      reason: 'requested',
      inferred: false,
      verdict: null,
    });
    expect(fenced.kind).toBe('held');
    expect(await handOver(on.world, finishing(), 'a long pull')).toMatchObject({ kind: 'handed-over' });
    expect((await record(on, 'p')).notes.at(-1)).toMatch(/handed over by the post step: a long pull/);
    on.clock.jump(minutes(1));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'requested', q: 'gpu-busy' });
    expect(ended(on)).toEqual(['p']);
  });

  it('that was handed over is taken back by an extension of its owner', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    const why = { reason: 'requested' as const, inferred: false, verdict: null };
    await takeFence(on.world, acting, await record(on, 'p'), why);
    await handOver(on.world, finishing(), 'a long pull');
    on.clock.jump(minutes(1));
    await extendBy(on.world, { acting, owner: mine, podId: 'p', byMs: minutes(60) });
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'gpu-busy' });
    expect(ended(on)).toEqual([]);
  });

  it('does not end a pod that is claimed while it pulls', async () => {
    const on = stage();
    await ours(on, 'p');
    const heir = anOwner({ uuid: 'u-2', label: 'heir', labelGiven: true });
    let refused: unknown = null;
    const world = pullingWorld(on, async () => {
      const claimed = claim(on.world, {
        acting: actingOwner(heir, null),
        owner: heir,
        podId: 'p',
        killInMs: null,
        forcedBecause: 'mine now',
      });
      refused = await claimed.catch((what: unknown) => what);
    });
    const outcome = await finishJob(world, finishing());
    expect(refused).toBeInstanceOf(Refusal);
    expect(outcome).toMatchObject({ kind: 'done', reason: 'requested' });
  });
});
