/** The pods of one job: all are checked before any is entered, and they go in by one commit or not at all. */
import { describe, expect, it } from 'vitest';
import type { RegisterInput } from '../../src/flows/entry/register-checks.ts';
import { register } from '../../src/flows/register.ts';
import { registerTogether } from '../../src/flows/register-many.ts';
import type { RegistryStore, World } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import { ours, put, record, registerInput, type Stage, stage } from './stage.ts';

const mine = anOwner({ uuid: 'u-mine' });
const stranger = anOwner({
  uuid: 'other',
  label: 'x/y#1',
  key: { server: 'https://forge.example', repositoryId: '99', runId: '1' },
});
const young = { createdAt: NOW - minutes(10), startedAt: NOW - minutes(9) };
const IDS = ['a', 'b', 'c'];

function three(on: Stage, of: Partial<RegisterInput> = {}, owner = mine): readonly RegisterInput[] {
  for (const id of IDS) put(on, id, young);
  return IDS.map((id) => registerInput(id, of, owner));
}

const statuses = async (on: Stage): Promise<readonly string[]> => {
  const { state } = await on.world.registry.read();
  return IDS.map((id) => state.pods[`runpod.${id}`]?.owner.uuid ?? 'no row');
};

/** The same world, with something that happens just before the first write. */
function beforeWriting(on: Stage, happens: () => Promise<unknown>): World {
  let once = true;
  const { registry } = on.world;
  const late: RegistryStore = {
    ...registry,
    submit: async (ops) => {
      if (once) {
        once = false;
        await happens();
      }
      return await registry.submit(ops);
    },
  };
  return { ...on.world, registry: late };
}

describe('three pods of one job', () => {
  it('are entered by one commit, under one owner', async () => {
    const on = stage();
    const entered = await registerTogether(on.world, three(on), null);
    expect(entered.pods.map(({ kind }) => kind)).toEqual(['registered', 'registered', 'registered']);
    expect(on.host.commits).toHaveLength(1);
    expect(await statuses(on)).toEqual(['u-mine', 'u-mine', 'u-mine']);
  });

  it('are all reclaimed by a later attempt, by one commit', async () => {
    const on = stage();
    await registerTogether(on.world, three(on), null);
    const again = anOwner({ uuid: 'u-2', attempt: 2 });
    const { pods } = await registerTogether(on.world, three(on, {}, again), null);
    expect(pods.map(({ kind }) => kind)).toEqual(['reclaimed', 'reclaimed', 'reclaimed']);
    expect(on.host.commits).toHaveLength(2);
    expect(await statuses(on)).toEqual(['u-2', 'u-2', 'u-2']);
    expect(on.said.map(({ line }) => line)).toContain('b: reclaimed from an earlier process of acme/ml#7');
  });

  it('asked for once more prove that this job may still write, and change nothing', async () => {
    const on = stage();
    const inputs = three(on);
    await registerTogether(on.world, inputs, null);
    const probes: string[] = [];
    const probeWrite = async (): Promise<void> => {
      probes.push('probe');
    };
    const registry = { ...on.world.registry, probeWrite };
    const { pods } = await registerTogether({ ...on.world, registry }, inputs, null);
    expect(pods.map(({ kind }) => kind)).toEqual(['already-mine', 'already-mine', 'already-mine']);
    expect(probes).toEqual(['probe']);
  });

  it('note that they were adopted, and say that the first choice of files stands', async () => {
    const on = stage();
    await registerTogether(on.world, three(on), null);
    const choice = { include: ['*.pt'], exclude: [] };
    const { pods } = await registerTogether(on.world, three(on, { adopt: true, choice }), null);
    expect(pods.map((each) => ('warnings' in each ? each.warnings[0] : ''))).toEqual(
      IDS.map(() => expect.stringContaining('keeps what was chosen first: every file')),
    );
    expect((await record(on, 'c')).notes).toEqual(['adopted from another registry']);
  });
});

describe('one of three that cannot be taken', () => {
  it('is named with what speaks against it; no row is written, nothing is touched', async () => {
    const on = stage();
    const inputs = three(on);
    await register(on.world, registerInput('b', {}, stranger));
    const commits = on.host.commits.length;
    await expect(registerTogether(on.world, inputs, null)).rejects.toMatchObject({
      gate: 'needs-claim',
      message: expect.stringMatching(/b: it belongs to x\/y#1.*None of the 3 pods was touched or registered/),
    });
    expect(on.host.commits).toHaveLength(commits);
    expect(await statuses(on)).toEqual(['no row', 'other', 'no row']);
    expect(on.provider.calls.filter((call) => !/^(get|account|abilities|logs)/.test(call))).toEqual([]);
  });

  it('is told with all others that cannot; what a person decided weighs more than what was not answered', async () => {
    const on = stage();
    const inputs = [...three(on), registerInput('gone', {}, mine)];
    const provider: World['provider'] = {
      ...on.world.provider,
      get: async (id) => {
        if (id === 'a') throw worldError('timed-out');
        return await on.world.provider.get(id);
      },
    };
    const failing = registerTogether({ ...on.world, provider }, inputs, null);
    await expect(failing).rejects.toMatchObject({
      name: 'ConfigError',
      input: 'pod-ids',
      message: expect.stringMatching(/a: .*; gone: this account has no such pod/),
    });
    expect(await statuses(on)).toEqual(['no row', 'no row', 'no row']);
  });

  it('is found by the registry’s own rules before the write: an id that looks like a recorded one', async () => {
    const on = stage();
    await ours(on, 'B');
    const commits = on.host.commits.length;
    await expect(registerTogether(on.world, three(on), null)).rejects.toMatchObject({
      gate: 'look-alike',
      message: expect.stringContaining('b: b looks like B'),
    });
    expect(on.host.commits).toHaveLength(commits);
  });

  it('because somebody took it between the look and the commit, stands beside those that were entered', async () => {
    const on = stage();
    const inputs = three(on);
    const world = beforeWriting(on, async () => {
      await register(on.world, registerInput('b', {}, stranger));
    });
    const { pods } = await registerTogether(world, inputs, null);
    expect(pods.map(({ podId, kind }) => [podId, kind])).toEqual([
      ['a', 'registered'],
      ['b', 'refused'],
      ['c', 'registered'],
    ]);
    expect(await statuses(on)).toEqual(['u-mine', 'other', 'u-mine']);
  });
});

describe('a registry that cannot be written', () => {
  it('leaves all of them running, and says so of each by name', async () => {
    const on = stage();
    const inputs = three(on);
    const registry: RegistryStore = {
      ...on.world.registry,
      submit: async () => {
        throw worldError('write-refused');
      },
    };
    await expect(registerTogether({ ...on.world, registry }, inputs, null)).rejects.toMatchObject({
      failure: 'write-refused',
      message: expect.stringContaining('a, b, c were left running'),
    });
  });
});
