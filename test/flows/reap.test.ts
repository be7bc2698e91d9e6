/** Stories of reap cycles: who is petted, who is ended, who is left alone, and what a bad pod cannot do to the others. */
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { formatStamp } from '../../src/domain/stamp.ts';
import { reap } from '../../src/flows/reap.ts';
import { minutes, NOW } from '../domain/build.ts';
import { cycles, ended, ours, put, reapOptions, record, stage, verbs, verdicts } from './stage.ts';

describe('a healthy pod', () => {
  it('is petted and mirrored each cycle, and makes no commit when nothing changed', async () => {
    const on = stage();
    await ours(on, 'busy', { switched: { util: '97' } });
    await cycles(on, 2);
    const before = on.host.commits.length;
    const last = await cycles(on, 3);
    expect(verdicts(last)).toEqual({ busy: 'gpu-busy' });
    expect(on.pods.get('busy')?.pets).toHaveLength(5);
    expect(on.pulled).toHaveLength(5);
    expect(on.host.commits.length).toBe(before);
    expect(ended(on)).toEqual([]);
  });

  it('costs one connection per cycle', async () => {
    const on = stage();
    await ours(on, 'busy', { switched: { util: '97' } });
    const before = on.shell.opened.length;
    await cycles(on, 4);
    expect(on.shell.opened.length - before).toBe(4);
    expect(on.shell.openNow()).toBe(0);
  });
});

describe('an idle pod', () => {
  it('is ended after strikes and window, with six samples, verified artifacts and a readable history', async () => {
    const on = stage();
    await ours(on, 'idle');
    const cycle = await cycles(on, 4);
    expect(verdicts(cycle)).toEqual({ idle: 'idle' });
    expect(ended(on)).toEqual(['idle']);
    expect(on.pods.get('idle')?.probes.at(-1)?.args).toContain('samples=6');
    expect((await record(on, 'idle')).end).toMatchObject({
      how: 'terminated',
      reason: 'idle',
      verified: true,
      inferred: true,
    });
    expect(await verbs(on, 'idle')).toEqual([
      'register',
      'arm',
      'settle',
      'settle',
      'fence',
      'settle',
      'fence',
      'settle',
      'confirm',
      'settle',
    ]);
  });

  it('that wakes up while its artifacts are pulled is released and lives', async () => {
    const on = stage();
    await ours(on, 'idle');
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    const pod = on.pods.get('idle');
    const { mirror } = on.world;
    const world = {
      ...on.world,
      mirror: {
        ...mirror,
        pull: async (...of: Parameters<typeof mirror.pull>) => {
          if (pod !== undefined) pod.util = '80';
          return await mirror.pull(...of);
        },
      },
    };
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ pod: 'idle', order: 'teardown', kind: 'released' }]);
    expect(ended(on)).toEqual([]);
    expect((await record(on, 'idle')).status).toBe('active');
  });

  it('whose owner extends meanwhile is released and lives', async () => {
    const on = stage();
    const before = await ours(on, 'idle');
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    const { mirror } = on.world;
    const actor = { kind: 'owner' as const, uuid: before.owner.uuid, label: before.owner.label, run: null };
    const world = {
      ...on.world,
      mirror: {
        ...mirror,
        pull: async (...of: Parameters<typeof mirror.pull>) => {
          const at = on.clock.now();
          await on.world.registry.submit([
            { op: 'extend', key: 'x', at, actor, pod: 'idle', ownerDeadlineAt: at + minutes(300) },
          ]);
          return await mirror.pull(...of);
        },
      },
    };
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'released' }]);
    expect(ended(on)).toEqual([]);
  });

  it.each([
    ['the pull stalls', 'stalls' as const],
    ['an entry was refused', 'short' as const],
  ])('stays up when %s, until its absolute deadline', async (_what, how) => {
    const on = stage();
    await ours(on, 'idle', { register: { killAbsoluteMs: minutes(130) } });
    on.pulls.set('idle', how);
    const released = await cycles(on, 4);
    expect(released.outcomes.at(-1)).toMatchObject({ order: 'teardown', kind: 'released' });
    expect(ended(on)).toEqual([]);
    on.clock.jump(minutes(130));
    const last = await cycles(on, 1);
    expect(verdicts(last)).toEqual({ idle: 'absolute-deadline' });
    expect((await record(on, 'idle')).end).toMatchObject({ verified: false });
  });

  it('with fewer files than the last good mirror stays up', async () => {
    const on = stage();
    await ours(on, 'idle');
    on.files.set('idle', { a: '1', b: '2' });
    await cycles(on, 3);
    on.files.set('idle', { a: '1' });
    on.clock.jump(minutes(5));
    const cycle = await cycles(on, 1);
    expect(cycle.outcomes.at(-1)).toMatchObject({ kind: 'released' });
    expect(cycle.outcomes.at(-1)?.says).toMatch(/1 files, the last good mirror had 2/);
  });
});

