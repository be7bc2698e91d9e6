/** What every provider test needs: a server or a dead port behind a provider with a clock that only counts. */
import { onTestFinished } from 'vitest';
import type { Limits } from '../../../src/adapters/runpod-provider/options.ts';
import { runpodProvider } from '../../../src/adapters/runpod-provider.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import type { Clock, Provider } from '../../../src/ports.ts';
import { type Heard, type Reply, type ScriptedServer, startServer } from './scripted-server.ts';

export const KEY = 'rpa_TESTKEY0123456789ABCDEFGHIJKLMNOP';
export const AGENT = 'podtrack/0.0.0 (test)';

/** Time passes by sleeping alone, and at once. */
export function countingClock(startAt = Date.UTC(2026, 2, 2, 12)): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  let now = startAt;
  return {
    slept,
    now: () => now,
    sleep: (durationMs) => {
      slept.push(durationMs);
      now += durationMs;
      return Promise.resolve();
    },
  };
}

export type Bench = {
  readonly provider: Provider;
  readonly server: ScriptedServer;
  readonly slept: readonly number[];
};

export function providerAt(base: string, more: { limits?: Partial<Limits>; clock?: Clock } = {}): Provider {
  return runpodProvider({
    apiKey: KEY,
    restBaseUrl: base,
    userAgent: AGENT,
    clock: more.clock ?? countingClock(),
    // The upper end of the jitter makes the delays 1, 2, 4 s.
    random: () => 1,
    limits: more.limits,
  });
}

export async function bench(
  answer: (heard: Heard, index: number) => Reply,
  limits: Partial<Limits> = {},
): Promise<Bench> {
  const server = await startServer(answer);
  onTestFinished(() => server.close());
  const clock = countingClock();
  return { provider: providerAt(server.base, { limits, clock }), server, slept: clock.slept };
}

/** Only silence is worth a short deadline: on a busy machine anything else would sometimes look like silence. */
export function patienceFor(reply: Reply): Partial<Limits> {
  return 'torn' in reply && reply.torn === 'hang' ? { deadlineMs: 300 } : {};
}

/** The WorldError a call ends in; any other end is a failed test. */
export async function failureOf(call: Promise<unknown>): Promise<WorldError> {
  const ended = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in ended && ended.error instanceof WorldError) return ended.error;
  throw new Error('expected a WorldError', { cause: 'error' in ended ? ended.error : ended.value });
}
