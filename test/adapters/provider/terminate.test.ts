/** The end of a pod: accepted, already absent, refused or unknown; an answer is never made up. */
import { describe, expect, it } from 'vitest';
import { bench, failureOf, patienceFor } from './bench.ts';
import { NOT_FOUND, UNKNOWN_PATH } from './bodies.ts';
import { html, inTurn, json, problem, type Reply } from './scripted-server.ts';

const ID = 'r1readonly0001';
const BILLS = `Pod ${ID} may still run and bill`;

describe('terminate (case C05)', () => {
  it.each<[string, Reply]>([
    ['204', { status: 204 }],
    ['202 without a body', { status: 202 }],
    ['200 with JSON', json(200, { id: ID })],
    ['200 with empty errors', json(200, { success: true, error: null, errors: [] })],
  ])('is accepted by %s', async (_name, reply) => {
    const { provider, server } = await bench(() => reply);
    expect(await provider.terminate(ID)).toBe('accepted');
    expect(server.heard.map(({ method, path }) => `${method} ${path}`)).toEqual([`DELETE /v2/pods/${ID}`]);
  });

  it('tells a pod that is not there', async () => {
    const { provider } = await bench(() => problem(404, NOT_FOUND));
    expect(await provider.terminate(ID)).toBe('already-absent');
  });

  it.each<[string, Reply, string]>([
    ['a refused key', problem(401, 'invalid token'), 'unauthorized'],
    ['a key that may only read', problem(403, 'key has read permission only'), 'forbidden'],
    ['a firewall', html(403, 'Forbidden'), 'unexpected-answer'],
    ['a cluster or a lock', problem(409, 'pod belongs to a cluster'), 'conflict'],
    ['a rule', problem(400, 'request could not be processed'), 'write-refused'],
    ['a 404 that is not about the pod', json(404, { message: 'route not found' }), 'unexpected-answer'],
    ['a page with 200', html(200, 'Welcome to our network'), 'outcome-unknown'],
    ['200 with an error', json(200, { error: 'x' }), 'outcome-unknown'],
    [
      '200 with errors and null data',
      json(200, { errors: [{ message: 'x' }], data: null }),
      'outcome-unknown',
    ],
    ['200 with errors of another shape', json(200, { errors: {} }), 'outcome-unknown'],
    ['200 with a failure', json(200, { success: false }), 'outcome-unknown'],
    ['200 with a list', json(200, []), 'outcome-unknown'],
    ['200 with null', json(200, null), 'outcome-unknown'],
    ['200 with a text', json(200, 'ok'), 'outcome-unknown'],
    ['a 404 about who may see it', problem(404, 'access denied'), 'write-refused'],
    ['a redirect', { status: 308, headers: { location: '/v2/pods' } }, 'unexpected-answer'],
  ])('ends at once at %s', async (_name, reply, failure) => {
    const { provider, server } = await bench(() => reply);
    const error = await failureOf(provider.terminate(ID));
    expect(error.failure).toBe(failure);
    expect(error.message).toContain(BILLS);
    expect(server.heard).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['500', problem(500, 'upstream timeout')],
    ['502 in HTML', html(502)],
    ['a reset', { torn: 'reset' }],
  ])('tries again after %s, since ending twice ends once', async (_name, reply) => {
    const { provider, server, slept } = await bench(inTurn(reply, reply, { status: 204 }));
    expect(await provider.terminate(ID)).toBe('accepted');
    expect(server.heard).toHaveLength(3);
    expect(slept).toEqual([1000, 2000]);
  });

  it.each<[string, Reply]>([
    ['500', problem(500, 'upstream timeout')],
    ['a reset', { torn: 'reset' }],
    ['silence', { torn: 'hang' }],
  ])('is unknown when %s is all that comes', async (_name, reply) => {
    const { provider, server } = await bench(() => reply, patienceFor(reply));
    const error = await failureOf(provider.terminate(ID));
    expect(error.failure).toBe('outcome-unknown');
    expect(error.message).toContain(BILLS);
    expect(server.heard).toHaveLength(4);
  });

  it('is already absent, not accepted, when a lost answer is followed by a 404', async () => {
    const { provider } = await bench(inTurn({ torn: 'reset' }, problem(404, NOT_FOUND)));
    expect(await provider.terminate(ID)).toBe('already-absent');
  });

  it('begins no new try after its budget', async () => {
    const { provider, server } = await bench(() => problem(500, 'x'), { budgetMs: 2500 });
    await failureOf(provider.terminate(ID));
    expect(server.heard).toHaveLength(2);
  });
});

describe('the way round through GraphQL', () => {
  const unknown: readonly Reply[] = [
    problem(404, UNKNOWN_PATH),
    problem(405, 'The requested method is not allowed for this path.'),
  ];
  const gql =
    (body: unknown, status = 200) =>
    (heard: { path: string }): Reply =>
      heard.path === '/graphql' ? json(status, body) : (unknown[0] ?? { status: 404 });

  it.each(unknown)('is taken when REST does not know the path ($status)', async (reply) => {
    const { provider, server } = await bench(({ path }) =>
      path === '/graphql' ? json(200, { data: { podTerminate: null } }) : reply,
    );
    expect(await provider.terminate(ID)).toBe('accepted');
    const sent = server.heard[1];
    expect(sent).toMatchObject({ method: 'POST', path: '/graphql' });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ variables: { id: ID } });
    expect(sent?.body).toContain('podTerminate');
  });

  it('knows a pod that is not there', async () => {
    const { provider } = await bench(
      gql({
        errors: [{ message: 'pod not found to terminate', extensions: { code: 'POD_NOT_FOUND' } }],
        data: { podTerminate: null },
      }),
    );
    expect(await provider.terminate(ID)).toBe('already-absent');
  });

  it.each([
    [
      'Unauthorized',
      { errors: [{ message: 'Unauthorized', path: ['podTerminate'] }], data: { podTerminate: null } },
      'forbidden',
    ],
    [
      'another error',
      { errors: [{ message: 'Something went wrong.' }], data: { podTerminate: null } },
      'outcome-unknown',
    ],
    ['an answer without the field', { data: {} }, 'outcome-unknown'],
    ['no data', { data: null }, 'outcome-unknown'],
  ])('is no success with %s', async (_name, body, failure) => {
    const { provider } = await bench(gql(body));
    const error = await failureOf(provider.terminate(ID));
    expect(error.failure).toBe(failure);
    expect(error.message).toContain(BILLS);
  });

  it('is never taken round a missing permission', async () => {
    const { provider, server } = await bench(() => problem(403, 'access denied'));
    await failureOf(provider.terminate(ID));
    expect(server.heard.map(({ path }) => path)).toEqual([`/v2/pods/${ID}`]);
  });
});
