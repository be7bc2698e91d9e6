/** A container's log: read from a stream that stays open, bounded, and harmless on a terminal. */
import { describe, expect, it } from 'vitest';
import { bench, failureOf, KEY } from './bench.ts';
import { NOT_FOUND } from './bodies.ts';
import { html, inTurn, json, problem, type Reply } from './scripted-server.ts';

const ID = 'l0logs00000001';
const event = (line: unknown, more: object = {}): string =>
  `id: 2026-03-02T12:02:03Z/000000000001\ndata: ${JSON.stringify({ ts: '2026-03-02T12:02:03Z', source: 'container', line, ...more })}\n\n`;
const stream = (...lines: unknown[]): Reply => ({ stream: lines.map((line) => event(line)).join('') });
const closed = (body: string): Reply => ({ status: 200, type: 'text/event-stream; charset=utf-8', body });
const quick = { logQuietMs: 200, logTotalMs: 3000 };

describe('logs', () => {
  it('are asked for by source and tail', async () => {
    const { provider, server } = await bench(() => stream('Pod Started', 'ready'), quick);
    expect(await provider.logs(ID, 2)).toEqual(['Pod Started', 'ready']);
    expect(server.heard[0]?.path).toBe(`/v2/pods/${ID}/logs?source=container&tail=2`);
    expect(server.heard[0]?.headers.accept).toContain('text/event-stream');
  });

  it('end by silence when there are fewer lines than asked for', async () => {
    const { provider } = await bench(() => stream('one', 'two'), quick);
    expect(await provider.logs(ID, 100)).toEqual(['one', 'two']);
  });

  it('are the newest when more come than asked for', async () => {
    const { provider } = await bench(
      () => closed([1, 2, 3, 4].map((n) => event(`line ${n}`)).join('')),
      quick,
    );
    expect(await provider.logs(ID, 2)).toEqual(['line 3', 'line 4']);
  });

  it('of a silent container are empty', async () => {
    const { provider } = await bench(() => ({ stream: ': hello\n\n' }), { ...quick, logTotalMs: 300 });
    expect(await provider.logs(ID, 5)).toEqual([]);
  });

  it('leave out what the machine says and what is no line', async () => {
    const body = [
      event('of the system', { source: 'system' }),
      event('ours'),
      'data: {"li\n\n',
      event(7),
    ].join('');
    const { provider } = await bench(() => closed(body), quick);
    expect(await provider.logs(ID, 9)).toEqual(['ours']);
  });

  it('keep what was read when the stream is torn', async () => {
    const { provider } = await bench(
      () => ({ torn: 'cut', type: 'text/event-stream', body: event('last words') }),
      quick,
    );
    expect(await provider.logs(ID, 9)).toEqual(['last words']);
  });

  it('lose colours, cursor moves, titles, line breaks, hidden and reversing characters', async () => {
    const nasty = '\u001b[31mred\u001b[0m\u001b[2J\u001b]0;title\u0007 a\r\nb\u0000\u202Ec\u200B\ttab';
    const { provider } = await bench(() => stream(nasty), quick);
    expect(await provider.logs(ID, 1)).toEqual(['red abc\ttab']);
  });

  it('are bounded in length and do not repeat our key', async () => {
    const { provider } = await bench(() => stream('x'.repeat(9000), `key=${KEY}`), quick);
    const [long, secret] = await provider.logs(ID, 2);
    expect(long).toHaveLength(4096);
    expect(secret).toBe('key=[secret]');
  });

  it('are bounded in size', async () => {
    const body = Array.from({ length: 50 }, (_none, index) => event(`line ${index}`)).join('');
    const { provider } = await bench(() => ({ stream: body }), { ...quick, largestLog: 500 });
    expect((await provider.logs(ID, 5000)).length).toBeLessThanOrEqual(50);
  });

  it('are nothing when nothing is asked for', async () => {
    const { provider, server } = await bench(() => stream('x'), quick);
    expect(await provider.logs(ID, 0)).toEqual([]);
    expect(server.heard).toEqual([]);
  });

  it('never ask for more than RunPod gives', async () => {
    const { provider, server } = await bench(() => closed(event('x')), quick);
    await provider.logs(ID, 99_999);
    expect(server.heard[0]?.path).toContain('tail=5000');
  });

  it('are tried again after a transient failure', async () => {
    const { provider } = await bench(inTurn(problem(502, 'x'), stream('now')), quick);
    expect(await provider.logs(ID, 1)).toEqual(['now']);
  });

  it.each<[string, Reply, string]>([
    ['a pod that is not there', problem(404, NOT_FOUND), 'not-found'],
    ['a missing permission', problem(403, 'access denied'), 'forbidden'],
    ['HTML', html(200), 'unexpected-answer'],
    ['JSON', json(200, { lines: [] }), 'unexpected-answer'],
    ['events that are no log lines', closed('data: {"message":"x"}\n\n'), 'unexpected-answer'],
  ])('are an error with %s', async (_name, reply, failure) => {
    const { provider } = await bench(() => reply, quick);
    expect(await failureOf(provider.logs(ID, 3))).toMatchObject({ failure });
  });
});
