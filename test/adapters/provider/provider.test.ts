/** The contract of Provider, run on RunPod's own words, on the embedded world in both editions, and on the fake of the flows. */
import { describe, expect, it } from 'vitest';
import { runpodProvider } from '../../../src/adapters/runpod-provider.ts';
import type { Provider } from '../../../src/ports.ts';
import { virtualClock } from '../../../src/world/clock.ts';
import type { PodHosts } from '../../../src/world/pod-hosts.ts';
import { serveWorld } from '../../../src/world/serve.ts';
import type { SwitchesInput } from '../../../src/world/switches.ts';
import { aPod, scriptedProvider, worldError } from '../../fakes/scripted-provider.ts';
import { AGENT, countingClock, failureOf } from './bench.ts';
import { EXITED, LOG, providerContract, RUNNING, STAMPED, type Stage } from './contract.ts';
import { startServer } from './scripted-server.ts';
import { KEYS, smallRunpod } from './small-runpod.ts';

const START_AT = Date.UTC(2026, 2, 2, 12);

const client = (restBaseUrl: string, apiKey: string): Provider =>
  runpodProvider({
    apiKey,
    restBaseUrl,
    userAgent: AGENT,
    clock: countingClock(),
    limits: { logQuietMs: 300, logTotalMs: 3000 },
  });

/** Machines on paper: an address on the loopback, the lines of the contract, steady telemetry. */
const paperHosts: PodHosts = {
  start: () => Promise.resolve({ host: '127.0.0.1', port: 2201 }),
  stop: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  telemetry: () => ({ gpus: [{ util: 93, memoryUtil: 71 }] }),
  logs: () => LOG.map((line, index) => ({ at: START_AT - 60_000 + index * 1000, line })),
};

async function world(switches: SwitchesInput): Promise<Stage> {
  const served = await serveWorld({
    clock: virtualClock(START_AT),
    podHosts: paperHosts,
    seed: {
      balance: 25,
      switches,
      pods: [
        { id: RUNNING, name: 'one', gpu: { count: 1 }, env: { PODTRACK_STAMP: STAMPED } },
        { id: EXITED, name: 'two', status: 'EXITED', gpu: { count: 1 } },
      ],
    },
  });
  return {
    full: client(served.restUrl, served.apiKey),
    readOnly: client(served.restUrl, served.readOnlyKey),
    refused: client(served.restUrl, KEYS.refused),
    close: () => served.stop(),
  };
}

providerContract('RunPod in its published words', async () => {
  const server = await startServer(smallRunpod());
  return {
    full: client(server.base, KEYS.full),
    readOnly: client(server.base, KEYS.readOnly),
    refused: client(server.base, KEYS.refused),
    close: () => server.close(),
  };
});

providerContract('the embedded world', () => world({}));

providerContract('the embedded world with pages of one pod', () => world({ pagination: true, pageCap: 1 }));

providerContract('the scripted fake', () => {
  const full = scriptedProvider(
    aPod({ id: RUNNING, stamp: STAMPED }),
    aPod({ id: EXITED, status: 'EXITED', proxied: false }),
  );
  full.logBook.set(RUNNING, LOG);
  return Promise.resolve({
    full,
    readOnly: full.withKey('read-only'),
    refused: full.withKey('refused'),
    close: () => Promise.resolve(),
  });
});

describe('the scripted fake', () => {
  it('fails on demand, so often and for that pod', async () => {
    const fake = scriptedProvider(aPod({ id: 'p1' }), aPod({ id: 'p2' }));
    fake.fail('get', 'timed-out', { podId: 'p1', times: 1 });
    expect((await fake.get('p2')).kind).toBe('present');
    expect((await failureOf(fake.get('p1'))).failure).toBe('timed-out');
    expect((await fake.get('p1')).kind).toBe('present');
    expect(fake.calls).toEqual(['get p2', 'get p1', 'get p1']);
    fake.fail('list', worldError('rate-limited'));
    expect((await failureOf(fake.list())).failure).toBe('rate-limited');
  });

  it('hides a pod from the list alone', async () => {
    const fake = scriptedProvider(aPod({ id: 'p1' }));
    fake.hidden.add('p1');
    expect((await fake.list()).pods).toEqual([]);
    expect((await fake.get('p1')).kind).toBe('present');
  });

  it('lets an ended pod linger for so many looks', async () => {
    const fake = scriptedProvider(aPod({ id: 'p1' }));
    fake.linger('p1', 2);
    expect(await fake.terminate('p1')).toBe('accepted');
    const looks = [await fake.get('p1'), await fake.get('p1'), await fake.get('p1')];
    expect(looks.map(({ kind }) => kind)).toEqual(['present', 'present', 'absent']);
  });
});
