/** One pod by id: what counts as absent, and what never does. */
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/domain/errors.ts';
import { bench, failureOf } from './bench.ts';
import { ELSEWHERE, NOT_FOUND, podV1, podV2 } from './bodies.ts';
import { html, json, problem, type Reply } from './scripted-server.ts';

const ID = 'p2partial00002';

describe('get', () => {
  it('finds a pod', async () => {
    const { provider, server } = await bench(() => json(200, podV2(ID)));
    expect(await provider.get(ID)).toMatchObject({ kind: 'present', pod: { id: ID, status: 'RUNNING' } });
    expect(server.heard[0]).toMatchObject({ method: 'GET', path: `/v2/pods/${ID}` });
  });

  it('reads a v1 pod', async () => {
    const { provider } = await bench(() => json(200, podV1(ID)));
    expect(await provider.get(ID)).toMatchObject({ kind: 'present', pod: { id: ID, status: 'RUNNING' } });
  });

  it('shows a TERMINATED pod as present: the domain decides', async () => {
    const { provider } = await bench(() => json(200, podV2(ID, { status: 'TERMINATED' })));
    expect(await provider.get(ID)).toMatchObject({ kind: 'present', pod: { status: 'TERMINATED' } });
  });

  it.each([
    NOT_FOUND,
    'Pod not found',
    `no pod ${ID}`,
    'This pod does not exist.',
    'not found',
    'Not Found.',
  ])('is absent by a problem document about the pod: %s', async (detail) => {
    const { provider } = await bench(() => problem(404, detail));
    expect(await provider.get(ID)).toEqual({ kind: 'absent' });
  });

  it.each<[string, Reply]>([
    ...ELSEWHERE.map((detail): [string, Reply] => [`404 with "${detail}"`, problem(404, detail)]),
    [
      'a problem without detail',
      { status: 404, type: 'application/problem+json', body: '{"title":"Not Found","status":404}' },
    ],
    [
      'a problem of another status',
      { status: 404, type: 'application/problem+json', body: '{"title":"x","detail":"y","status":500}' },
    ],
    ['plain JSON', json(404, { title: 'Not Found', status: 404, detail: NOT_FOUND })],
    ['the v1 envelope', json(404, { error: 'pod not found', status: 404 })],
    ['HTML', html(404, '404 Not Found')],
    ['nothing', { status: 404 }],
    ['410', problem(410, 'gone')],
    ['200 with null', json(200, null)],
    ['200 with GraphQL errors', json(200, { errors: [{ message: 'x' }], data: { pod: null } })],
    ['200 with an empty list', json(200, [])],
    ['another pod', json(200, podV2('another0000001'))],
    ['a pod without status', json(200, podV2(ID, { status: null }))],
  ])('concludes nothing from %s', async (_name, reply) => {
    const { provider } = await bench(() => reply);
    const error = await failureOf(provider.get(ID));
    expect(error.failure).toBe('unexpected-answer');
    expect(error.message).toContain(`Nothing was concluded about pod ${ID}`);
  });

  it.each(['', '..', 'a/b', 'a?b', 'a b', 'ä', '-x'])(
    'never asks for "%s", which would be another address',
    async (id) => {
      const { provider, server } = await bench(() => json(200, podV2(ID)));
      for (const verb of ['get', 'terminate', 'stop', 'start'] as const) {
        await expect(provider[verb](id)).rejects.toBeInstanceOf(ConfigError);
      }
      await expect(provider.logs(id, 5)).rejects.toBeInstanceOf(ConfigError);
      expect(server.heard).toEqual([]);
    },
  );
});
