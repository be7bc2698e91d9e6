/** The provider against the embedded world's named faults: what is said, and what really happened to the pod. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { runpodProvider } from '../../../src/adapters/runpod-provider.ts';
import type { WorldError } from '../../../src/domain/errors.ts';
import type { Provider } from '../../../src/ports.ts';
import { virtualClock } from '../../../src/world/clock.ts';
import type { FaultInput } from '../../../src/world/model/faults.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import type { SwitchesInput } from '../../../src/world/switches.ts';
import { AGENT, countingClock, failureOf } from './bench.ts';

const ID = 'aaaaaaaaaaaa01';

async function inWorld(faults: readonly FaultInput[], switches: SwitchesInput = {}) {
  const clock = virtualClock(Date.UTC(2026, 2, 2, 12));
  const world = await serveWorld({
    clock,
    seed: { switches, pods: [ID, 'bbbbbbbbbbbb02', 'cccccccccccc03'].map((id) => ({ id, name: id })) },
  });
  onTestFinished(() => world.stop());
  world.setFaults(faults);
  const provider = runpodProvider({
    apiKey: world.apiKey,
    restBaseUrl: world.restUrl,
    userAgent: AGENT,
    clock: countingClock(),
    limits: { deadlineMs: 1500 },
  });
  return { provider, world, clock };
}

const alive = (world: WorldHandle): boolean => {
  const status = world.world.pods.get(ID)?.status ?? 'TERMINATED';
  return status !== 'TERMINATED';
};

describe('terminate', () => {
  it.each<[FaultInput, string, boolean]>([
    [{ name: 'delete-500', count: 1 }, 'accepted', false],
    [{ name: 'delete-500' }, 'outcome-unknown', true],
    [{ name: 'delete-500-but-deleted', count: 1 }, 'already-absent', false],
    [{ name: 'delete-500-but-deleted' }, 'outcome-unknown', false],
    [{ name: 'lost-reply', count: 1 }, 'already-absent', false],
    [{ name: 'delete-404-but-alive' }, 'already-absent', true],
    [{ name: 'delete-lags', polls: 3 }, 'accepted', true],
    [{ name: 'reset', count: 2 }, 'accepted', false],
    [{ name: 'reset' }, 'outcome-unknown', true],
    [{ name: 'html' }, 'outcome-unknown', true],
    [{ name: 'html', status: 200 }, 'outcome-unknown', true],
    [{ name: '429', count: 2 }, 'accepted', false],
    [{ name: 'unauthorized' }, 'unauthorized', true],
    [{ name: 'forbidden' }, 'forbidden', true],
    [{ name: 'read-only-key' }, 'forbidden', true],
  ])('under %j is %s; alive: %s', async (fault, said, isAlive) => {
    const { provider, world } = await inWorld([fault]);
    const outcome = await provider.terminate(ID).catch((error: WorldError) => error.failure);
    expect([outcome, alive(world)]).toEqual([said, isAlive]);
  });

  it('answered with 204 is no proof: the pod is looked at until it is gone (case C05)', async () => {
    const { provider } = await inWorld([{ name: 'delete-lags', polls: 2 }]);
    expect(await provider.terminate(ID)).toBe('accepted');
    const looks: string[] = [];
    for (let look = 0; look < 6 && looks.at(-1) !== 'absent'; look += 1)
      looks.push((await provider.get(ID)).kind);
    expect(looks[0]).toBe('present');
    expect(looks.at(-1)).toBe('absent');
  });

  it('may leave a pod that says TERMINATED for a while', async () => {
    const { provider } = await inWorld([{ name: 'terminated-lingers' }]);
    await provider.terminate(ID);
    expect(await provider.get(ID)).toMatchObject({ kind: 'present', pod: { status: 'TERMINATED' } });
  });
});

describe('list', () => {
  const listed = async (provider: Provider): Promise<string> => {
    const { pods, malformed } = await provider.list();
    return `${pods.length} pods, ${malformed.length} malformed`;
  };

  it.each<[FaultInput, string]>([
    [{ name: 'html', count: 1 }, '3 pods, 0 malformed'],
    [{ name: 'html' }, 'server-error'],
    [{ name: 'html', status: 200 }, 'unexpected-answer'],
    [{ name: 'truncated-body' }, 'unexpected-answer'],
    [{ name: 'truncated-body', cut: 'socket', count: 1 }, '3 pods, 0 malformed'],
    [{ name: 'truncated-body', cut: 'socket' }, 'outcome-unknown'],
    [{ name: '429', count: 1 }, '3 pods, 0 malformed'],
    [{ name: 'malformed-item', podId: ID }, '2 pods, 1 malformed'],
    [{ name: 'empty-list' }, '0 pods, 0 malformed'],
    [{ name: 'forbidden' }, 'forbidden'],
    [{ name: 'reset' }, 'outcome-unknown'],
    [{ name: 'error', status: 503 }, 'server-error'],
  ])('under %j is %s', async (fault, said) => {
    const { provider } = await inWorld([fault]);
    expect(await listed(provider).catch((error: WorldError) => error.failure)).toBe(said);
  });

  it('without one pod does not make that pod absent', async () => {
    const { provider } = await inWorld([{ name: 'partial-list', podId: ID }]);
    expect((await provider.list()).pods.map(({ id }) => id)).not.toContain(ID);
    expect((await provider.get(ID)).kind).toBe('present');
  });
});

describe('other verbs', () => {
  it('a lost answer to a stop is found to have happened', async () => {
    const { provider, world } = await inWorld([{ name: 'lost-reply', count: 1, on: ['podAction'] }]);
    await provider.stop(ID);
    expect(world.requests().filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(await provider.get(ID)).toMatchObject({ pod: { status: 'EXITED' } });
  });

  it('a stale runtime of a stopped pod is no telemetry', async () => {
    const { provider } = await inWorld([{ name: 'stale-runtime', ms: 60_000 }]);
    await provider.stop(ID);
    const look = await provider.get(ID);
    expect(look).toMatchObject({ pod: { telemetry: { kind: 'unseen' }, ssh: { kind: 'unseen' } } });
  });

  it('a host without free GPUs refuses the start', async () => {
    const { provider } = await inWorld([{ name: 'host-full' }]);
    await provider.stop(ID);
    expect((await failureOf(provider.start(ID))).failure).toBe('write-refused');
  });

  it('reads leave the account’s own SSH keys alone', async () => {
    const { provider, world } = await inWorld([]);
    const before = [...world.world.account.sshKeys];
    await Promise.all([provider.list(), provider.abilities(), provider.account(), provider.stop(ID)]);
    expect(world.world.account.sshKeys).toEqual(before);
    expect(world.requests().filter(({ method }) => method === 'PUT')).toEqual([]);
  });
});
