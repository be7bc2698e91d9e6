/** What is looked at twice: pods that come back, lists that lag, keys of another account, files that are damaged, writes that fail at the end. */
import { describe, expect, it } from 'vitest';
import { seen } from '../../src/domain/part.ts';
import { formatStamp } from '../../src/domain/stamp.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { teardownOwn } from '../../src/flows/ending/teardown-own.ts';
import { extendBy } from '../../src/flows/move-deadline.ts';
import { reap } from '../../src/flows/reap.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import { cycles, ended, ours, put, reapOptions, record, type Stage, stage, verdicts } from './stage.ts';

const busy = { switched: { util: '97' }, register: { killInMs: minutes(60 * 24 * 9) } };

/** Two pods of ours of which `p` has vanished, and its record says lost. */
async function lost(): Promise<Stage> {
  const on = stage();
  for (const id of ['p', 'q']) await ours(on, id, busy);
  on.provider.pods.delete('p');
  await cycles(on, 4, minutes(6));
  expect((await record(on, 'p')).status).toBe('lost');
  return on;
}

const back = { createdAt: NOW - minutes(60), startedAt: NOW - minutes(59) };

describe('a lost pod', () => {
  it('is asked for by id for a week, and reopened with its old deadlines though no list shows it', async () => {
    const on = await lost();
    const { deadlines } = await record(on, 'p');
    on.clock.jump(minutes(60 * 24 * 6));
    put(on, 'p', back);
    on.provider.hidden.add('p');
    expect(verdicts(await cycles(on, 1))).toMatchObject({ p: 'gpu-busy' });
    expect(await record(on, 'p')).toMatchObject({ status: 'active', end: null, deadlines });
    expect(on.said.some(({ level, line }) => level === 'warning' && /p: .*reopened/.test(line))).toBe(true);
  });

  it('is no longer asked for after that week; a list that shows it still reopens it', async () => {
    const on = await lost();
    on.clock.jump(minutes(60 * 24 * 8));
    put(on, 'p', back);
    on.provider.hidden.add('p');
    const asked = on.provider.calls.filter((call) => call === 'get p').length;
    await cycles(on, 1);
    expect(on.provider.calls.filter((call) => call === 'get p')).toHaveLength(asked);
    on.provider.hidden.delete('p');
    await cycles(on, 1);
    expect((await record(on, 'p')).status).toBe('active');
  });

  it('is not the pod that bears its id later', async () => {
    const on = await lost();
    put(on, 'p', { createdAt: NOW + minutes(40), startedAt: NOW + minutes(41) });
    const cycle = await cycles(on, 1);
    expect((await record(on, 'p')).status).toBe('lost');
    expect(cycle.plan.foreign).toMatchObject([{ pod: { id: 'p' }, why: 'id-reused' }]);
    expect(on.shell.opened.at(-1)).toBe('q');
  });
});

describe('an ended pod', () => {
  /** The list goes on showing what GET no longer knows. */
  const lagging = (on: Stage): World => {
    const shown = on.provider.pods.get('p');
    return {
      ...on.world,
      provider: {
        ...on.provider,
        list: async () => {
          const list = await on.provider.list();
          const lagged = shown === undefined || list.pods.some(({ id }) => id === 'p') ? [] : [shown];
          return { ...list, pods: [...list.pods, ...lagged] };
        },
      },
    };
  };

  it('that a lagging list still shows is not reopened while GET says that it is gone (case C15)', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(10), killAbsoluteMs: minutes(10) } });
    await ours(on, 'q', busy);
    const world = lagging(on);
    on.clock.jump(minutes(11));
    await reap(world, reapOptions());
    expect((await record(on, 'p')).status).toBe('terminated');
    const cycle = await reap(world, reapOptions());
    expect((await record(on, 'p')).status).toBe('terminated');
    expect([cycle.plan.reopened, ended(on)]).toEqual([[], ['p']]);
  });
});

