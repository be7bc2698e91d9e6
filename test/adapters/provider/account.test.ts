/** Balance and spend, and every way of not knowing them; and what a key may do. */
import { describe, expect, it } from 'vitest';
import { PROBE_ID } from '../../../src/adapters/runpod-provider/abilities.ts';
import { seen } from '../../../src/domain/part.ts';
import { bench, failureOf, patienceFor } from './bench.ts';
import { NOT_FOUND, podV2, UNKNOWN_PATH } from './bodies.ts';
import { type Heard, html, json, problem, type Reply } from './scripted-server.ts';

const myself = (over: object = {}): Reply =>
  json(200, {
    data: { myself: { id: 'user_Made_Up', clientBalance: 23.4517, currentSpendPerHr: 0.697, ...over } },
  });

describe('account', () => {
  it('gives micro-dollars', async () => {
    const { provider, server } = await bench(() => myself());
    expect(await provider.account()).toEqual(
      seen({ id: 'user_Made_Up', balanceMicroUsd: 23_451_700, spendPerHourMicroUsd: 697_000 }),
    );
    expect(server.heard[0]).toMatchObject({ method: 'POST', path: '/graphql' });
    expect(server.heard[0]?.path).not.toContain('key');
  });

  it('reads money as text, below zero too', async () => {
    const { provider } = await bench(() => myself({ clientBalance: '-1.5', currentSpendPerHr: '0' }));
    expect(await provider.account()).toMatchObject({
      value: { balanceMicroUsd: -1_500_000, spendPerHourMicroUsd: 0 },
    });
  });

  it('has a reason of its own for each way of not knowing', async () => {
    const unauthorized = {
      errors: [{ message: 'Unauthorized', path: ['myself'], extensions: { code: 'RUNPOD' } }],
      data: { myself: null },
    };
    const ways: readonly [Reply, string][] = [
      [json(200, unauthorized), 'key-may-not-see-account'],
      [json(200, { data: { myself: null } }), 'anonymous'],
      [
        json(200, { errors: [{ message: 'Something went wrong.' }], data: { myself: null } }),
        'account-error: Something',
      ],
      [json(400, { errors: [{ message: 'Cannot query field "x"' }] }), 'account-error: Cannot query'],
      [json(200, { data: {} }), 'account-not-in-answer'],
      [myself({ clientBalance: 'plenty' }), 'account-of-another-shape'],
      [html(200, 'Just a moment...'), 'unexpected-answer: HTTP 200, not JSON (text/html)'],
      [html(403, 'Attention Required'), 'unexpected-answer: HTTP 403'],
      [json(401, { message: 'invalid key' }), 'unauthorized: HTTP 401'],
      [json(200, [1]), 'unexpected-answer: HTTP 200, a JSON list of 1'],
      [problem(410, 'retired'), 'unexpected-answer: HTTP 410'],
      [problem(429, 'slow down', { 'retry-after': '3600' }), 'rate-limited: HTTP 429'],
      [problem(500, 'x'), 'server-error: HTTP 500'],
      [{ torn: 'reset' }, 'outcome-unknown: no trustworthy answer'],
      [{ torn: 'hang' }, 'timed-out: no trustworthy answer'],
    ];
    const reasons = await Promise.all(
      ways.map(async ([reply]) => {
        const { provider } = await bench(() => reply, patienceFor(reply));
        const account = await provider.account();
        return account.kind === 'unseen' ? account.reason : 'seen';
      }),
    );
    expect(reasons).toEqual(ways.map(([, words]) => expect.stringContaining(words)));
    expect(new Set(reasons).size).toBe(ways.length);
  });
});

describe('abilities', () => {
  type Script = { readonly list?: Reply; readonly get?: Reply; readonly end?: Reply };
  const key =
    ({
      list = json(200, { pods: [] }),
      get = problem(404, NOT_FOUND),
      end = problem(404, NOT_FOUND),
    }: Script) =>
    (heard: Heard): Reply => {
      if (heard.method === 'DELETE') return end;
      return heard.path.startsWith(`/v2/pods/${PROBE_ID}`) ? get : list;
    };

  it.each<[string, Script, { read: string; terminate: string }]>([
    ['may do both', {}, { read: 'yes', terminate: 'yes' }],
    [
      'may only read',
      { end: problem(403, 'key has read permission only') },
      { read: 'yes', terminate: 'no' },
    ],
    ['is refused', { list: problem(401, 'invalid token') }, { read: 'no', terminate: 'no' }],
    ['lacks the scope', { list: problem(403, 'access denied') }, { read: 'no', terminate: 'no' }],
    ['may list and not look', { get: problem(403, 'access denied') }, { read: 'yes', terminate: 'no' }],
    ['meets a firewall', { end: html(403) }, { read: 'yes', terminate: 'unknown' }],
    ['meets an unknown path', { end: problem(404, UNKNOWN_PATH) }, { read: 'yes', terminate: 'unknown' }],
    ['is told that nothing was ended', { end: { status: 204 } }, { read: 'yes', terminate: 'unknown' }],
    ['meets a server error', { end: problem(500, 'x') }, { read: 'yes', terminate: 'unknown' }],
    ['cannot look', { get: problem(500, 'x') }, { read: 'yes', terminate: 'unknown' }],
  ])('of a key that %s (case C16)', async (_name, script, abilities) => {
    const { provider } = await bench(key(script));
    expect(await provider.abilities()).toEqual(abilities);
  });

  it('are asked for without touching any pod that exists', async () => {
    const { provider, server } = await bench(key({ get: json(200, podV2(PROBE_ID)) }));
    expect(await provider.abilities()).toEqual({ read: 'yes', terminate: 'unknown' });
    expect(server.heard.map(({ method }) => method)).not.toContain('DELETE');
  });

  it('never write but for that one id', async () => {
    const { provider, server } = await bench(key({}));
    await provider.abilities();
    const writes = server.heard
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
    expect(writes).toEqual([`DELETE /v2/pods/${PROBE_ID}`]);
  });

  it('are an error when RunPod cannot be asked', async () => {
    const { provider } = await bench(() => html(200));
    expect((await failureOf(provider.abilities())).failure).toBe('unexpected-answer');
  });
});
