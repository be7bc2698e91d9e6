/** A fan-out entered at once: one read and one commit, a result per pod, and nothing half done in silence. */
import { describe, expect, it } from 'vitest';
import type { RegisterInput } from '../../src/flows/entry/register-checks.ts';
import { register } from '../../src/flows/register.ts';
import { registerMany } from '../../src/flows/register-many.ts';
import type { RegistryStore } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { ours, put, record, registerInput, type Stage, stage } from './stage.ts';

const young = { createdAt: NOW - minutes(10), startedAt: NOW - minutes(9) };
const mine = anOwner({ uuid: 'u-plan' });
const stranger = anOwner({
  uuid: 'other',
  label: 'x/y#1',
  key: { server: 'https://forge.example', repositoryId: '99', runId: '1' },
});

function pods(on: Stage, count: number): readonly RegisterInput[] {
  return Array.from({ length: count }, (_, index) => {
    put(on, `p${index}`, young);
    return registerInput(`p${index}`, {}, mine);
  });
}

/** The same registry, with its calls counted. */
function counting(on: Stage) {
  const calls: string[] = [];
  const { registry } = on.world;
  const counted: RegistryStore = {
    ...registry,
    read: () => {
      calls.push('read');
      return registry.read();
    },
    submit: (ops) => {
      calls.push('submit');
      return registry.submit(ops);
    },
    probeWrite: () => {
      calls.push('probe');
      return registry.probeWrite();
    },
  };
  return { calls, world: { ...on.world, registry: counted } };
}

describe('256 pods of one fan-out', () => {
  it('are entered by two calls to the registry and one commit', async () => {
    const on = stage();
    await ours(on, 'first');
    const commits = on.host.commits.length;
    const { calls, world } = counting(on);
    const { pods: entered } = await registerMany(world, pods(on, 256));
    expect(calls).toEqual(['read', 'submit']);
    expect(on.host.commits.length).toBe(commits + 1);
    expect(entered.filter(({ kind }) => kind === 'registered')).toHaveLength(256);
    expect((await record(on, 'p255')).owner.uuid).toBe('u-plan');
  });

  it('entered twice make no second commit, and each leg finds its pod its own without a write', async () => {
    const on = stage();
    const inputs = pods(on, 3);
    await registerMany(on.world, inputs);
    const commits = on.host.commits.length;
    const again = await registerMany(on.world, inputs);
    expect(again.pods.map(({ kind }) => kind)).toEqual(['already-mine', 'already-mine', 'already-mine']);
    const { calls, world } = counting(on);
    const leg = await register(world, registerInput('p1', {}, mine), { index: 1, total: 256 });
    expect([leg.how, calls, on.host.commits.length]).toEqual(['already-mine', ['read'], commits]);
  });
});

describe('one pod that cannot be taken', () => {
  it('has its own refusal, and the others are entered', async () => {
    const on = stage();
    const inputs = pods(on, 3);
    await register(on.world, registerInput('p1', {}, stranger));
    const { pods: entered } = await registerMany(on.world, [...inputs, registerInput('gone', {}, mine)]);
    expect(entered.map((each) => [each.podId, each.kind])).toEqual([
      ['p0', 'registered'],
      ['p1', 'refused'],
      ['p2', 'registered'],
      ['gone', 'refused'],
    ]);
    expect(entered[1]).toMatchObject({ reason: 'needs-claim' });
    expect(entered[3]).toMatchObject({ reason: 'pod-id' });
    expect((await record(on, 'p1')).owner.uuid).toBe('other');
  });

  it('that is named twice is wrong use, and nothing is entered', async () => {
    const on = stage();
    const inputs = pods(on, 2);
    await expect(registerMany(on.world, [...inputs, ...inputs])).rejects.toMatchObject({ input: 'pod-id' });
    expect(on.host.commits).toEqual([]);
  });
});

describe('a registry that takes no commit in time', () => {
  it('queues all of them at once, and every result says so', async () => {
    const on = stage();
    await ours(on, 'first');
    on.host.jammed = true;
    const { pods: entered } = await registerMany(on.world, pods(on, 40));
    expect(entered.every((each) => each.kind === 'registered' && each.queued)).toBe(true);
    expect(on.host.queue).toHaveLength(1);
  });
});
