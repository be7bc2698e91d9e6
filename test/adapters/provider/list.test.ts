/** The list of pods: every shape that is one, and every answer that must never pass for an empty one. */
import { describe, expect, it } from 'vitest';
import { AGENT, bench, failureOf, KEY } from './bench.ts';
import { podV1, podV2, UNKNOWN_PATH } from './bodies.ts';
import { html, inTurn, json, problem, type Reply } from './scripted-server.ts';

const ids = ['hh88shape00001', 'ii99shape00002'];
const two = ids.map((id) => podV2(id));
const end = { nextCursor: null, hasNextPage: false };

describe('shapes of a list (case C11)', () => {
  it.each<[string, unknown]>([
    ['the v1 array', ids.map((id) => podV1(id))],
    ['the v2 object', { pods: two }],
    ['the v2 object with a last page', { pods: two, pagination: end }],
    [
      'the v2 object with fields that say nothing',
      { pods: two, error: null, errors: null, pagination: null },
    ],
    [
      'the v2 object with fields of tomorrow',
      { pods: two, warnings: [], errors: [], pagination: { ...end, total: 2 } },
    ],
  ])('%s gives the same two pods', async (_name, body) => {
    const { provider } = await bench(() => json(200, body));
    const { pods, malformed } = await provider.list();
    expect(pods.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'RUNNING']));
    expect(malformed).toEqual([]);
  });

  it('asks with key and agent, for cluster members too', async () => {
    const { provider, server } = await bench(() => json(200, { pods: [] }));
    expect(await provider.list()).toEqual({ pods: [], malformed: [] });
    expect(server.heard).toHaveLength(1);
    expect(server.heard[0]).toMatchObject({ method: 'GET', path: '/v2/pods?includeClusterPods=true' });
    expect(server.heard[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'user-agent': AGENT });
  });
});

describe('pages', () => {
  const page = (items: unknown[], nextCursor: string | null, hasNextPage = nextCursor !== null): Reply =>
    json(200, { pods: items, pagination: { nextCursor, hasNextPage } });

  it('are followed to the last, a pod that moved between them told once as last seen', async () => {
    const { provider, server } = await bench(
      inTurn(
        page([two[0]], 'c/1+='),
        page([], 'c2'),
        page([podV2('hh88shape00001', { status: 'EXITED' }), two[1]], null),
      ),
    );
    const { pods } = await provider.list();
    expect(pods.map(({ id, status }) => [id, status])).toEqual([
      ['hh88shape00001', 'EXITED'],
      ['ii99shape00002', 'RUNNING'],
    ]);
    expect(server.heard.map(({ path }) => new URL(path, 'http://x').searchParams.get('cursor'))).toEqual([
      null,
      'c/1+=',
      'c2',
    ]);
  });

  it.each([
    ['promise more without saying where', inTurn(page([two[0]], null, true))],
    ['go round in a circle', inTurn(page([two[0]], 'a'), page([two[1]], 'b'), page([], 'a'))],
  ])('that %s are no list', async (_name, answer) => {
    const { provider } = await bench(answer);
    expect(await failureOf(provider.list())).toMatchObject({ failure: 'incomplete-answer' });
  });

  it('are bounded', async () => {
    const { provider, server } = await bench((_heard, index) => page([], `c${index}`), { mostPages: 3 });
    expect(await failureOf(provider.list())).toMatchObject({ failure: 'incomplete-answer' });
    expect(server.heard).toHaveLength(3);
  });

  it('of which one fails give an error, never the pages before it', async () => {
    const { provider } = await bench(inTurn(page([two[0]], 'a'), problem(403, 'access denied')));
    expect(await failureOf(provider.list())).toMatchObject({ failure: 'forbidden' });
  });

  it('with a pagination of another shape are no list, since its end is not known', async () => {
    const { provider } = await bench(() => json(200, { pods: two, pagination: { next: 'x' } }));
    expect(await failureOf(provider.list())).toMatchObject({ failure: 'unexpected-answer' });
  });
});

