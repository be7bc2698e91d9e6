/** When a call is tried again, and how long it waits before. */
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../src/adapters/runpod-provider/retry.ts';
import { bench, failureOf, patienceFor } from './bench.ts';
import { podV2 } from './bodies.ts';
import { html, inTurn, json, problem, type Reply } from './scripted-server.ts';

const ID = 'q1quota0000001';
const good = json(200, { pods: [podV2(ID)] });

describe('reads', () => {
  it.each<[string, Reply]>([
    ['500', problem(500, 'x')],
    ['502 in HTML', html(502)],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
    ['524 of the edge', html(524, '524: A timeout occurred')],
    ['a reset', { torn: 'reset' }],
    ['a body torn in the middle', { torn: 'cut' }],
  ])('are tried again after %s', async (_name, reply) => {
    const { provider, server, slept } = await bench(inTurn(reply, good));
    expect((await provider.list()).pods).toHaveLength(1);
    expect(server.heard).toHaveLength(2);
    expect(slept).toEqual([1000]);
  });

  it.each<[string, Reply, string]>([
    ['500', problem(500, 'Something went wrong.'), 'server-error'],
    ['a reset', { torn: 'reset' }, 'outcome-unknown'],
    ['silence', { torn: 'hang' }, 'timed-out'],
  ])('end after four tries of %s', async (_name, reply, failure) => {
    const { provider, server, slept } = await bench(() => reply, patienceFor(reply));
    expect(await failureOf(provider.list())).toMatchObject({ failure, retryable: true });
    expect(server.heard).toHaveLength(4);
    expect(slept).toEqual([1000, 2000, 4000]);
  });

  it.each([400, 401, 402, 403, 404, 409, 422, 501])('are not tried again after %i', async (status) => {
    const { provider, server } = await bench(() => problem(status, 'no'));
    await failureOf(provider.list());
    expect(server.heard).toHaveLength(1);
  });

  it('give up on a body beyond all measure', async () => {
    const { provider, server } = await bench(() => ({ status: 200, body: `"${'x'.repeat(2000)}"` }), {
      largestBody: 1000,
    });
    expect(await failureOf(provider.list())).toMatchObject({
      failure: 'unexpected-answer',
      retryable: false,
    });
    expect(server.heard).toHaveLength(1);
  });
});

describe('the quota', () => {
  it.each<[string, Record<string, string>, number]>([
    ['Retry-After in seconds', { 'retry-after': '12' }, 12_000],
    ['Retry-After as a date', { 'retry-after': 'Mon, 02 Mar 2026 12:00:30 GMT' }, 30_000],
    ['Retry-After before RateLimit', { 'retry-after': '3', ratelimit: '"minute";r=0;t=40' }, 3000],
    [
      'RateLimit of the window that is used up',
      { ratelimit: '"minute";r=0;t=12, "hour";r=2800;t=1812' },
      12_000,
    ],
    ['the longest of several windows', { ratelimit: '"minute";r=0;t=12, "hour";r=0;t=50' }, 50_000],
    ['nothing', {}, 1000],
    ['something unreadable', { 'retry-after': 'soon', ratelimit: 'none' }, 1000],
  ])('is waited for as %s says', async (_name, headers, waited) => {
    const { provider, slept } = await bench(inTurn(problem(429, 'slow down', headers), good));
    await provider.list();
    expect(slept).toEqual([waited]);
  });

  it('is waited for before a write too', async () => {
    const { provider, server } = await bench(
      inTurn(problem(429, 'slow down', { 'retry-after': '2' }), json(200, podV2(ID, { status: 'EXITED' }))),
    );
    await provider.stop(ID);
    expect(server.heard.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('that asks for more than a minute is an error that says so', async () => {
    const { provider, server } = await bench(() =>
      problem(429, 'rate limit exceeded', { 'retry-after': '1812' }),
    );
    const error = await failureOf(provider.list());
    expect(error).toMatchObject({ failure: 'rate-limited', status: 429, retryable: true });
    expect(error.message).toContain('1812 s');
    expect(server.heard).toHaveLength(1);
  });
});

describe('backoffMs', () => {
  const limits = { firstDelayMs: 1000, longestDelayMs: 30_000 };
  it.each([
    [1, 0, 500],
    [1, 1, 1000],
    [3, 0, 2000],
    [3, 0.5, 3000],
    [6, 1, 30_000],
    [60, 0, 15_000],
  ])('try %i with chance %d waits %i ms', (attempt, chance, waited) => {
    expect(backoffMs(attempt, limits, () => chance)).toBe(waited);
  });
});
