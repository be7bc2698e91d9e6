/** Time in the model: steps of a start, money by the second, an empty purse, and thousands of days in one go. */
import { describe, expect, it } from 'vitest';
import { actOnPod, terminatePod } from '../../../src/world/model/act-on-pod.ts';
import { advance, nextEventAt, takeChanges } from '../../../src/world/model/advance.ts';
import { createPod } from '../../../src/world/model/create-pod.ts';
import { activate, faultSchema } from '../../../src/world/model/faults.ts';
import { spendRate } from '../../../src/world/model/ledger.ts';
import { newWorld } from '../../../src/world/model/new-world.ts';
import type { PodState } from '../../../src/world/model/pod-state.ts';
import type { PodWish } from '../../../src/world/model/pod-wish.ts';
import type { World } from '../../../src/world/model/state.ts';
import { createVolume } from '../../../src/world/model/storage.ts';

const START = Date.UTC(2026, 8, 1, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const WISH: PodWish = {
  name: 'ci',
  image: 'x/y:1',
  compute: {
    kind: 'gpu',
    id: 'NVIDIA A40',
    count: 1,
    minCuda: null,
    allowedCuda: null,
    minRamPerGpu: 0,
    minVcpuPerGpu: 0,
  },
  clouds: ['SECURE'],
  dataCenterIds: [],
  diskGb: 73,
  mounts: [],
  ports: ['22/tcp'],
  env: {},
  globalNetworking: false,
};

function worldWith(balanceUsd = 100): World {
  return newWorld({ now: START, balanceUsd });
}

function rent(world: World, wish: Partial<PodWish> = {}): PodState {
  const made = createPod(world, { ...WISH, ...wish });
  if (!made.ok) throw new Error(made.detail);
  return made.value;
}

describe('a start', () => {
  it('goes PROVISIONING → STARTING → RUNNING at the times of the settings', () => {
    const world = worldWith();
    const pod = rent(world);
    const seen = [0, 1999, 2000, 4999, 5000].map((ms) => {
      advance(world, START + ms);
      return pod.status;
    });
    expect(seen).toEqual(['PROVISIONING', 'PROVISIONING', 'STARTING', 'STARTING', 'RUNNING']);
    expect(pod.startedAt).toBe(START + 5000);
    expect(takeChanges(world).map(({ kind, at }) => [kind, at - START])).toEqual([
      ['created', 0],
      ['started', 2000],
    ]);
  });

  it.each([
    ['stuck-provisioning', 'PROVISIONING'],
    ['stuck-starting', 'STARTING'],
    ['no-runtime', 'RUNNING'],
    ['error', 'ERROR'],
    ['exit', 'EXITED'],
  ] as const)('with boot %s stays %s for ever', (how, status) => {
    const world = worldWith();
    world.faults = activate([faultSchema.parse({ name: 'boot', how })]);
    const pod = rent(world);
    advance(world, START + 5 * HOUR);
    expect(pod.status).toBe(status);
  });

  it('gets new ports after a stop, on the same machine', () => {
    const world = worldWith();
    const pod = rent(world);
    advance(world, START + 10_000);
    const before = pod.address;
    actOnPod(world, pod.id, 'stop');
    expect(pod).toMatchObject({ status: 'EXITED', address: null });
    actOnPod(world, pod.id, 'start');
    advance(world, START + 20_000);
    expect(pod.status).toBe('RUNNING');
    expect(pod.address?.port).not.toBe(before?.port);
  });
});

describe('money', () => {
  it('is taken by the second from provisioning on, compute and container disk', () => {
    const world = worldWith();
    rent(world);
    advance(world, START + HOUR);
    // 0.40 for the card and 73 GB × 0.10 / 730 for the disk.
    expect(world.account.purse.micro).toBe(100_000_000 - 400_000 - 10_000);
  });

  it('of a stopped pod is its volume disk at double rate', () => {
    const world = worldWith();
    const pod = rent(world, { mounts: [{ kind: 'persistent', sizeGb: 73, path: '/workspace' }] });
    expect(spendRate(world)).toBe(420_000);
    advance(world, START + 10_000);
    actOnPod(world, pod.id, 'stop');
    expect(spendRate(world)).toBe(20_000);
  });

  it('of a network volume goes on after the pod is gone', () => {
    const world = worldWith();
    const volume = createVolume(world, {
      name: 'data',
      sizeGb: 730,
      dataCenterId: 'EU-RO-1',
      type: 'STANDARD',
      checked: true,
    });
    if (!volume.ok) throw new Error(volume.detail);
    const pod = rent(world, {
      mounts: [{ kind: 'network', volumeId: volume.value.id, path: '/workspace' }],
    });
    terminatePod(world, pod.id);
    expect(spendRate(world)).toBe(70_000);
  });

  it('runs out: pods with a network volume are stopped, others terminated, at the next five-minute job', () => {
    const world = worldWith(1);
    const volume = createVolume(world, {
      name: 'data',
      sizeGb: 10,
      dataCenterId: 'EU-RO-1',
      type: 'STANDARD',
      checked: true,
    });
    if (!volume.ok) throw new Error(volume.detail);
    const kept = rent(world, { mounts: [{ kind: 'network', volumeId: volume.value.id, path: '/w' }] });
    const lost = rent(world);
    // Spending 0.82 an hour, the dollar is gone after about 73 minutes.
    advance(world, START + 70 * 60_000);
    expect([kept.status, lost.status]).toEqual(['RUNNING', 'RUNNING']);
    advance(world, START + 80 * 60_000);
    expect([kept.status, lost.status]).toEqual(['EXITED', 'TERMINATED']);
    expect(kept.lastChange).toMatch(/^Exited by Runpod: /);
    expect([...world.pods.keys()]).toEqual([kept.id]);
  });

  it('lasts for thousands of days without a step per second', () => {
    const world = worldWith(100_000);
    rent(world);
    advance(world, START + 4000 * DAY);
    expect(world.account.purse.micro).toBe(100_000_000_000 - 410_000 * 24 * 4000);
  });
});

describe('what comes next', () => {
  it('is nothing in an empty world', () => {
    expect(nextEventAt(worldWith())).toBe(Number.POSITIVE_INFINITY);
  });

  it('is the next step of the youngest pod', () => {
    const world = worldWith();
    rent(world);
    expect(nextEventAt(world)).toBe(START + 2000);
  });
});

describe('a DELETE that lags', () => {
  it('keeps the pod, and its bill, until it takes effect', () => {
    const world = worldWith();
    const pod = rent(world);
    world.faults = activate([faultSchema.parse({ name: 'delete-lags', ms: 60_000 })]);
    terminatePod(world, pod.id);
    advance(world, START + 59_999);
    expect(pod.status).toBe('RUNNING');
    advance(world, START + 60_000);
    expect(world.pods.size).toBe(0);
    expect(spendRate(world)).toBe(0);
  });
});