describe('deadlines and owners', () => {
  it('a lapsed owner deadline with a fresh heartbeat is extended once, then the pod is ended', async () => {
    const on = stage();
    await ours(on, 'slow', { switched: { heartbeatAgeS: 60 } });
    on.clock.jump(minutes(121));
    expect(verdicts(await cycles(on, 1))).toEqual({ slow: 'extended' });
    expect((await record(on, 'slow')).deadlines).toMatchObject({ extensions: 1 });
    on.clock.jump(minutes(15));
    expect(verdicts(await cycles(on, 1))).toEqual({ slow: 'heartbeat-fresh' });
    on.clock.jump(minutes(15));
    expect(verdicts(await cycles(on, 1))).toEqual({ slow: 'absolute-deadline' });
    expect(ended(on)).toEqual(['slow']);
  });

  it('an orphan of a completed job is ended in one phase', async () => {
    const on = stage();
    await ours(on, 'orphan', { switched: { util: '97' } });
    on.owners.set(
      'u-orphan',
      seen({ state: 'completed', completedAt: NOW - minutes(2), conclusion: 'failure' }),
    );
    await cycles(on, 1);
    expect(ended(on)).toEqual(['orphan']);
  });

  it('strange states change no limit, and a wiped switch is armed with the time left (case C60)', async () => {
    const on = stage();
    await ours(on, 'odd', { switched: { util: '97' } });
    const before = (await record(on, 'odd')).deadlines;
    for (const status of ['PROVISIONING', 'OTHER', 'ERROR'] as const) {
      const pod = on.provider.pods.get('odd');
      if (pod !== undefined) on.provider.put({ ...pod, status, statusText: status });
      on.clock.jump(minutes(10));
      await cycles(on, 1);
    }
    put(on, 'odd', { createdAt: NOW - minutes(60), startedAt: on.clock.now() });
    const pod = on.pods.get('odd');
    if (pod !== undefined) pod.planted = null;
    await cycles(on, 1);
    expect((await record(on, 'odd')).deadlines).toEqual(before);
    expect(pod?.installs).toHaveLength(2);
    const leftMin = (before.absoluteDeadlineAt - on.clock.now()) / 60_000;
    expect(pod?.installs[1]?.args).toContain(`absolute_in=${leftMin * 60}`);
  });
});