describe('the account', () => {
  it('of another key ends no record, however long its pods are away, and leaves no sighting behind', async () => {
    const on = stage();
    for (const id of ['p', 'q', 'r']) await ours(on, id, busy);
    const gone = ['p', 'q', 'r'].map((id) => on.provider.pods.get(id));
    const mine = on.provider.money;
    on.provider.money = seen({ id: 'somebody', balanceMicroUsd: 1, spendPerHourMicroUsd: 0 });
    on.provider.pods.clear();
    put(on, 'theirs');
    expect(new Set(Object.values(verdicts(await cycles(on, 4, minutes(20)))))).toEqual(
      new Set(['other-account']),
    );
    on.provider.money = mine;
    for (const pod of gone.slice(1)) if (pod !== undefined) on.provider.put(pod);
    on.clock.jump(minutes(1));
    expect(verdicts(await cycles(on, 1))).toMatchObject({ p: 'absent-counting', q: 'gpu-busy' });
  });

  it('that cannot be asked proves no absence; asked again, it does', async () => {
    const on = stage();
    for (const id of ['p', 'q']) await ours(on, id, busy);
    on.provider.pods.delete('p');
    on.provider.fail('account', 'server-error', { times: 3 });
    expect(verdicts(await cycles(on, 3, minutes(11)))).toMatchObject({ p: 'account-unknown' });
    on.clock.jump(minutes(11));
    await cycles(on, 2, minutes(11));
    expect((await record(on, 'p')).status).toBe('lost');
  });
});

describe('a damaged file', () => {
  async function damaged(on: Stage): Promise<void> {
    const files = on.host.commits.at(-1)?.files ?? new Map<string, string>();
    const path = [...files.keys()].find((name) => name.endsWith('/runpod.p.json')) ?? '';
    const cut = new Map([...files, [path, (files.get(path) ?? '').slice(0, 200)]]);
    on.host.commits = [...on.host.commits, { id: 'e'.repeat(40), at: NOW, message: 'by hand', files: cut }];
    expect((await on.world.registry.read()).state.pods['runpod.p']).toBeUndefined();
  }

  it('hides no pod from the reaper: it is visited and petted by its last valid version', async () => {
    const on = stage();
    await ours(on, 'p', busy);
    await damaged(on);
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'gpu-busy' });
    expect(on.pods.get('p')?.pets).toHaveLength(1);
  });

  it('hides no pod from its owner', async () => {
    const on = stage();
    await ours(on, 'p', busy);
    await damaged(on);
    const owner = anOwner({ uuid: 'u-p' });
    const outcome = await teardownOwn(on.world, {
      acting: actingOwner(owner, null),
      owner,
      podId: 'p',
      forcedBecause: null,
      skipPull: false,
      choice: null,
      localPath: null,
      pullBudgetMs: minutes(5),
      waitMs: 0,
    });
    expect(outcome).toMatchObject({ kind: 'done', reason: 'requested' });
  });
});

describe('a registry that takes no writes any more', () => {
  it('hides nothing of what the cycle did: the outcomes are told, and the cycle is no sweep', async () => {
    const on = stage();
    await ours(on, 'p', { ...busy, armed: false });
    await ours(on, 'q', busy);
    let writes = 0;
    const { registry } = on.world;
    const world = {
      ...on.world,
      registry: {
        ...registry,
        submit: (...of: Parameters<typeof registry.submit>) => {
          writes += 1;
          return writes > 2 ? Promise.reject(worldError('write-refused')) : registry.submit(...of);
        },
      },
    };
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes.map((one) => `${one.pod} ${one.order} ${one.kind}`)).toContain('q pet done');
    expect(cycle).toMatchObject({ swept: false, unwritten: expect.stringMatching(/write-refused/) });
  });
});