describe('malformed items', () => {
  it.each<[string, unknown, string | null, string]>([
    ['without a status', podV2('bad0000000001', { status: undefined }), 'bad0000000001', 'status'],
    [
      'with a status that is no text',
      podV2('bad0000000001', { status: { is: 'RUNNING' } }),
      'bad0000000001',
      'status',
    ],
    ['without a name', podV2('bad0000000001', { name: null }), 'bad0000000001', 'name'],
    ['with an id that is a path', podV2('../pods/x'), null, 'id'],
    ['of null', null, null, 'not a pod'],
    ['of text', 'pod', null, 'not a pod'],
  ])('%s are told and the others kept', async (_name, item, id, problemText) => {
    const { provider } = await bench(() => json(200, { pods: [two[0], item, two[1]] }));
    const { pods, malformed } = await provider.list();
    expect(pods.map((pod) => pod.id)).toEqual(ids);
    expect(malformed).toEqual([{ id, problem: expect.stringContaining(problemText) }]);
  });

  it('alone still name their pod', async () => {
    const { provider } = await bench(() => json(200, { pods: [{ id: 'bad0000000001' }] }));
    expect(await provider.list()).toEqual({
      pods: [],
      malformed: [{ id: 'bad0000000001', problem: expect.any(String) }],
    });
  });
});

describe('no list at all (case C11)', () => {
  it.each<[string, Reply, string, string]>([
    ['a page of HTML with 200', html(200), 'unexpected-answer', 'not JSON (text/html): "502 Bad Gateway"'],
    ['a page of HTML with 403', html(403, 'Attention Required'), 'unexpected-answer', 'Attention Required'],
    [
      'broken JSON',
      { status: 200, body: '{"pods":[{"id":"a' },
      'unexpected-answer',
      'broken JSON of 17 characters',
    ],
    ['an empty body', { status: 200 }, 'unexpected-answer', 'an empty body'],
    ['204', { status: 204 }, 'unexpected-answer', 'HTTP 204'],
    ['null', json(200, null), 'unexpected-answer', 'a JSON null'],
    [
      'an object of something else',
      json(200, { data: { pods: [] } }),
      'unexpected-answer',
      'a JSON object with data',
    ],
    [
      '200 with errors',
      json(200, { errors: [{ message: 'x' }], pods: [] }),
      'unexpected-answer',
      'errors, pods',
    ],
    [
      '200 with errors of another shape',
      json(200, { errors: {}, pods: [] }),
      'unexpected-answer',
      'errors, pods',
    ],
    ['a part (206)', json(206, { pods: two }), 'unexpected-answer', 'HTTP 206'],
    ['a list of lists', json(200, [two]), 'unexpected-answer', 'no item is a pod'],
    ['pods by their ids', json(200, { pods: { a: two[0] } }), 'unexpected-answer', 'a JSON object with pods'],
    ['two documents', { status: 200, body: '{"pods":[]}{"pods":[]}' }, 'unexpected-answer', 'broken JSON'],
    ['200 with an error', json(200, { error: 'x', pods: [] }), 'unexpected-answer', 'error, pods'],
    ['pods that are null', json(200, { pods: null }), 'unexpected-answer', 'a JSON object with pods'],
    ['a list of v1 errors', json(200, [{ error: 'bad' }]), 'unexpected-answer', 'no item is a pod'],
    [
      'a retired path in JSON',
      json(404, { message: 'route not found' }),
      'unexpected-answer',
      'route not found',
    ],
    ['an unknown path', problem(404, UNKNOWN_PATH), 'unexpected-answer', UNKNOWN_PATH],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://elsewhere.example/' } },
      'unexpected-answer',
      '301',
    ],
    [
      'a refused key',
      problem(401, 'missing bearer token'),
      'unauthorized',
      'Unauthorized: missing bearer token',
    ],
    ['a key without the scope', problem(403, 'access denied'), 'forbidden', 'Forbidden: access denied'],
    [
      'a schema violation',
      problem(422, 'Request validation failed.'),
      'unexpected-answer',
      'validation failed',
    ],
  ])('%s is an error after one try', async (_name, reply, failure, words) => {
    const { provider, server } = await bench(() => reply);
    const error = await failureOf(provider.list());
    expect(error).toMatchObject({ failure, retryable: false });
    expect(error.message).toContain(words);
    expect(error.message).toContain('Nothing was concluded about any pod');
    expect(server.heard).toHaveLength(1);
  });

  it('says which permission is missing', async () => {
    const { provider } = await bench(() => problem(403, 'access denied'));
    expect((await failureOf(provider.list())).told.next).toContain('read and write permission');
  });
});
