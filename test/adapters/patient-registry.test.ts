/** A registry whose lost races are run again: the same ops, at random pauses, until its time is over. */
import { expect, it } from 'vitest';
import { patientRegistry } from '../../src/adapters/patient-registry.ts';
import { WorldError, type WorldFailure } from '../../src/domain/errors.ts';
import type { RegistryOp } from '../../src/domain/registry/ops.ts';
import type { Chance, Clock, Log, RegistryStore } from '../../src/ports.ts';

const NOW = 1_800_000_000_000;
const ops: readonly RegistryOp[] = [];
const never = (): Promise<never> => Promise.reject(new Error('not asked here'));

function failed(failure: WorldFailure): WorldError {
  return new WorldError(failure, { tried: 'Writing', cameBack: 'no', state: 'As it was', next: 'Again' });
}

/** A store whose next answers are these failures, and then an end. */
function pair(failures: readonly WorldFailure[], random: string, budgetMs: number) {
  const rest = [...failures];
  const [sent, pauses, said]: [(readonly RegistryOp[])[], number[], string[]] = [[], [], []];
  let now = NOW;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      pauses.push(ms);
      now += ms;
    },
  };
  const store: RegistryStore = {
    place: 'there',
    read: never,
    saveSweep: never,
    history: never,
    probeWrite: never,
    submit: async (asked) => {
      sent.push(asked);
      const failure = rest.shift();
      if (failure !== undefined) throw failed(failure);
      return { state: {} as never, version: 'v', results: [] };
    },
  };
  const chance: Chance = { uuid: () => '', hex: () => random, sha256: () => '' };
  const log: Log = { say: (_level, line) => void said.push(line), progress: () => undefined };
  return {
    ...{ sent, pauses, said },
    store: patientRegistry({ store, until: NOW + budgetMs, clock, chance, log }),
  };
}

it('runs a lost race again with the very same ops, and says each time what is left', async () => {
  const { store, sent, pauses, said } = pair(['conflict', 'conflict'], '80000000', 60_000);
  expect((await store.submit(ops)).version).toBe('v');
  expect(sent.map((each) => each === ops)).toEqual([true, true, true]);
  expect(pauses).toEqual([1_000, 2_000]);
  expect(said).toEqual([
    'there: every race was lost (no); again, 60 s are left for it',
    'there: every race was lost (no); again, 59 s are left for it',
  ]);
});

it('pauses by chance alone, up to 20 s', async () => {
  const many = Array.from({ length: 8 }, (): WorldFailure => 'conflict');
  const most = pair(many, 'ffffffff', 1_000_000);
  await most.store.submit(ops);
  expect(most.pauses.map((ms) => Math.round(ms / 1000))).toEqual([2, 4, 8, 16, 20, 20, 20, 20]);
  const least = pair(many, '00000000', 1_000_000);
  await least.store.submit(ops);
  expect(new Set(least.pauses)).toEqual(new Set([0]));
});

it('begins no round once its time is over', async () => {
  const many = Array.from({ length: 99 }, (): WorldFailure => 'conflict');
  const { store, sent, pauses } = pair(many, 'ffffffff', 10_000);
  await expect(store.submit(ops)).rejects.toMatchObject({ failure: 'conflict' });
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(10_000);
  expect(sent).toHaveLength(3);
  await expect(store.submit(ops)).rejects.toMatchObject({ failure: 'conflict' });
  expect(sent).toHaveLength(4);
});

it.each<WorldFailure>([
  'write-refused',
  'unauthorized',
  'registry-unreadable',
  'rate-limited',
  'outcome-unknown',
])('%s is told at once: another second does not mend it', async (failure) => {
  const { store, sent } = pair([failure], 'ffffffff', 60_000);
  await expect(store.submit(ops)).rejects.toMatchObject({ failure });
  expect(sent).toHaveLength(1);
});