describe('asked again before a DELETE', () => {
  const late = { register: { killInMs: minutes(30), killAbsoluteMs: minutes(40) } };

  it('an absolute deadline does not depend on one more answer of the provider', async () => {
    const on = stage();
    await ours(on, 'p', { ...late, switched: { util: '97' } });
    on.clock.jump(minutes(41));
    on.provider.fail('get', 'server-error', { podId: 'p', times: 1 });
    await cycles(on, 1);
    expect(ended(on)).toEqual(['p']);
  });

  it('opens no connection that stays open', async () => {
    const on = stage();
    await ours(on, 'p', late);
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.door = 'no-route';
    on.clock.jump(minutes(41));
    const shell = {
      ...on.world.shell,
      ownNetworkWorks: async () => {
        if (pod !== undefined) delete pod.door; // the route is back by the second look
        return true;
      },
    };
    await reap({ ...on.world, shell }, reapOptions());
    expect(ended(on)).toEqual(['p']);
    expect(on.shell.openNow()).toBe(0);
  });

  it('what the provider shows as busy meanwhile is not ended as idle', async () => {
    const on = stage();
    await ours(on, 'p');
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    const shown = on.provider.pods.get('p');
    const world = {
      ...on.world,
      provider: {
        ...on.provider,
        get: async (podId: string) => {
          const telemetry = seen({ uptimeMs: minutes(80), gpus: [{ util: 60, memoryUtil: 30 }], cpuUtil: 1 });
          if (shown !== undefined) on.provider.put({ ...shown, telemetry });
          return await on.provider.get(podId);
        },
      },
    };
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'verdict-changed' }]);
    expect(ended(on)).toEqual([]);
  });

  it('an unreachable pod needs our own network proven again', async () => {
    const on = stage();
    const none = { remotePath: null, noArtifacts: true, killInMs: minutes(600) };
    await ours(on, 'p', { register: none });
    await ours(on, 'q', busy);
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.door = 'no-route';
    await cycles(on, 3, minutes(20));
    expect(ended(on)).toEqual(['p']);
    const other = stage();
    await ours(other, 'p', { register: none });
    await ours(other, 'q', busy);
    const shut = other.pods.get('p');
    if (shut !== undefined) shut.door = 'no-route';
    await cycles(other, 2, minutes(20));
    other.clock.jump(minutes(20));
    let asked = 0;
    const shell = { ...other.world.shell, ownNetworkWorks: () => Promise.resolve(asked++ < 0) };
    await reap({ ...other.world, shell }, reapOptions());
    expect(ended(other)).toEqual([]);
  });
});

describe('what a cycle learns of a pod that was to be ended and lives on', () => {
  it('is its new start and its host key all the same', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(30), killAbsoluteMs: minutes(600) } });
    on.pulls.set('p', 'stalls');
    on.clock.jump(minutes(31));
    const restartedAt = on.clock.now() - minutes(20);
    put(on, 'p', { createdAt: NOW - minutes(60), startedAt: restartedAt });
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.hostKey = `SHA256:${'n'.repeat(43)}`;
    const cycle = await cycles(on, 1);
    expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'not-saved' }]);
    expect(await record(on, 'p')).toMatchObject({
      startedAt: restartedAt,
      hostKey: { fingerprint: pod?.hostKey, from: 'restart' },
      lastVerdict: { kind: 'end', reason: 'owner-deadline' },
    });
  });
});

describe('what was saved', () => {
  it('by a mirror of hours ago is not called verified when the pod was ended without a pull', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(60) } });
    await ours(on, 'q', busy);
    await cycles(on, 1);
    expect((await record(on, 'p')).lastMirror?.verified).toBe(true);
    on.pulls.set('p', 'stalls');
    on.provider.linger('p', 1000);
    on.clock.jump(minutes(61));
    await cycles(on, 1);
    on.provider.pods.delete('p');
    on.clock.jump(minutes(1));
    await cycles(on, 1);
    expect((await record(on, 'p')).end).toMatchObject({ reason: 'absolute-deadline', verified: false });
  });

  it('of an empty folder is no good mirror, and nothing to be loud about before the end', async () => {
    const on = stage();
    await ours(on, 'p', busy);
    on.files.set('p', {});
    const cycle = await cycles(on, 1);
    expect(cycle.outcomes.filter((one) => one.kind !== 'done')).toEqual([]);
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 0, verified: false });
  });
});

