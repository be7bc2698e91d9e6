/** Twenty jobs that register, twenty that end and a reaper on one branch, with answers that get lost (case C42). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import { parseOpTrailer } from '../../../src/domain/registry/message.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import type { Clock, RegistryStore } from '../../../src/ports.ts';
import { suiteWith } from '../../components.ts';
import {
  ALICE,
  actorOf,
  endOf,
  fence,
  NOW,
  op,
  register,
  settle,
} from '../../domain/registry/record-maker.ts';
import { refusal } from '../../github-server/refusals.ts';
import { type GithubPlace, githubPlace } from './github-place.ts';
import { httpPlace, type Place, tickingClock } from './place-under-test.ts';

const JOBS = 20;
const SPREAD_MS = 2000;
const LONGEST_MS = 60_000;

type Stand = {
  readonly place: Place;
  open(over: { clock: Clock; hurry?: boolean }): RegistryStore;
  /** A lost answer, an error before and after the work, and a lock that somebody holds. */
  trouble(): void;
};

async function overGit(): Promise<Stand> {
  const place = await httpPlace();
  const trouble = (): void => {
    for (const what of ['drop', 'before', 'after', 'before', 'after', 'drop'] as const)
      place.server.faults.push({ when: 'push', what, times: 2 });
  };
  return { place, open: (over) => place.open(over), trouble };
}

async function overApi(): Promise<Stand> {
  const place: GithubPlace = await githubPlace();
  const when = 'graphql createCommitOnBranch';
  const trouble = (): void => {
    const { faults } = place.server.switches;
    for (const what of ['drop', 'before', 'after', 'before', 'after', 'drop'] as const)
      faults.push({ when, what, times: 2 });
    const locked = "cannot lock ref 'refs/heads/podtrack': is at 1111 but expected 2222";
    faults.push({ when, what: refusal(409, locked), times: 3 });
    // What was just written is read back as it was before.
    place.server.switches.staleReads = 1;
  };
  return { place, open: (over) => place.open(over), trouble };
}

/** As a caller does who is told that the same operations may be sent again. */
async function send(store: RegistryStore, ops: readonly RegistryOp[]): Promise<void> {
  for (;;) {
    try {
      return void (await store.submit(ops));
    } catch (error) {
      if (!(error instanceof WorldError && error.retryable)) throw error;
    }
  }
}

const name = (kind: string, index: number): string => `${kind}${String(index).padStart(2, '0')}`;

async function endsPod(store: RegistryStore, id: string): Promise<void> {
  const actor = actorOf(ALICE);
  const { state } = await store.read();
  const rev = state.pods[`runpod.${id}`]?.rev ?? 0;
  const held = { holder: ALICE.uuid, reason: 'requested' };
  await send(store, [fence({ pod: id, rev }, held, { actor })]);
  await send(store, [op('confirm', { pod: id, fenceRev: rev, proof: 'GET 404', actor })]);
  await send(store, [settle(id, { end: endOf('terminated') })]);
}

suiteWith(['git-http-backend'], 'many jobs, one branch', () => {
  describe.each([
    ['git over HTTP', overGit],
    ['the API', overApi],
  ] as const)('over %s', (_way, stand) => {
    let on: Stand;
    beforeEach(async () => {
      on = await stand();
    });
    afterEach(() => on.place.close(), 120_000);

    it('C42: no row is lost, none doubled, every file is valid; p95 of a write stays below a minute', async () => {
      const all = Array.from({ length: JOBS }, (_, index) => index);
      await on.place
        .store()
        .submit([register('watched'), ...all.map((index) => register(name('old', index)))]);
      on.trouble();
      const waited: number[] = [];
      const job = async (index: number, work: (store: RegistryStore) => Promise<void>): Promise<void> => {
        const clock = tickingClock();
        await clock.sleep((index * SPREAD_MS) / JOBS);
        const store = on.open({ clock });
        const submit: RegistryStore['submit'] = async (ops) => {
          const startedAt = clock.now();
          try {
            return await store.submit(ops);
          } finally {
            waited.push(clock.now() - startedAt);
          }
        };
        await work({ ...store, submit });
      };
      const reaper = async (): Promise<void> => {
        const store = on.open({ clock: tickingClock(), hurry: true });
        for (let cycle = 0; cycle < 3; cycle += 1) {
          await send(store, [settle('watched', { note: `seen in cycle ${cycle}` })]);
          const { sweep } = await store.read();
          await store.saveSweep({ ...sweep, lastFullSweepAt: NOW + cycle });
        }
      };
      await Promise.all([
        ...all.map((index) => job(index, (store) => send(store, [register(name('new', index))]))),
        ...all.map((index) => job(index, (store) => endsPod(store, name('old', index)))),
        reaper(),
      ]);
      await send(on.place.store(), []);
      const { state, caution } = await on.place.store().read();
      expect(state.quarantined).toEqual([]);
      expect(caution).toEqual([]);
      const status = (kind: string) =>
        all.map((index) => state.pods[`runpod.${name(kind, index)}`]?.status ?? 'none');
      expect([new Set(status('new')), new Set(status('old'))]).toEqual([
        new Set(['active']),
        new Set(['terminated']),
      ]);
      const history = await on.place.store().history({ limit: 1000 });
      const keys = history.flatMap(({ trailers }) =>
        trailers.flatMap(([each, value]) => (each === 'Podtrack-Op' ? [parseOpTrailer(value)['key']] : [])),
      );
      expect(keys.length).toBe(new Set(keys).size);
      const sorted = waited.toSorted((left, right) => left - right);
      const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
      process.stdout.write(
        `${2 * JOBS} jobs, ${sorted.length} writes, ${history.length} commits: p50 ${sorted[Math.floor(sorted.length / 2)]} ms, p95 ${p95} ms, longest ${sorted.at(-1)} ms on their clocks\n`,
      );
      expect(p95).toBeLessThan(LONGEST_MS);
    }, 600_000);
  });
});
