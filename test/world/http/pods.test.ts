/** /v2/pods over a real socket: the shapes of the documented Pod, and what each write does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../../src/world/clock.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { ask, podIds, RENTAL, textAt } from '../asking.ts';

let clock: VirtualClock;
let world: WorldHandle;

beforeEach(async () => {
  clock = virtualClock(Date.UTC(2026, 8, 1, 12));
  world = await serveWorld({ clock, seed: { sshKeys: ['ssh-ed25519 AAAAfake ci'] } });
});
afterEach(() => world.stop());

async function rent(body: object = {}): Promise<string> {
  return textAt((await ask(world, 'POST', '/v2/pods', { body: { ...RENTAL, ...body } })).body, 'id');
}

const POD_FIELDS = [
  'id name image args disk ports env registry status actions mounts gpu cloud dataCenterId cudaVersion ssh template',
  'cost locked globalNetworking runtime createdAt startedAt',
]
  .join(' ')
  .split(' ');

describe('a pod just rented', () => {
  it('has every documented field and nothing known of its machine yet', async () => {
    const answer = await ask(world, 'POST', '/v2/pods', { body: { ...RENTAL, startSsh: true } });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body ?? {}).sort()).toEqual([...POD_FIELDS].sort());
    expect(answer.body).toMatchObject({
      name: 'ci-42',
      status: 'PROVISIONING',
      actions: ['stop', 'terminate'],
      env: { LEASE: 'x', PUBLIC_KEY: 'ssh-ed25519 AAAAfake ci' },
      gpu: { id: 'NVIDIA A40', count: 1 },
      mounts: {},
      dataCenterId: null,
      cudaVersion: null,
      ssh: { proxy: null, direct: null },
      template: null,
      cost: 0.4,
      runtime: null,
      createdAt: '2026-09-01T12:00:00Z',
      startedAt: null,
    });
  });

  it('never shows the key that is injected into the container', async () => {
    const id = await rent();
    const { text } = await ask(world, 'GET', `/v2/pods/${id}`);
    expect(text).not.toContain('rpa_');
  });
});

describe('a running pod', () => {
  it('tells its machine, its published ports and its direct SSH address', async () => {
    const id = await rent({ ports: ['22/tcp', '8888/http'] });
    clock.advance(65_000);
    const { body } = await ask(world, 'GET', `/v2/pods/${id}`);
    expect(body).toMatchObject({
      status: 'RUNNING',
      actions: ['stop', 'restart', 'terminate'],
      dataCenterId: 'EU-RO-1',
      startedAt: '2026-09-01T12:00:05Z',
      ssh: { direct: { username: 'root', host: '203.0.113.17' } },
      runtime: {
        uptime: 60,
        gpus: [{ util: 0, memoryUtil: 0 }],
        ports: [
          { private: 22, type: 'tcp', ip: '203.0.113.17' },
          { private: 8888, type: 'http', ip: '100.65.0.101' },
        ],
      },
    });
  });

  it('without 22/tcp has no direct SSH', async () => {
    const id = await rent({ ports: ['8888/http'] });
    clock.advance(10_000);
    const { body } = await ask(world, 'GET', `/v2/pods/${id}`);
    expect(body).toMatchObject({ status: 'RUNNING', ssh: { direct: null } });
  });

  it('once stopped costs 0.0 an hour in words and keeps its machine', async () => {
    const id = await rent({ mounts: { persistent: { size: 20, path: '/workspace' } } });
    clock.advance(10_000);
    const stopped = await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'stop' } });
    expect(stopped.body).toMatchObject({
      status: 'EXITED',
      actions: ['start', 'terminate'],
      cost: 0,
      dataCenterId: 'EU-RO-1',
      runtime: null,
      ssh: { direct: null },
    });
  });
});

describe('writes', () => {
  it('terminate by DELETE and by action are the same: 204 without a body, then 404', async () => {
    const [first, second] = [await rent(), await rent()];
    const deleted = await ask(world, 'DELETE', `/v2/pods/${first}`);
    const acted = await ask(world, 'POST', `/v2/pods/${second}/action`, { body: { action: 'terminate' } });
    expect([deleted.status, deleted.text, acted.status, acted.text]).toEqual([204, '', 204, '']);
    const again = await ask(world, 'DELETE', `/v2/pods/${first}`);
    expect(again.status).toBe(404);
    expect(again.body).toEqual({ title: 'Not Found', status: 404, detail: 'resource not found' });
    expect(again.headers.get('content-type')).toBe('application/problem+json');
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toEqual([]);
  });

  it('an action that the status does not allow is 409, an unknown one 422', async () => {
    const id = await rent();
    expect((await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'start' } })).status).toBe(
      409,
    );
    const reset = await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'reset' } });
    expect(reset.status).toBe(422);
  });

  it('a locked pod cannot be stopped and can be terminated', async () => {
    const id = await rent();
    expect((await ask(world, 'PATCH', `/v2/pods/${id}`, { body: { locked: true } })).status).toBe(200);
    expect((await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'stop' } })).status).toBe(
      409,
    );
    expect((await ask(world, 'DELETE', `/v2/pods/${id}`)).status).toBe(204);
  });

  it('PATCH changes what is given, replaces env as a whole, and maps new ports at once', async () => {
    const id = await rent();
    clock.advance(10_000);
    const body = { name: 'renamed', env: { NEW: '1' }, ports: ['22/tcp', '7000/tcp'] };
    const { body: pod } = await ask(world, 'PATCH', `/v2/pods/${id}`, { body });
    expect(pod).toMatchObject({ name: 'renamed', env: { NEW: '1' }, image: 'example/train:1' });
    expect(pod).toMatchObject({
      runtime: { ports: [{ private: 22 }, { private: 7000, ip: '203.0.113.17' }] },
    });
  });

  it('PATCH refuses a mount of another kind than at create', async () => {
    const id = await rent();
    const body = { mounts: { persistent: { size: 20, path: '/w' } } };
    expect((await ask(world, 'PATCH', `/v2/pods/${id}`, { body })).status).toBe(400);
  });

  it('start on a full host is 400 and leaves the pod EXITED', async () => {
    const id = await rent();
    clock.advance(10_000);
    await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'stop' } });
    world.setFaults([{ name: 'host-full' }]);
    const started = await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'start' } });
    expect(started.status).toBe(400);
    expect(started.text).toContain('not enough free GPUs on the host machine');
    expect((await ask(world, 'GET', `/v2/pods/${id}`)).body).toMatchObject({ status: 'EXITED' });
  });

  it('a start may come up without a GPU', async () => {
    const id = await rent();
    clock.advance(10_000);
    await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'stop' } });
    world.setFaults([{ name: 'zero-gpu-start' }]);
    await ask(world, 'POST', `/v2/pods/${id}/action`, { body: { action: 'start' } });
    clock.advance(10_000);
    const { body } = await ask(world, 'GET', `/v2/pods/${id}`);
    expect(body).toMatchObject({ status: 'RUNNING', runtime: { gpus: [] } });
  });
});

describe('a create is refused', () => {
  const cases: [string, object, number, RegExp][] = [
    [
      'without a GPU count, whatever the default says',
      { gpu: { id: 'NVIDIA A40' } },
      400,
      /no longer any instances/,
    ],
    ['without a disk', { disk: undefined }, 400, /template id or pod configuration/],
    ['where the data center has no such card', { dataCenterIds: ['XX-1'] }, 400, /no longer any instances/],
    ['for an unknown GPU', { gpu: { id: 'NVIDIA Zeus', count: 1 } }, 400, /no longer any instances/],
    ['with more cards than a machine holds', { gpu: { id: 'NVIDIA A40', count: 9 } }, 400, /instances/],
    ['with neither gpu nor cpu', { gpu: undefined }, 400, /exactly one/],
    ['with both', { cpu: { id: 'cpu3c', vcpuCount: 2 } }, 400, /exactly one/],
    ['for an odd vCPU count', { gpu: undefined, cpu: { id: 'cpu3c', vcpuCount: 6 } }, 400, /power of two/],
    ['for an unknown template', { templateId: 'nope' }, 404, /resource not found/],
    ['for an unknown volume', { mounts: { network: [{ volumeId: 'nv', path: '/w' }] } }, 404, /not found/],
    ['with a field of the old API', { gpuTypeIds: ['x'] }, 422, /'gpuTypeIds' not allowed/],
    ['with a field deep down', { gpu: { id: 'a', count: 1, bidPerGpu: 1 } }, 422, /\$\.gpu: additional/],
    ['with mounts as an array', { mounts: [] }, 422, /\$\.mounts: got array, want object/],
  ];
  it.each(cases)('%s', async (_what, change, status, text) => {
    const answer = await ask(world, 'POST', '/v2/pods', { body: { ...RENTAL, ...change } });
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
    expect(world.world.pods.size).toBe(0);
  });

  it('without an hour of credit, with 402', async () => {
    const poor = await serveWorld({ clock, seed: { balance: 0.3 } });
    const answer = await ask(poor, 'POST', '/v2/pods', { body: RENTAL });
    await poor.stop();
    expect(answer.status).toBe(402);
  });
});

describe('the later fields', () => {
  it.each([
    ['cmd and entrypoint', { cmd: ['sleep', '1'], entrypoint: ['bash'] }],
    ['minimum memory and vCPUs per GPU', { gpu: { ...RENTAL.gpu, minRamPerGpu: 8, minVcpuCountPerGpu: 2 } }],
  ])('%s are taken', async (_what, change) => {
    const answer = await ask(world, 'POST', '/v2/pods', { body: { ...RENTAL, ...change } });
    expect(answer.status).toBe(201);
  });
});

describe('a template', () => {
  it('fills in what the body leaves out, env key by key, and leaves no trace', async () => {
    const template = {
      name: 't',
      image: 'from/template:1',
      disk: 30,
      ports: ['22/tcp'],
      env: { A: '1', B: '2' },
    };
    const made = await ask(world, 'POST', '/v2/templates', { body: template });
    const body = { name: 'p', gpu: RENTAL.gpu, templateId: textAt(made.body, 'id'), env: { B: '3' } };
    const pod = await ask(world, 'POST', '/v2/pods', { body });
    expect(pod.body).toMatchObject({
      image: 'from/template:1',
      disk: 30,
      env: { A: '1', B: '3', PUBLIC_KEY: 'ssh-ed25519 AAAAfake ci' },
      template: null,
    });
  });
});