describe('never harm', () => {
  it('a foreign pod gets no request beyond reads, whatever its age', async () => {
    const on = stage();
    put(on, 'foreign', { createdAt: NOW - minutes(60 * 24 * 40) });
    put(on, 'theirs', {
      stamp: formatStamp({
        registryId: 'f'.repeat(32),
        repositoryId: null,
        runId: null,
        mintedAt: NOW - minutes(61),
        ttlAt: NOW - minutes(30),
        nonce: 'aabbccddeeff0011',
      }),
    });
    await ours(on, 'mine', { switched: { util: '97' } });
    await cycles(on, 6, minutes(60));
    expect(on.shell.opened).not.toContain('foreign');
    expect(on.provider.calls.filter((call) => call.includes('foreign') || call.includes('theirs'))).toEqual(
      [],
    );
  });

  it.each([
    [
      'the list is unreadable',
      (on: ReturnType<typeof stage>) => on.provider.fail('list', 'unexpected-answer'),
    ],
    ['the list is empty', (on: ReturnType<typeof stage>) => on.provider.hidden.add('a').add('b')],
    [
      'an item of the list is malformed',
      (on: ReturnType<typeof stage>) => {
        on.provider.hidden.add('a');
        on.provider.malformed.push({ id: 'a', problem: 'no name' });
      },
    ],
  ])('when %s, nothing is concluded from absence, and readable pods are judged', async (_what, spoil) => {
    const on = stage();
    await ours(on, 'a', { switched: { util: '97' } });
    await ours(on, 'b', { switched: { util: '97' } });
    spoil(on);
    const cycle = await cycles(on, 4, minutes(30));
    expect(verdicts(cycle)).toEqual({ a: 'gpu-busy', b: 'gpu-busy' });
    expect(ended(on)).toEqual([]);
  });

  it('with an unreadable registry a cycle throws and nothing is sent to any pod', async () => {
    const on = stage();
    await ours(on, 'a');
    const registry = { ...on.world.registry, read: () => Promise.reject(new Error('unreadable')) };
    const opened = on.shell.opened.length;
    await expect(reap({ ...on.world, registry }, reapOptions())).rejects.toThrow('unreadable');
    expect(on.shell.opened.length).toBe(opened);
    expect(ended(on)).toEqual([]);
  });

  it('two reapers at once: one DELETE series', async () => {
    const on = stage();
    await ours(on, 'idle');
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    const second = {
      acting: {
        actor: { kind: 'reaper' as const, uuid: 'reaper-2', label: 'reaper', run: null },
        holder: 'reaper:reaper-2',
      },
    };
    await Promise.all([reap(on.world, reapOptions()), reap(on.world, reapOptions(second))]);
    expect(ended(on)).toEqual(['idle']);
  });

  it('a dry run changes nothing anywhere', async () => {
    const on = stage();
    await ours(on, 'idle');
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    const commits = on.host.commits.length;
    const pets = on.pods.get('idle')?.pets.length;
    const cycle = await cycles(on, 1, 0, { dryRun: true });
    expect(verdicts(cycle)).toEqual({ idle: 'idle' });
    expect([on.host.commits.length, on.pods.get('idle')?.pets.length, ended(on)]).toEqual([
      commits,
      pets,
      [],
    ]);
  });
});

describe('gone', () => {
  it('a partial list of seconds ends no record; two spaced absences with GET do (case C15)', async () => {
    const on = stage();
    for (const id of ['p1', 'p2', 'p3']) await ours(on, id, { switched: { util: '97' } });
    on.provider.hidden.add('p2');
    await cycles(on, 2, 9000);
    expect((await record(on, 'p2')).status).toBe('active');
    on.provider.pods.delete('p2');
    await cycles(on, 3, minutes(6));
    expect((await record(on, 'p2')).end).toMatchObject({ how: 'lost' });
  });

  it('a lost pod that is listed again is reopened with its old deadlines', async () => {
    const on = stage();
    for (const id of ['p1', 'p2']) await ours(on, id, { switched: { util: '97' } });
    const before = (await record(on, 'p2')).deadlines;
    on.provider.pods.delete('p2');
    await cycles(on, 4, minutes(6));
    expect((await record(on, 'p2')).status).toBe('lost');
    put(on, 'p2', { createdAt: NOW - minutes(60), startedAt: NOW - minutes(59) });
    await cycles(on, 1);
    expect(await record(on, 'p2')).toMatchObject({ status: 'active', deadlines: before });
  });

  it('a DELETE that was accepted while the pod lingers is finished by the next cycle', async () => {
    const on = stage();
    await ours(on, 'idle');
    on.provider.linger('idle', 30);
    const cycle = await cycles(on, 4);
    expect(cycle.outcomes.at(-1)).toMatchObject({ order: 'teardown', kind: 'pending' });
    expect((await record(on, 'idle')).status).toBe('terminating');
    on.provider.pods.delete('idle');
    await cycles(on, 2);
    expect((await record(on, 'idle')).end).toMatchObject({ how: 'terminated' });
  });

  it('a DELETE that fails leaves the record terminating and is tried again next cycle (case C05)', async () => {
    const on = stage();
    await ours(on, 'idle');
    on.provider.fail('terminate', 'outcome-unknown', { podId: 'idle', times: 1 });
    const cycle = await cycles(on, 4);
    expect(cycle.outcomes.at(-1)).toMatchObject({ kind: 'failed', reason: 'outcome-unknown' });
    expect((await record(on, 'idle')).status).toBe('terminating');
    on.clock.jump(minutes(5));
    await cycles(on, 1);
    expect((await record(on, 'idle')).status).toBe('terminated');
  });
});

