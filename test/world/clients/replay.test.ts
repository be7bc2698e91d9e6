/** Real clients pointed at the world find what they expect: their recorded requests, and the parts of the answers they read. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/world/clock.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { type Answer, ask } from '../asking.ts';
import { dstack, mcp, pythonSdk, type Recorded, runpodctl } from './recorded.ts';

let world: WorldHandle;

beforeEach(async () => {
  world = await serveWorld({
    clock: virtualClock(Date.UTC(2026, 8, 1, 12)),
    seed: {
      pods: [{ id: 'newv200002', name: 'ci-1', env: { LEASE: 'x' } }],
      volumes: [{ id: 'nv1a2b3c4d', name: 'datasets', size: 100, dataCenter: 'EU-RO-1' }],
      sshKeys: ['ssh-ed25519 AAAAfake ci'],
    },
  });
});
afterEach(() => world.stop());

async function replay(one: Recorded): Promise<Answer> {
  const headers = { 'User-Agent': one.userAgent };
  return await ask(world, one.method, one.path, {
    headers,
    ...(one.body === undefined ? {} : { body: one.body }),
  });
}

async function expectAnswer(one: Recorded, status: number, body: object): Promise<void> {
  const answer = await replay(one);
  expect([one.call, answer.status]).toEqual([one.call, status]);
  expect(answer.body).toMatchObject(body);
}

describe('@runpod/mcp-server 4.0.0', () => {
  it('lists, reads, stops and deletes; a second delete is a 404 problem', async () => {
    await expectAnswer(mcp.listPods, 200, { pods: [{ id: 'newv200002', status: 'RUNNING' }] });
    await expectAnswer(mcp.getPod, 200, { id: 'newv200002', name: 'ci-1' });
    await expectAnswer(mcp.stopPod, 200, { status: 'EXITED' });
    expect((await replay(mcp.deletePod)).status).toBe(204);
    await expectAnswer(mcp.deletePod, 404, { title: 'Not Found', status: 404 });
  });

  it('creates a pod and a template, reads volumes and bills', async () => {
    await expectAnswer(mcp.createPod, 201, { env: { PODTRACK_STAMP: 'l@r' }, status: 'PROVISIONING' });
    await expectAnswer(mcp.createTemplate, 201, { name: 't1', startSsh: true, registry: null });
    await expectAnswer(mcp.listVolumes, 200, {
      networkVolumes: [
        { id: 'nv1a2b3c4d', name: 'datasets', size: 100, dataCenter: 'EU-RO-1', type: 'STANDARD' },
      ],
    });
    await expectAnswer(mcp.podBilling, 200, { records: [], metadata: { query: { podId: 'a' } } });
  });
});

describe('dstack 0.22.5', () => {
  it('checks its key by the key list and creates with entrypoint and cmd', async () => {
    await expectAnswer(dstack.validate, 200, { keys: ['ssh-ed25519 AAAAfake ci'] });
    await expectAnswer(dstack.create, 201, { name: 'ci-d', gpu: { id: 'NVIDIA A40', count: 1 } });
    const made = [...world.world.pods.values()].find(({ name }) => name === 'ci-d');
    expect(made).toMatchObject({ entrypoint: ['bash', '-c'], cmd: ['sleep infinity'] });
  });

  it('is told of an absent pod by 404, on GET and DELETE alike', async () => {
    await expectAnswer(dstack.get, 404, { detail: 'resource not found' });
    await expectAnswer(dstack.terminate, 404, { detail: 'resource not found' });
  });
});

describe('runpod 1.12.0 for Python', () => {
  it('looks up the card, then rents it', async () => {
    await expectAnswer(pythonSdk.gpuBeforeCreate, 200, {
      data: { gpuTypes: [{ id: 'NVIDIA A40', maxGpuCount: 8, lowestPrice: { uninterruptablePrice: 0.35 } }] },
    });
    await expectAnswer(pythonSdk.createPod, 200, {
      data: {
        podFindAndDeployOnDemand: {
          imageName: 'x/y:1',
          env: ['PODTRACK_STAMP=l@r', 'PUBLIC_KEY=ssh-ed25519 AAAAfake ci'],
          machine: { podHostId: expect.stringContaining('-') },
        },
      },
    });
  });

  it('rents a CPU instance from a public template', async () => {
    await expectAnswer(pythonSdk.createCpuPod, 200, { data: { deployCpuPod: { imageName: 'x/y:1' } } });
    const made = [...world.world.pods.values()].find(({ name }) => name === 'ci-x');
    expect(made).toMatchObject({ compute: { kind: 'cpu', id: 'cpu3c', vcpuCount: 2 }, mount: null });
  });

  it('reads pods, one pod, an absent pod and the user', async () => {
    const pod = {
      id: 'newv200002',
      desiredStatus: 'RUNNING',
      env: ['LEASE=x'],
      dockerId: null,
      uptimeSeconds: 0,
    };
    await expectAnswer(pythonSdk.getPods, 200, { data: { myself: { pods: [pod] } } });
    await expectAnswer(pythonSdk.getPod, 200, { data: { pod } });
    await expectAnswer(pythonSdk.getAbsentPod, 200, { data: { pod: null } });
    await expectAnswer(pythonSdk.getUser, 200, {
      data: { myself: { pubKey: 'ssh-ed25519 AAAAfake ci', networkVolumes: [{ dataCenterId: 'EU-RO-1' }] } },
    });
  });

  it('terminates with null for success and errors for absence', async () => {
    await expectAnswer(pythonSdk.terminate, 200, { data: { podTerminate: null } });
    await expectAnswer(pythonSdk.terminateAbsent, 200, {
      errors: [{ extensions: { code: 'POD_NOT_FOUND' } }],
    });
  });
});

describe('runpodctl of July 2026, with v1 switched on', () => {
  beforeEach(() => world.setSwitches({ v1: true }));

  it('gets bare arrays and the old pod shape', async () => {
    const answer = await replay(runpodctl.listPods);
    expect(answer.body).toMatchObject([
      {
        id: 'newv200002',
        desiredStatus: 'RUNNING',
        costPerHr: '0.69',
        adjustedCostPerHr: 0.69,
        portMappings: { 22: expect.any(Number) },
        publicIp: '203.0.113.17',
        machine: { dataCenterId: 'EU-RO-1', location: 'RO' },
      },
    ]);
    expect(answer.headers.has('ratelimit')).toBe(false);
    expect((await replay(runpodctl.listNamed)).body).toHaveLength(1);
    await expectAnswer(runpodctl.getPod, 200, { createdAt: '2026-09-01 11:50:00.000 +0000 UTC' });
    await expectAnswer(runpodctl.getAbsent, 404, { status: 404 });
  });

  it('stops, deletes, and is told in v1 words when it deletes again', async () => {
    await expectAnswer(runpodctl.stopPod, 200, { desiredStatus: 'EXITED', portMappings: null, publicIp: '' });
    expect((await replay(runpodctl.deletePod)).status).toBe(204);
    await expectAnswer(runpodctl.deletePod, 404, { error: 'pod not found to terminate', status: 404 });
  });

  it('creates a CPU pod and a template, lists volumes, reads bills by GPU type', async () => {
    await expectAnswer(runpodctl.createCpuPod, 201, {
      name: 'ci-c',
      cpuFlavorId: 'cpu3c',
      containerDiskInGb: 20,
    });
    await expectAnswer(runpodctl.createTemplate, 200, { imageName: 'x/y:1', isPublic: false });
    await expectAnswer(runpodctl.listVolumes, 200, [
      { id: 'nv1a2b3c4d', size: 100, dataCenterId: 'EU-RO-1' },
    ]);
    expect((await replay(runpodctl.podBilling)).body).toEqual([]);
  });

  it('is told of no capacity by 500', async () => {
    world.setFaults([{ name: 'no-capacity' }]);
    await expectAnswer(runpodctl.createCpuPod, 500, {
      error: 'create pod: There are no instances currently available',
    });
  });

  it('asks GraphQL with variables and an alias', async () => {
    await expectAnswer(runpodctl.user, 200, {
      data: { myself: { clientBalance: 100, notifyPodsStale: true } },
    });
    const { text } = await replay(runpodctl.legacyGetPods);
    expect(text).toContain('"PortType":"tcp"');
    await expectAnswer(runpodctl.gpuList, 200, { data: { gpuTypes: expect.any(Array) } });
    await expectAnswer(runpodctl.dataCenters, 200, { data: { dataCenters: expect.any(Array) } });
    await expectAnswer(runpodctl.createGpuPod, 200, {
      data: {
        podFindAndDeployOnDemand: { desiredStatus: 'RUNNING', gpuCount: 1, machine: { location: 'RO' } },
      },
    });
    await expectAnswer(runpodctl.legacyRemove, 200, { data: { podTerminate: null } });
  });
});
