/** The named deviations: each is asked for by name, and what it says and what it does are held apart. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../../src/world/clock.ts';
import type { FaultInput } from '../../../src/world/model/faults.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { ask, askGraphql, podIds, RENTAL, textAt } from '../asking.ts';

const ONE = 'aaaaaaaaaaaa1';
const TWO = 'bbbbbbbbbbbb2';

let clock: VirtualClock;
let world: WorldHandle;

beforeEach(async () => {
  clock = virtualClock(Date.UTC(2026, 8, 1, 12));
  const pods = [ONE, TWO].map((id) => ({ id, name: id }));
  world = await serveWorld({ clock, seed: { pods } });
});
afterEach(() => world.stop());

async function outcome(method: string, path: string, body?: unknown): Promise<number | 'no answer'> {
  try {
    const asking = body === undefined ? {} : { body };
    return (await ask(world, method, path, asking)).status;
  } catch {
    return 'no answer';
  }
}

describe('a create', () => {
  it.each<[FaultInput, number | 'no answer', number]>([
    [{ name: 'created-but-500' }, 500, 3],
    [{ name: 'lost-reply' }, 'no answer', 3],
    [{ name: 'no-capacity' }, 400, 2],
    [{ name: 'zero-balance' }, 402, 2],
    [{ name: 'forbidden' }, 403, 2],
    [{ name: 'unauthorized' }, 401, 2],
    [{ name: 'read-only-key' }, 403, 2],
    [{ name: 'error', status: 503 }, 503, 2],
    [{ name: 'error', status: 503, after: true }, 503, 3],
    [{ name: 'reset' }, 'no answer', 2],
    [{ name: 'html' }, 502, 2],
    [{ name: '429' }, 429, 2],
  ])('under %j is answered %s and leaves %i pods', async (fault, answer, pods) => {
    world.setFaults([fault]);
    expect(await outcome('POST', '/v2/pods', RENTAL)).toBe(answer);
    expect(world.world.pods.size).toBe(pods);
  });

  it('may be answered with half a body, as broken JSON or as a broken connection', async () => {
    world.setFaults([{ name: 'truncated-body', count: 1 }]);
    const broken = await ask(world, 'POST', '/v2/pods', { body: RENTAL });
    expect([broken.status, broken.body]).toEqual([201, undefined]);
    world.setFaults([{ name: 'truncated-body', cut: 'socket' }]);
    expect(await outcome('POST', '/v2/pods', RENTAL)).toBe('no answer');
    expect(world.world.pods.size).toBe(4);
  });
});

describe('a delete', () => {
  it.each<[FaultInput, number | 'no answer', boolean]>([
    [{ name: 'delete-500' }, 500, true],
    [{ name: 'delete-500-but-deleted' }, 500, false],
    [{ name: 'delete-404-but-alive' }, 404, true],
    [{ name: 'lost-reply' }, 'no answer', false],
    [{ name: 'delete-lags', ms: 1000 }, 204, true],
    [{ name: 'terminated-lingers' }, 204, true],
  ])('under %j is answered %s; the pod can still be read: %s', async (fault, answer, isThere) => {
    world.setFaults([fault]);
    expect(await outcome('DELETE', `/v2/pods/${ONE}`)).toBe(answer);
    world.setFaults([]);
    expect((await ask(world, 'GET', `/v2/pods/${ONE}`)).status).toBe(isThere ? 200 : 404);
  });

  it('of the other pod is not touched by a fault that names one', async () => {
    world.setFaults([{ name: 'delete-500', podId: ONE }]);
    expect(await outcome('DELETE', `/v2/pods/${TWO}`)).toBe(204);
    expect(await outcome('DELETE', `/v2/pods/${ONE}`)).toBe(500);
  });

  it('that is never answered leaves the client waiting and the pod alive', async () => {
    world.setFaults([{ name: 'delete-never-answers', podId: ONE }]);
    const controller = new AbortController();
    const waiting = fetch(`${world.restUrl}/v2/pods/${ONE}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${world.apiKey}` },
      signal: controller.signal,
    });
    while (world.requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(world.world.pods.has(ONE)).toBe(true);
    expect(world.requests().at(-1)).toMatchObject({ operation: 'deletePod', podId: ONE, status: null });
  });

  it('that takes three looks shows RUNNING in each of them, then nothing', async () => {
    world.setFaults([{ name: 'delete-lags', polls: 3 }]);
    await ask(world, 'DELETE', `/v2/pods/${ONE}`);
    const looks = [1, 2, 3, 4].map(async () => (await ask(world, 'GET', `/v2/pods/${ONE}`)).status);
    expect((await Promise.all(looks)).filter((status) => status === 200)).toHaveLength(3);
  });

  it('may leave the pod listed as TERMINATED for a while', async () => {
    world.setFaults([{ name: 'terminated-lingers', ms: 30_000 }]);
    await ask(world, 'DELETE', `/v2/pods/${ONE}`);
    const { body } = await ask(world, 'GET', `/v2/pods/${ONE}`);
    expect(body).toMatchObject({ status: 'TERMINATED', actions: [], cost: 0, runtime: null });
    expect(await outcome('DELETE', `/v2/pods/${ONE}`)).toBe(404);
    clock.advance(30_000);
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toEqual([TWO]);
  });
});

describe('a list', () => {
  it('may be late with a new pod, which GET already knows unless told otherwise', async () => {
    world.setFaults([{ name: 'list-lag', ms: 20_000 }]);
    const id = textAt((await ask(world, 'POST', '/v2/pods', { body: RENTAL })).body, 'id');
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toEqual([ONE, TWO]);
    expect((await ask(world, 'GET', `/v2/pods/${id}`)).status).toBe(200);
    world.setFaults([{ name: 'list-lag', ms: 20_000, getToo: true }]);
    expect((await ask(world, 'GET', `/v2/pods/${id}`)).status).toBe(404);
    clock.advance(20_000);
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toContain(id);
  });

  it('may leave out a named pod so many times', async () => {
    world.setFaults([{ name: 'partial-list', podId: TWO, count: 2 }]);
    const lists = [];
    for (let i = 0; i < 3; i += 1) lists.push(podIds(await ask(world, 'GET', '/v2/pods')));
    expect(lists).toEqual([[ONE], [ONE], [ONE, TWO]]);
    expect((await ask(world, 'GET', `/v2/pods/${TWO}`)).status).toBe(200);
  });

  it('may be empty while pods live', async () => {
    world.setFaults([{ name: 'empty-list', count: 1 }]);
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toEqual([]);
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toEqual([ONE, TWO]);
  });

  it('may hold one item without a field that it must have', async () => {
    world.setFaults([{ name: 'malformed-item', podId: TWO, field: 'status' }]);
    const { text } = await ask(world, 'GET', '/v2/pods');
    expect(text.match(/"status"/g)).toHaveLength(1);
    expect(text).toContain(TWO);
  });

  it('may be a page of HTML, even with status 200', async () => {
    world.setFaults([{ name: 'html', status: 200, on: ['listPods'] }]);
    const answer = await ask(world, 'GET', '/v2/pods');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html']);
    expect((await ask(world, 'GET', `/v2/pods/${ONE}`)).headers.get('content-type')).toBe('application/json');
  });
});

describe('a stopped pod', () => {
  it('may still report its old runtime for a while', async () => {
    world.setFaults([{ name: 'stale-runtime', ms: 10_000 }]);
    await ask(world, 'POST', `/v2/pods/${ONE}/action`, { body: { action: 'stop' } });
    const stale = await ask(world, 'GET', `/v2/pods/${ONE}`);
    expect(stale.body).toMatchObject({ status: 'EXITED', runtime: { ports: [{ private: 22 }] } });
    clock.advance(10_000);
    expect((await ask(world, 'GET', `/v2/pods/${ONE}`)).body).toMatchObject({ runtime: null });
  });
});

describe('pods that never come up', () => {
  it.each([
    ['no-runtime', null],
    ['empty-runtime', {}],
  ] as const)('%s', async (how, runtime) => {
    world.setFaults([{ name: 'boot', how }]);
    const id = textAt((await ask(world, 'POST', '/v2/pods', { body: RENTAL })).body, 'id');
    clock.advance(20 * 60_000);
    const { body } = await ask(world, 'GET', `/v2/pods/${id}`);
    expect(body).toMatchObject({ status: 'RUNNING', ssh: { direct: null } });
    expect(body).toHaveProperty('runtime', runtime);
  });

  it('only private ports', async () => {
    world.setFaults([{ name: 'boot', how: 'private-ports' }]);
    const id = textAt((await ask(world, 'POST', '/v2/pods', { body: RENTAL })).body, 'id');
    clock.advance(60_000);
    const { body } = await ask(world, 'GET', `/v2/pods/${id}`);
    expect(body).toMatchObject({ runtime: { ports: [{ private: 22, public: null, ip: null }] } });
  });
});

describe('the same faults over GraphQL', () => {
  const terminate = `mutation { podTerminate(input: { podId: "${ONE}" }) }`;

  it('hold a delete that says not found while the pod lives', async () => {
    world.setFaults([{ name: 'delete-404-but-alive' }]);
    const answer = await askGraphql(world, terminate);
    expect(answer.text).toContain('POD_NOT_FOUND');
    expect(world.world.pods.has(ONE)).toBe(true);
  });

  it('hold a key that may look only', async () => {
    world.setFaults([{ name: 'read-only-key' }]);
    const answer = await askGraphql(world, terminate);
    expect(answer.body).toEqual({
      errors: [{ message: 'Unauthorized', path: ['podTerminate'], extensions: { code: 'RUNPOD' } }],
      data: { podTerminate: null },
    });
  });

  it('hold an empty purse', async () => {
    world.setFaults([{ name: 'zero-balance' }]);
    const answer = await askGraphql(world, '{ myself { clientBalance underBalance } }');
    expect(answer.body).toEqual({ data: { myself: { clientBalance: 0, underBalance: true } } });
  });
});

describe('behind the scenery', () => {
  it('faults are set, counted down and read back over HTTP', async () => {
    const set = await ask(world, 'POST', '/__world/faults', {
      key: null,
      body: [{ name: 'html', status: 503, count: 2 }],
    });
    expect(set.status).toBe(200);
    await ask(world, 'GET', '/v2/pods');
    const { body } = await ask(world, 'GET', '/__world/faults', { key: null });
    expect(body).toMatchObject({ faults: [{ name: 'html', status: 503, count: 1 }] });
  });

  it('an unknown fault is refused and changes nothing', async () => {
    const body = { faults: [{ name: 'meteor' }] };
    expect((await ask(world, 'POST', '/__world/faults', { body })).status).toBe(422);
    expect((await ask(world, 'GET', '/v2/pods')).status).toBe(200);
  });

  it('requests are listed without keys', async () => {
    await askGraphql(world, '{ myself { id } }');
    await ask(world, 'GET', `/v2/pods/${ONE}`, { headers: { 'User-Agent': 'probe/1' } });
    const { text, body } = await ask(world, 'GET', '/__world/requests', { key: null });
    expect(text).not.toContain(world.apiKey);
    expect(body).toMatchObject({
      requests: [
        { method: 'POST', path: '/graphql', operation: 'account' },
        { method: 'GET', path: `/v2/pods/${ONE}`, podId: ONE, userAgent: 'probe/1', status: 200 },
      ],
    });
  });

  it('the clock moves on demand, and a pod can be taken by the provider', async () => {
    await ask(world, 'POST', '/__world/clock', { body: { advanceMs: 5000 } });
    expect(world.now()).toBe(Date.UTC(2026, 8, 1, 12) + 5000);
    await ask(world, 'POST', '/__world/disturb', { body: { podId: ONE, how: 'vanish' } });
    expect(podIds(await ask(world, 'GET', '/v2/pods'))).toEqual([TWO]);
  });
});
