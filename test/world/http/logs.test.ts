/** Pod logs as server-sent events: what was, what comes, and going on after a cursor. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../../src/world/clock.ts';
import type { PodHosts, PodLogLine } from '../../../src/world/pod-hosts.ts';
import { serveWorld, type WorldHandle } from '../../../src/world/serve.ts';
import { ask } from '../asking.ts';

const ONE = 'aaaaaaaaaaaa1';
const START = Date.UTC(2026, 8, 1, 12);

let clock: VirtualClock;
let world: WorldHandle;
let lines: PodLogLine[];

beforeEach(async () => {
  clock = virtualClock(START);
  lines = ['one', 'two', 'three'].map((line, i) => ({ at: START + i * 400, line }));
  const podHosts: PodHosts = {
    start: async () => ({ host: '127.0.0.1', port: 2222 }),
    stop: async () => {},
    remove: async () => {},
    telemetry: () => ({ gpus: [] }),
    logs: () => lines,
  };
  world = await serveWorld({ clock, podHosts, seed: { pods: [{ id: ONE, name: 'one' }] } });
});
afterEach(() => world.stop());

/** Opens a stream and reads until `count` events came. */
async function events(count: number, query: string, headers: Record<string, string> = {}): Promise<string[]> {
  const controller = new AbortController();
  const response = await fetch(`${world.restUrl}/v2/pods/${ONE}/logs${query}`, {
    headers: { Authorization: `Bearer ${world.apiKey}`, ...headers },
    signal: controller.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk);
    if (text.split('\n\n').length > count) break;
  }
  controller.abort();
  return text.split('\n\n').slice(0, count);
}

describe('container logs', () => {
  it('have an id of time and number, and a JSON line each', async () => {
    expect(await events(2, '?source=container')).toEqual([
      'id: 2026-09-01T12:00:00Z/000000000001\ndata: {"ts":"2026-09-01T12:00:00Z","source":"container","line":"one"}',
      'id: 2026-09-01T12:00:00Z/000000000002\ndata: {"ts":"2026-09-01T12:00:00Z","source":"container","line":"two"}',
    ]);
  });

  it('go on after Last-Event-ID within the same second', async () => {
    const cursor = { 'Last-Event-ID': '2026-09-01T12:00:00Z/000000000002' };
    const [first] = await events(1, '?source=container&tail=100', cursor);
    expect(first).toContain('"line":"three"');
  });

  it('tail bounds what was, and new lines follow on the open stream', async () => {
    const reading = events(2, '?source=container&tail=1');
    while (world.requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    lines.push({ at: START + 2000, line: 'four' });
    clock.advance(1000);
    const [last, fresh] = await reading;
    expect(last).toContain('"line":"three"');
    expect(fresh).toContain('"line":"four"');
  });

  it('of an unknown pod are 404, with an impossible tail 422', async () => {
    expect((await ask(world, 'GET', '/v2/pods/nobody/logs')).status).toBe(404);
    expect((await ask(world, 'GET', `/v2/pods/${ONE}/logs?tail=5001`)).status).toBe(422);
    expect((await ask(world, 'GET', `/v2/pods/${ONE}/logs?since=yesterday`)).status).toBe(422);
  });
});
