/** The account and whoever runs its containers: what the host is told, in what order, and what the API says of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../src/world/clock.ts';
import type { HostedPod, PodAddress, PodHosts } from '../../src/world/pod-hosts.ts';
import { serveWorld, type WorldHandle } from '../../src/world/serve.ts';
import { ask, RENTAL, textAt } from './asking.ts';

const ONE = 'aaaaaaaaaaaa1';

let clock: VirtualClock;
let world: WorldHandle;
let told: string[];
let started: HostedPod[];
let nextStart: () => Promise<PodAddress>;
let isSilent: boolean;

beforeEach(async () => {
  clock = virtualClock(Date.UTC(2026, 8, 1, 12));
  told = [];
  started = [];
  isSilent = false;
  nextStart = async () => ({ host: '127.0.0.1', port: 40_000 + started.length });
  const podHosts: PodHosts = {
    start(pod) {
      told.push(`start ${pod.name}`);
      started.push(pod);
      return nextStart();
    },
    stop: async (podId) => void told.push(`stop ${podId === ONE ? 'one' : 'new'}`),
    remove: async (podId) => void told.push(`remove ${podId === ONE ? 'one' : 'new'}`),
    telemetry: () => (isSilent ? null : { gpus: [{ util: 42, memoryUtil: 7 }] }),
    logs: () => [],
  };
  const pod = {
    id: ONE,
    name: 'one',
    env: { PUBLIC_KEY: 'ssh-ed25519 AAAAa a\nssh-ed25519 AAAAb b', RUNPOD_POD_ID: 'mine' },
    sshKeys: ['ssh-ed25519 AAAAc c'],
    files: { '/workspace/a.txt': 'hello', '/workspace/big': { size: 10 } },
    mounts: { persistent: { size: 20, path: '/workspace' } },
    gpu: { util: 90, memUsedMiB: 100, count: 2 },
  };
  world = await serveWorld({ clock, podHosts, seed: { pods: [pod] } });
});
afterEach(() => world.stop());

describe('a running pod of the seed', () => {
  it('is up when the world answers, with the address its host gave', async () => {
    expect(told).toEqual(['start one']);
    const { body } = await ask(world, 'GET', `/v2/pods/${ONE}`);
    expect(body).toMatchObject({
      ssh: { direct: { host: '127.0.0.1', port: 40_001, command: 'ssh root@127.0.0.1 -p 40001' } },
      runtime: {
        gpus: [{ util: 42, memoryUtil: 7 }],
        ports: [{ private: 22, public: 40_001, ip: '127.0.0.1' }],
      },
    });
  });

  it('gets its files, keys, cards and an environment in which the user wins over RunPod', () => {
    expect(started[0]).toMatchObject({
      volumePath: '/workspace',
      files: { '/workspace/a.txt': 'hello' },
      sshKeys: ['ssh-ed25519 AAAAa a', 'ssh-ed25519 AAAAb b', 'ssh-ed25519 AAAAc c'],
      gpu: { count: 2, util: 90, memUsedMiB: 100 },
      env: { RUNPOD_POD_ID: 'mine', RUNPOD_GPU_COUNT: '2', RUNPOD_API_KEY: world.podKey(ONE) },
    });
  });

  it('whose host does not answer has no runtime and is still RUNNING', async () => {
    isSilent = true;
    const { body } = await ask(world, 'GET', `/v2/pods/${ONE}`);
    expect(body).toMatchObject({ status: 'RUNNING', runtime: null });
  });
});

describe('changes', () => {
  it('reach the host in order, each start with a new port', async () => {
    await ask(world, 'POST', `/v2/pods/${ONE}/action`, { body: { action: 'restart' } });
    clock.advance(10_000);
    await world.settled();
    const { body } = await ask(world, 'GET', `/v2/pods/${ONE}`);
    expect(body).toMatchObject({ ssh: { direct: { port: 40_002 } } });
    await ask(world, 'POST', `/v2/pods/${ONE}/action`, { body: { action: 'stop' } });
    await ask(world, 'DELETE', `/v2/pods/${ONE}`);
    await world.settled();
    expect(told).toEqual(['start one', 'stop one', 'start one', 'stop one', 'remove one']);
  });

  it('of a pod that is deleted while its host still starts end with its removal', async () => {
    let release: (address: PodAddress) => void = () => {};
    nextStart = () => new Promise((resolve) => (release = resolve));
    const id = textAt((await ask(world, 'POST', '/v2/pods', { body: RENTAL })).body, 'id');
    clock.advance(3000);
    await ask(world, 'DELETE', `/v2/pods/${id}`);
    release({ host: '127.0.0.1', port: 1 });
    await world.settled();
    expect(told.slice(1)).toEqual(['start ci-42', 'remove new']);
  });

  it('that a host cannot carry out put the pod in ERROR, with the reason in its system log', async () => {
    nextStart = () => Promise.reject(new Error('no disk left'));
    const id = textAt((await ask(world, 'POST', '/v2/pods', { body: RENTAL })).body, 'id');
    clock.advance(10_000);
    await world.settled();
    expect((await ask(world, 'GET', `/v2/pods/${id}`)).body).toMatchObject({
      status: 'ERROR',
      actions: ['start', 'terminate'],
    });
    expect(world.world.pods.get(id)?.systemLog.at(-1)?.line).toContain('no disk left');
  });

  it('are told to listeners', async () => {
    const kinds: string[] = [];
    world.onPod(({ kind, podId }) => kinds.push(`${kind} ${podId}`));
    world.disturb(ONE, 'vanish');
    expect(kinds).toEqual([`terminated ${ONE}`]);
  });

  it('end with the world: every container is removed', async () => {
    await world.stop();
    expect(told).toEqual(['start one', 'remove one']);
  });
});