describe('a stray', () => {
  async function doomed(): Promise<{ on: Stage; stamp: (nonce: string) => string }> {
    const on = stage();
    await ours(on, 'mine', busy);
    const { registryId } = (await on.world.registry.read()).state.meta;
    const stamp = (nonce: string) =>
      formatStamp({
        registryId,
        repositoryId: '501',
        runId: '8',
        mintedAt: NOW - minutes(61),
        ttlAt: NOW + minutes(600),
        nonce,
      });
    put(on, 'stray', { stamp: stamp('aabbccddeeff0011') });
    on.owners.set('aabbccddeeff0011', seen({ state: 'completed', completedAt: NOW, conclusion: null }));
    await cycles(on, 1);
    on.clock.jump(minutes(11));
    return { on, stamp };
  }

  it('whose run is over is ended without its ttl having passed, since nothing of it was ever declared', async () => {
    const { on } = await doomed();
    await cycles(on, 1);
    expect(ended(on)).toEqual(['stray']);
    expect((await record(on, 'stray')).end).toMatchObject({ reason: 'stray-orphan', verified: null });
  });

  it.each<[string, (on: Stage, stamp: (nonce: string) => string) => void]>([
    [
      'its run was started again',
      (on) => void on.owners.set('aabbccddeeff0011', seen({ state: 'in-progress' })),
    ],
    ['it was locked', (on) => put(on, 'stray', { ...on.provider.pods.get('stray'), locked: true })],
    ['it bears another stamp', (on, stamp) => put(on, 'stray', { stamp: stamp('1111111111111111') })],
    ['it could not be looked at', (on) => on.provider.fail('get', 'server-error', { podId: 'stray' })],
  ])('is asked about once more: %s, and it lives', async (_what, change) => {
    const { on, stamp } = await doomed();
    const { registry } = on.world;
    const world = {
      ...on.world,
      registry: {
        ...registry,
        submit: async (...of: Parameters<typeof registry.submit>) => {
          if (of[0].some((op) => op.op === 'fence')) change(on, stamp);
          return await registry.submit(...of);
        },
      },
    };
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toContainEqual(
      expect.objectContaining({ pod: 'stray', kind: 'released', reason: 'verdict-changed' }),
    );
    expect(ended(on)).toEqual([]);
  });
});

describe('a switch that is gone', () => {
  it('too near the stop to be armed again: the pod is ended, with its artifacts', async () => {
    const on = stage();
    await ours(on, 'p', {
      register: { killInMs: minutes(120), killAbsoluteMs: minutes(120) },
      switched: { util: '97' },
    });
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.planted = null;
    on.clock.jump(minutes(106));
    expect(verdicts(await cycles(on, 1))).toEqual({ p: 'rearm-too-late' });
    expect((await record(on, 'p')).end).toMatchObject({ reason: 'rearm-too-late', verified: true });
  });

  it('is armed again with what its owner extended meanwhile', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.planted = null;
    const owner = anOwner({ uuid: 'u-p' });
    await extendBy(on.world, { acting: actingOwner(owner, null), owner, podId: 'p', byMs: minutes(60) });
    await cycles(on, 1);
    expect(pod?.installs[1]?.args).toContain(`absolute_in=${210 * 60}`);
  });
});

describe('nothing seen', () => {
  it('of list and pod together concludes nothing and keeps what was known', async () => {
    const on = stage();
    await ours(on, 'p');
    await cycles(on, 3);
    const before = (await on.world.registry.read()).sweep.pods['runpod.p'];
    on.provider.fail('list', 'unexpected-answer', { times: 1 });
    on.provider.fail('get', 'unexpected-answer', { times: 1 });
    on.clock.jump(minutes(5));
    const cycle = await cycles(on, 1);
    expect(verdicts(cycle)).toEqual({ p: 'provider-unseen' });
    expect(cycle.plan.pods[0]?.sightings).toEqual(before);
  });
});
