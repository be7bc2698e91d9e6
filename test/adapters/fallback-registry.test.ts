/** A registry whose first credential dies: the second goes on, everything else is told as it is. */
import { expect, it } from 'vitest';
import { fallbackRegistry } from '../../src/adapters/fallback-registry.ts';
import { memoryHost, memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { WorldError, type WorldFailure } from '../../src/domain/errors.ts';
import type { Clock, Log, RegistryStore } from '../../src/ports.ts';

const clock: Clock = { now: () => 1_800_000_000_000, sleep: async () => undefined };

function failing(failure: WorldFailure, cameBack: string): RegistryStore & { asked: number } {
  const store = {
    place: 'there',
    asked: 0,
    fail: async (): Promise<never> => {
      store.asked += 1;
      throw new WorldError(failure, { tried: 'Asking', cameBack, state: 'As it was', next: 'Mend it' });
    },
  };
  const { fail } = store;
  return Object.assign(store, { read: fail, submit: fail, saveSweep: fail, history: fail, probeWrite: fail });
}

function pair(first: RegistryStore) {
  const said: string[] = [];
  const log: Log = { say: (_level, line) => void said.push(line), progress: () => undefined };
  const second = memoryRegistry({ clock, chance: nodeChance(), repository: null, host: memoryHost() });
  const says = "going on with the job's token";
  return { said, store: fallbackRegistry({ first, second, when: 'unauthorized', says, log }) };
}

it('C63: a dead credential is tried once; the next one goes on for good, and that is said once', async () => {
  const dead = failing('unauthorized', 'the credentials were refused (fatal: Authentication failed)');
  const { store, said } = pair(dead);
  expect((await store.read()).version).toBeNull();
  await store.probeWrite();
  await store.read();
  expect(dead.asked).toBe(1);
  expect(said).toEqual(["going on with the job's token"]);
});

it.each([
  ['registry-unreadable', 'git did not end in time'],
  ['write-refused', 'this token may only read (remote: Permission to acme/ml denied)'],
  ['conflict', 'somebody else was faster'],
  ['unsupported', '404 Not Found'],
] as const)('%s is no dead credential: it is told as it is', async (failure, cameBack) => {
  const store = failing(failure, cameBack);
  await expect(pair(store).store.read()).rejects.toMatchObject({ failure });
  await expect(pair(store).store.submit([])).rejects.toMatchObject({ failure });
});

it('a failure of the second is told as it is: there is no third', async () => {
  const [first, second] = [failing('unauthorized', '401'), failing('unauthorized', '401 too')];
  const log: Log = { say: () => undefined, progress: () => undefined };
  const store = fallbackRegistry({ first, second, when: 'unauthorized', says: '', log });
  await expect(store.read()).rejects.toMatchObject({ told: { cameBack: '401 too' } });
  expect([first.asked, second.asked]).toEqual([1, 1]);
});