describe('twelve pods in one cycle', () => {
  it('the four bad ones are named, the other eight are petted or ended as they should', async () => {
    const on = stage();
    for (const id of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']) await ours(on, id, { switched: { util: '97' } });
    for (const id of ['late', 'orphan']) await ours(on, id, { switched: { util: '97' } });
    for (const id of ['malformed', 'deaf', 'stall', 'shut']) await ours(on, id, { switched: { util: '97' } });
    for (const id of ['late', 'deaf']) {
      const { deadlines } = await record(on, id);
      on.owners.set(
        `u-${id}`,
        seen({ state: 'completed', completedAt: NOW - minutes(9), conclusion: String(deadlines.extensions) }),
      );
    }
    on.owners.set('u-orphan', seen({ state: 'completed', completedAt: NOW - minutes(9), conclusion: null }));
    on.provider.hidden.add('malformed');
    on.provider.malformed.push({ id: 'malformed', problem: 'name is missing' });
    on.provider.fail('get', 'unexpected-answer', { podId: 'malformed' });
    on.provider.fail('terminate', 'outcome-unknown', { podId: 'deaf' });
    on.pulls.set('stall', 'stalls');
    const shut = on.pods.get('shut');
    if (shut !== undefined) shut.door = 'no-route';
    const cycle = await reap(on.world, reapOptions());
    expect(verdicts(cycle)).toMatchObject({
      malformed: 'provider-unseen',
      shut: 'unreachable-counting',
      stall: 'gpu-busy',
      deaf: 'orphan',
    });
    for (const id of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'stall'])
      expect(on.pods.get(id)?.pets, id).toHaveLength(1);
    expect(ended(on).sort()).toEqual(['deaf', 'late', 'orphan']);
    const bad = cycle.outcomes
      .filter((one) => one.kind !== 'done')
      .map((one) => `${one.pod} ${one.order} ${one.reason}`);
    expect(bad.sort()).toEqual(['deaf teardown outcome-unknown', 'stall mirror timed-out']);
    expect(on.owners.get('x') ?? unseen('none').kind).toBe('unseen');
  });
});

describe('strays', () => {
  it('a stray past its ttl is entered, fenced and ended after two spaced sightings', async () => {
    const on = stage();
    await ours(on, 'mine', { switched: { util: '97' } });
    const { registryId } = (await on.world.registry.read()).state.meta;
    const stamp = {
      registryId,
      repositoryId: '501',
      runId: '8',
      mintedAt: NOW - minutes(61),
      ttlAt: NOW,
      nonce: 'aabbccddeeff0011',
    };
    put(on, 'stray', { stamp: formatStamp(stamp) });
    await cycles(on, 1);
    expect(ended(on)).toEqual([]);
    await cycles(on, 3, minutes(6));
    expect(ended(on)).toEqual(['stray']);
    expect(await record(on, 'stray')).toMatchObject({
      status: 'terminated',
      end: { reason: 'stray-expired' },
    });
  });
});
