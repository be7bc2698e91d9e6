/** The manners of REST v2: problem documents, headers, paths, keys, limits and pages. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../../src/world/clock.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { ask, podIds, RENTAL, textAt } from '../asking.ts';

let clock: VirtualClock;
let world: WorldHandle;

beforeEach(async () => {
  clock = virtualClock(Date.UTC(2026, 8, 1, 12));
  world = await serveWorld({ clock, seed: { pods: [{ id: 'aaaaaaaaaaaa1', name: 'one' }] } });
});
afterEach(() => world.stop());

describe('paths and methods', () => {
  it.each([
    ['GET', '/v2/nope', 404, 'The requested path was not found.'],
    ['GET', '/v2/clusters', 404, 'The requested path was not found.'],
    ['GET', '/elsewhere', 404, 'The requested path was not found.'],
    ['GET', '/v2/pods/nobody', 404, 'resource not found'],
    ['PUT', '/v2/pods', 405, 'The requested method is not allowed for this path.'],
  ])('%s %s is %i', async (method, path, status, detail) => {
    const answer = await ask(world, method, path);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status, detail });
  });

  it('a wrong method is told which ones there are', async () => {
    expect((await ask(world, 'PUT', '/v2/pods')).headers.get('allow')).toBe('GET, POST');
  });

  it('an empty id redirects to the collection', async () => {
    const answer = await ask(world, 'DELETE', '/v2/pods/');
    expect([answer.status, answer.headers.get('location')]).toEqual([301, '/v2/pods']);
    expect(world.world.pods.size).toBe(1);
  });

  it('unknown query parameters are ignored, impossible values of known ones are 422', async () => {
    expect((await ask(world, 'GET', '/v2/pods?status=EXITED&cursor=x')).status).toBe(200);
    expect((await ask(world, 'GET', '/v2/billing/pods?bucketSize=minute')).status).toBe(422);
  });

  it('a body that is no JSON is 400', async () => {
    expect((await ask(world, 'POST', '/v2/pods', { body: '{"name":' })).status).toBe(400);
  });

  it('the retired v1 answers a JSON 404', async () => {
    const answer = await ask(world, 'GET', '/v1/pods');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
  });
});

describe('every answer', () => {
  it('carries a request id of its own', async () => {
    const ids = [await ask(world, 'GET', '/v2/pods'), await ask(world, 'GET', '/v2/nope')].map(
      ({ headers }) => headers.get('x-request-id'),
    );
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[1]).not.toBe(ids[0]);
  });
});

describe('keys', () => {
  it.each([
    ['none', null, 401, 'missing bearer token'],
    ['a wrong one', 'rpa_WRONG', 401, 'invalid token'],
  ])('%s', async (_what, key, status, detail) => {
    expect((await ask(world, 'GET', '/v2/pods', { key })).body).toMatchObject({ status, detail });
  });

  it('a read-only key looks and does not touch', async () => {
    const key = world.readOnlyKey;
    expect((await ask(world, 'GET', '/v2/pods', { key })).status).toBe(200);
    const refused = await ask(world, 'DELETE', '/v2/pods/aaaaaaaaaaaa1', { key });
    expect(refused.body).toMatchObject({ status: 403, detail: 'access denied' });
    expect(world.world.pods.size).toBe(1);
  });

  it('a revoked one is as good as a wrong one', async () => {
    world.revokeKey(world.apiKey);
    expect((await ask(world, 'GET', '/v2/pods')).body).toMatchObject({ status: 401 });
  });

  it('the key inside a pod is refused by v2 unless that is switched on, and then only for its own pod', async () => {
    const key = world.podKey('aaaaaaaaaaaa1');
    expect((await ask(world, 'GET', '/v2/pods/aaaaaaaaaaaa1', { key })).status).toBe(403);
    world.setSwitches({ podKeyOnRest: true });
    expect((await ask(world, 'GET', '/v2/pods', { key })).status).toBe(403);
    expect((await ask(world, 'DELETE', '/v2/pods/bbbbbbbbbbbb2', { key })).status).toBe(403);
    expect((await ask(world, 'DELETE', '/v2/pods/aaaaaaaaaaaa1', { key })).status).toBe(204);
  });
});

describe('the quota', () => {
  it('is told on authenticated answers and enforced with Retry-After', async () => {
    world.setSwitches({ rateLimit: { minute: 2, hour: 100, day: 1000 } });
    const first = await ask(world, 'GET', '/v2/pods');
    expect(first.headers.get('ratelimit')).toBe('"minute";r=1;t=60, "hour";r=99;t=3600, "day";r=999;t=86400');
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"minute";q=2;w=60, "hour";q=100;w=3600, "day";q=1000;w=86400',
    );
    await ask(world, 'GET', '/v2/pods');
    clock.advance(48_000);
    const third = await ask(world, 'GET', '/v2/pods');
    expect(third.body).toMatchObject({ status: 429, detail: 'rate limit exceeded for the minute window' });
    expect(third.headers.get('retry-after')).toBe('12');
    clock.advance(12_000);
    expect((await ask(world, 'GET', '/v2/pods')).status).toBe(200);
  });

  it('of an exempt caller is neither told nor enforced', async () => {
    world.setSwitches({ rateLimit: null });
    expect((await ask(world, 'GET', '/v2/pods')).headers.has('ratelimit')).toBe(false);
  });
});

describe('a broken body', () => {
  it('misses one required field: the validator also lists all fields that were sent', async () => {
    const { name: _name, ...body } = RENTAL;
    expect((await ask(world, 'POST', '/v2/pods', { body })).body).toEqual({
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'Request validation failed.',
      errors: [
        "$: missing property 'name'",
        "$: additional properties 'image', 'gpu', 'disk', 'ports', 'env' not allowed",
      ],
    });
  });

  it.each([
    [{ name: '', size: 20, dataCenter: 'EU-RO-1' }, '$.name: minLength: got 0, want 1'],
    [{ name: 'v', size: 5, dataCenter: 'EU-RO-1' }, '$.size: minimum: got 5, want 10'],
    [{ name: 'v', size: '20', dataCenter: 'EU-RO-1' }, '$.size: got string, want integer'],
    [{ name: 'v', size: 20, dataCenterId: 'EU-RO-1' }, "$: additional properties 'dataCenterId' not allowed"],
  ])('%j is told as %s', async (body, line) => {
    const answer = await ask(world, 'POST', '/v2/network-volumes', { body });
    expect(answer.body).toMatchObject({ status: 422, errors: expect.arrayContaining([line]) });
  });
});

describe('pages of the October edition', () => {
  it('walk through all pods newest first, once each, whatever a page holds', async () => {
    world.setSwitches({ pagination: true, pageCap: 2 });
    for (let i = 0; i < 4; i += 1) {
      clock.advance(1000);
      await ask(world, 'POST', '/v2/pods', { body: RENTAL });
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const suffix: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await ask(world, 'GET', `/v2/pods?limit=3${suffix}`);
      expect(podIds(page).length).toBeLessThanOrEqual(2);
      seen.push(...podIds(page));
      cursor = /"nextCursor":"([^"]+)"/.exec(page.text)?.[1] ?? null;
    }
    const newestFirst = [...world.world.pods.values()].sort((a, b) => b.createdAt - a.createdAt);
    expect(seen).toEqual(newestFirst.map(({ id }) => id));
  });

  it('refuse a foreign cursor and a limit out of bounds', async () => {
    world.setSwitches({ pagination: true });
    expect((await ask(world, 'GET', '/v2/pods?cursor=garbage')).status).toBe(422);
    expect((await ask(world, 'GET', '/v2/pods?limit=1001')).status).toBe(422);
  });

  it('are absent before it', async () => {
    expect((await ask(world, 'GET', '/v2/pods')).body).not.toHaveProperty('pagination');
  });
});

describe('the account key list', () => {
  it('is replaced as a whole and read back', async () => {
    const keys = ['ssh-ed25519 AAAAone a', 'ssh-rsa AAAAtwo b'];
    expect((await ask(world, 'PUT', '/v2/account/ssh-keys', { body: { keys } })).body).toEqual({ keys });
    const one = { keys: keys.slice(0, 1) };
    await ask(world, 'PUT', '/v2/account/ssh-keys', { body: one });
    expect((await ask(world, 'GET', '/v2/account/ssh-keys')).body).toEqual(one);
    expect((await ask(world, 'PUT', '/v2/account/ssh-keys', { body: { keys: ['x'] } })).status).toBe(422);
  });
});

describe('what outlives pods', () => {
  it('a registry login is refused deletion while a pod uses it', async () => {
    const login = { name: 'hub', username: 'u', password: 'secret-word' };
    const made = await ask(world, 'POST', '/v2/registries', { body: login });
    expect(made.text).not.toContain('secret-word');
    const registry = textAt(made.body, 'id');
    const pod = await ask(world, 'POST', '/v2/pods', { body: { ...RENTAL, registry } });
    expect((await ask(world, 'DELETE', `/v2/registries/${registry}`)).status).toBe(400);
    await ask(world, 'DELETE', `/v2/pods/${textAt(pod.body, 'id')}`);
    expect((await ask(world, 'DELETE', `/v2/registries/${registry}`)).status).toBe(204);
  });

  it('a network volume only grows and stays when its pod goes', async () => {
    const volume = { name: 'data', size: 50, dataCenter: 'EU-RO-1' };
    const made = await ask(world, 'POST', '/v2/network-volumes', { body: volume });
    const id = textAt(made.body, 'id');
    expect(made.body).toEqual({ id, ...volume, type: 'STANDARD' });
    expect((await ask(world, 'PATCH', `/v2/network-volumes/${id}`, { body: { size: 20 } })).status).toBe(400);
    expect((await ask(world, 'PATCH', `/v2/network-volumes/${id}`, { body: {} })).status).toBe(422);
    const mounts = { network: [{ volumeId: id, path: '/workspace' }] };
    const pod = await ask(world, 'POST', '/v2/pods', { body: { ...RENTAL, mounts } });
    await ask(world, 'DELETE', `/v2/pods/${textAt(pod.body, 'id')}`);
    expect((await ask(world, 'GET', `/v2/network-volumes/${id}`)).status).toBe(200);
    expect((await ask(world, 'DELETE', `/v2/network-volumes/${id}`)).status).toBe(204);
  });

  it('a template name is unique, and public templates cannot be written', async () => {
    const body = { name: 't1', image: 'x/y:1' };
    expect((await ask(world, 'POST', '/v2/templates', { body })).status).toBe(201);
    expect((await ask(world, 'POST', '/v2/templates', { body })).status).toBe(400);
    expect((await ask(world, 'GET', '/v2/templates/runpod-ubuntu')).status).toBe(200);
    expect((await ask(world, 'DELETE', '/v2/templates/runpod-ubuntu')).status).toBe(404);
  });
});

describe('bills', () => {
  it('are one record per pod and bucket, terminated pods included', async () => {
    clock.advance(3_600_000);
    await ask(world, 'DELETE', '/v2/pods/aaaaaaaaaaaa1');
    const path =
      '/v2/billing/pods?podId=aaaaaaaaaaaa1&startTime=2026-09-01T00:00:00Z&endTime=2026-09-02T00:00:00Z';
    const { body } = await ask(world, 'GET', path);
    expect(body).toMatchObject({
      records: [{ startTime: '2026-09-01T00:00:00Z', podId: 'aaaaaaaaaaaa1', gpuAmount: 0.69, cpuAmount: 0 }],
      metadata: { recordCount: 1, uniquePodCount: 1, query: { bucketSize: 'day', podId: 'aaaaaaaaaaaa1' } },
    });
  });

  it('may come late, and are then empty, not zero-priced', async () => {
    clock.advance(3_600_000);
    world.setFaults([{ name: 'billing-lag', ms: 3 * 3_600_000 }]);
    const { body } = await ask(world, 'GET', '/v2/billing/pods?bucketSize=hour');
    expect(body).toMatchObject({ records: [], metadata: { recordCount: 0, totals: { totalAmount: 0 } } });
  });
});
