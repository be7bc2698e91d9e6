/** What every RegistryStore does, wherever it lies. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import { applyAll } from '../../../src/domain/registry/apply.ts';
import { parseOpTrailer } from '../../../src/domain/registry/message.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import { emptySweep } from '../../../src/domain/registry/sweep.ts';
import type { HistoryEntry, OpResult, RegistryStore, Snapshot } from '../../../src/ports.ts';
import {
  actorOf,
  endOf,
  fence,
  HOUR,
  MINUTE,
  NOW,
  op,
  ownerOf,
  podIn,
  REAPER,
  recordOf,
  register,
  settle,
} from '../../domain/registry/record-maker.ts';
import { hostileContract } from './hostile-contract.ts';
import type { Place } from './place-under-test.ts';
import { queueContract } from './queue-contract.ts';

const codes = (snapshot: Snapshot): string[] => snapshot.caution.map(({ code }) => code);

/** The failure of a WorldError that `work` ends with. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'none',
    (thrown: unknown) => thrown,
  );
  return error instanceof WorldError ? error.failure : String(error);
}

function opKeys(history: readonly HistoryEntry[]): string[] {
  return history.flatMap(({ trailers }) =>
    trailers
      .filter(([name]) => name === 'Podtrack-Op')
      .map(([, value]) => parseOpTrailer(value)['key'] ?? ''),
  );
}

/** As a caller does who is told that the same operations may be sent again. */
async function sendUntilDone(store: RegistryStore, ops: readonly RegistryOp[]): Promise<readonly OpResult[]> {
  for (;;) {
    try {
      return (await store.submit(ops)).results;
    } catch (error) {
      if (!(error instanceof WorldError && error.retryable)) throw error;
    }
  }
}

function podPathOf(place: Place, id: string): string {
  const path = Object.keys(place.files()).find((each) => each.endsWith(`/runpod.${id}.json`));
  if (path === undefined) throw new Error(`no file of ${id}`);
  return path;
}

export function registryContract(makePlace: () => Promise<Place>): void {
  queueContract(makePlace);
  hostileContract(makePlace);

  let place: Place;
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(() => place.close());

  describe('a registry that nobody has written to', () => {
    it('reads as definitely none, under one id, without a caution', async () => {
      const store = place.store();
      const first = await store.read();
      expect(first).toMatchObject({ version: null, caution: [], state: { pods: {} } });
      expect((await store.read()).state.meta.registryId).toBe(first.state.meta.registryId);
    });

    it('is started by the first op that applies, under the id that was read before', async () => {
      const store = place.store();
      const { state } = await store.read();
      const submitted = await store.submit([register('abc')]);
      const again = await place.store().read();
      expect(again.version).toBe(submitted.version);
      expect(again.state).toEqual(submitted.state);
      expect(again.state.meta).toMatchObject({ seq: 1, registryId: state.meta.registryId });
    });

    it('is not started by an op that is refused', async () => {
      const submitted = await place.store().submit([settle('abc', { note: 'x' })]);
      expect(submitted).toMatchObject({
        version: null,
        results: [{ kind: 'refused', because: 'not-found' }],
      });
      expect((await place.store().read()).version).toBeNull();
    });
  });

  describe('submit', () => {
    it('makes one commit of what applies, and gives one result per op', async () => {
      const store = place.store();
      const first = register('abc');
      const { results, state, version } = await store.submit([first, first, settle('none'), register('xyz')]);
      expect(results.map(({ kind }) => kind)).toEqual(['applied', 'duplicate', 'refused', 'applied']);
      expect(place.commits()).toBe(1);
      const read = await place.store().read();
      expect([read.version, read.state]).toEqual([version, state]);
    });

    it('makes no commit where nothing changes', async () => {
      const store = place.store();
      const first = register('abc');
      const before = await store.submit([first]);
      const again = await store.submit([first]);
      expect([again.version, again.results]).toEqual([before.version, [{ kind: 'duplicate' }]]);
      expect(place.commits()).toBe(1);
    });

    it('decides on what is there, not on what it has read before', async () => {
      const [mine, other] = [place.store(), place.store()];
      await mine.submit([register('abc')]);
      await other.submit([fence({ pod: 'abc', rev: 1 })]);
      const late = await mine.submit([
        fence({ pod: 'abc', rev: 1 }, {}, { actor: { ...REAPER, uuid: 'r2' } }),
      ]);
      expect(late.results).toMatchObject([{ kind: 'refused', because: 'rev-moved' }]);
      const noted = await mine.submit([settle('abc', { note: 'seen' })]);
      expect(podIn(noted.state)).toMatchObject({ rev: 3, status: 'terminating', notes: ['seen'] });
    });

    it('refuses nothing on the word of an old view', async () => {
      const [mine, other] = [place.store(), place.store()];
      await mine.submit([register('abc')]);
      await other.submit([register('xyz')]);
      const { results } = await mine.submit([settle('xyz', { note: 'seen' })]);
      expect(results).toMatchObject([{ kind: 'applied' }]);
    });

    it('refuses an op that no file could hold, and commits the others', async () => {
      const broken = { ...recordOf('bad').deadlines, absoluteDeadlineAt: 0 };
      const { results } = await place
        .store()
        .submit([register('bad', { record: recordOf('bad', { deadlines: broken }) }), register('abc')]);
      expect(results).toMatchObject([{ kind: 'refused', because: 'invalid' }, { kind: 'applied' }]);
    });

    it('keeps foreign files and unknown fields', async () => {
      const store = place.store();
      await store.submit([register('abc')]);
      const path = podPathOf(place, 'abc');
      place.edit(path, JSON.stringify({ ...JSON.parse(place.files()[path] ?? ''), colour: 'red' }));
      place.edit('notes.txt', 'mine\n');
      await place.store().submit([settle('abc', { note: 'seen' })]);
      expect(place.files()['notes.txt']).toBe('mine\n');
      expect(JSON.parse(place.files()[path] ?? '')).toMatchObject({ colour: 'red', rev: 2 });
    });

    it('writes a row into the ledger when a pod ends, and appends the next', async () => {
      const store = place.store();
      await store.submit([register('abc'), register('xyz')]);
      await store.submit([settle('abc', { end: endOf('terminated') })]);
      await place.store().submit([settle('xyz', { end: endOf('lost') })]);
      const rows = (place.files()['ledger/2026/03/03.jsonl'] ?? '')
        .trimEnd()
        .split('\n')
        .map((row) => JSON.parse(row));
      expect(rows).toMatchObject([
        { pod: 'runpod.abc', how: 'terminated' },
        { pod: 'runpod.xyz', how: 'lost' },
      ]);
    });
  });

  describe('many writers at once', () => {
    it('lose nothing, double nothing, and give the records of the order that the history tells', async () => {
      const writers = Array.from({ length: 8 }, (_, index) => ({
        store: place.store(),
        owner: ownerOf(`w${index}`),
      }));
      await place.store().submit([register('hot')]);
      const sent = new Map<string, RegistryOp>();
      const work = writers.map(async ({ store, owner }, index) => {
        const record = recordOf(`p${index}`, { owner });
        const ops = [
          register(`p${index}`, { record, actor: actorOf(owner) }),
          settle('hot', { note: `n${index}` }),
        ];
        for (const each of ops) sent.set(each.key, each);
        for (const { kind } of await sendUntilDone(store, ops)) expect(['applied', 'queued']).toContain(kind);
      });
      await Promise.all(work);
      await place.store().submit([]);
      expect(place.queue()).toEqual({});
      const { state } = await place.store().read();
      const history = await place.store().history({ limit: 100 });
      const keys = opKeys(history).slice(1);
      expect([...keys].sort()).toEqual([...sent.keys()].sort());
      const first = {
        ...state,
        pods: {
          'runpod.hot': recordOf('hot', { updatedAt: NOW + MINUTE, keys: [opKeys(history)[0] ?? ''] }),
        },
      };
      const serial = applyAll(
        first,
        keys.flatMap((key) => sent.get(key) ?? []),
      );
      expect(serial.state.pods).toEqual(state.pods);
      expect(state.meta.seq).toBe(place.commits());
    }, 60_000);

    it('of one process share commits and get the results of their own ops', async () => {
      const store = place.store();
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.submit([register(`p${index}`), settle('none')])),
      );
      for (const { results } of all)
        expect(results).toMatchObject([{ kind: 'applied' }, { kind: 'refused' }]);
      expect(Object.keys((await place.store().read()).state.pods)).toHaveLength(20);
    });

    it('of one process may share reads, and none is older than its question', async () => {
      const store = place.store();
      const reading = Array.from({ length: 10 }, () => store.read());
      await place.store().submit([register('abc')]);
      const later = await Promise.all(Array.from({ length: 10 }, () => store.read()));
      expect(later.map(({ state }) => Object.keys(state.pods).length)).toEqual(Array(10).fill(1));
      expect(await Promise.all(reading)).toHaveLength(10);
    });
  });

  describe('the state of the sweep', () => {
    it('is missed until it was saved, and replaced by lease only', async () => {
      const [mine, other] = [place.store(), place.store()];
      const { version, state } = await mine.submit([register('abc')]);
      const before = await mine.read();
      expect(codes(before)).toEqual(['sweep-missing']);
      await other.read();
      const sweep = { ...emptySweep(state.meta.registryId), registryTip: version, lastFullSweepAt: NOW };
      expect(await mine.saveSweep(sweep)).toBe(true);
      expect(await other.saveSweep({ ...sweep, lastFullSweepAt: NOW + HOUR })).toBe(false);
      expect((await other.read()).sweep).toEqual(sweep);
      expect(codes(await other.read())).toEqual([]);
      expect(await other.saveSweep({ ...sweep, lastFullSweepAt: NOW + HOUR })).toBe(true);
      expect((await place.store().read()).sweep.lastFullSweepAt).toBe(NOW + HOUR);
    });

    it('can be saved again and again by the same store', async () => {
      const store = place.store();
      const { state } = await store.submit([register('abc')]);
      await store.read();
      for (const minute of [1, 2, 3]) {
        const sweep = { ...emptySweep(state.meta.registryId), lastFullSweepAt: NOW + minute };
        expect(await store.saveSweep(sweep)).toBe(true);
      }
    });
  });

  describe('a branch that people have touched', () => {
    const spoilt = async (text: string): Promise<Snapshot> => {
      await place.store().submit([register('abc'), register('xyz')]);
      place.edit(podPathOf(place, 'abc'), text);
      return place.store().read();
    };

    it('a damaged file is quarantined alone, with its last valid version', async () => {
      const snapshot = await spoilt('<<<<<<< ours\n');
      expect(Object.keys(snapshot.state.pods)).toEqual(['runpod.xyz']);
      expect(snapshot.state.quarantined).toMatchObject([
        { problem: 'not JSON', lastValid: { id: 'abc', rev: 1 } },
      ]);
      expect(codes(snapshot)).toContain('damaged');
    });

    it('the others go on, and an op on the damaged one heals it', async () => {
      await spoilt('{}');
      const store = place.store();
      expect((await store.submit([settle('xyz', { note: 'fine' })])).results).toMatchObject([
        { kind: 'applied' },
      ]);
      expect(codes(await place.store().read())).toContain('damaged');
      await store.submit([settle('abc', { note: 'healed' })]);
      const { state } = await place.store().read();
      expect([podIn(state).notes, state.quarantined]).toEqual([['healed'], []]);
    });

    it('a damaged meta.json is told, and the registry keeps its id', async () => {
      const { state } = await place.store().submit([register('abc')]);
      place.edit('meta.json', 'oops');
      const snapshot = await place.store().read();
      expect(snapshot.state.meta.registryId).toBe(state.meta.registryId);
      expect(codes(snapshot)).toContain('damaged');
    });

    it('a newer schema is refused for reading and for writing', async () => {
      await place.store().submit([register('abc')]);
      place.edit(podPathOf(place, 'abc'), '{"schemaVersion": 2}');
      expect(await failureOf(place.store().read())).toBe('registry-newer-schema');
      expect(await failureOf(place.store().submit([register('xyz')]))).toBe('registry-newer-schema');
    });

    it('a branch of that name that never was a registry is not written to', async () => {
      await place.store().submit([register('abc')]);
      place.edit('meta.json', null);
      expect(codes(await place.store().read())).toContain('damaged');
    });
  });

  describe('a history that was changed', () => {
    const swept = async (): Promise<string> => {
      const store = place.store();
      await store.submit([register('abc')]);
      const { version, state } = await store.submit([
        op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 2.5 * HOUR }),
      ]);
      await store.read();
      await store.saveSweep({
        ...emptySweep(state.meta.registryId),
        registryTip: version,
        lastFullSweepAt: NOW,
      });
      return version ?? '';
    };

    it('is noticed by the tip that the last sweep saw, until that tip is acknowledged', async () => {
      const lost = await swept();
      expect(codes(await place.store().read())).toEqual([]);
      place.rewind(1);
      expect(codes(await place.store().read())).toEqual(['rewound']);
      await place.store().submit([op('acknowledge', { what: 'rewound', tip: lost, reason: 'restored' })]);
      expect(codes(await place.store().read())).toEqual([]);
    });

    it('is noticed by the process that saw the lost tip, without any state', async () => {
      const store = place.store();
      await store.submit([register('abc')]);
      await store.submit([settle('abc', { note: 'x' })]);
      await store.read();
      place.rewind(1);
      expect(codes(await store.read())).toContain('rewound');
    });

    it('a deleted branch is not taken for a new registry, and not written anew', async () => {
      const lost = await swept();
      place.deleteBranch('registry');
      expect(await failureOf(place.store().read())).toBe('registry-rewound');
      expect(await failureOf(place.store().submit([register('xyz')]))).toBe('registry-rewound');
      await expect(place.store().read()).rejects.toThrow(lost);
    });

    it('a branch deleted under a writer that knows it is not written anew either', async () => {
      const store = place.store();
      await store.submit([register('abc')]);
      place.deleteBranch('registry');
      expect(await failureOf(store.submit([register('xyz')]))).toBe('registry-rewound');
    });

    it('a lost state branch makes inferred kills rest', async () => {
      await swept();
      place.deleteBranch('state');
      expect(codes(await place.store().read())).toEqual(['sweep-missing']);
    });
  });

  describe('a copied branch', () => {
    it('is read with a caution and never written', async () => {
      const here = { server: 'https://forge.example', id: '1' };
      const there = { server: 'https://forge.example', id: '2' };
      await place.store({ repository: here }).submit([register('abc')]);
      expect(codes(await place.store({ repository: there }).read())).toContain('foreign-repository');
      expect(await failureOf(place.store({ repository: there }).submit([settle('abc', { note: 'x' })]))).toBe(
        'registry-foreign',
      );
      expect(codes(await place.store({ repository: here }).read())).not.toContain('foreign-repository');
    });

    it('is started on purpose under a new id, without the records of the registry it came from', async () => {
      const here = { server: 'https://forge.example', id: '1' };
      const there = { server: 'https://forge.example', id: '2' };
      await place.store({ repository: here }).submit([register('abc')]);
      const store = place.store({ repository: there });
      const { state } = await store.read();
      const start = (repository: typeof here): RegistryOp =>
        op('acknowledge', {
          what: 'copied',
          tip: null,
          registry: { id: 'c'.repeat(32), repository },
          reason: 'a team of its own',
        });
      expect(await failureOf(store.submit([start(here)]))).toBe('registry-foreign');
      expect(await failureOf(store.submit([settle('abc', { note: 'x' }), start(there)]))).toBe(
        'registry-foreign',
      );
      const started = await store.submit([start(there), register('xyz')]);
      expect(started.results.map(({ kind }) => kind)).toEqual(['applied', 'applied']);
      const again = await place.store({ repository: there }).read();
      expect(again.state.meta).toMatchObject({ registryId: 'c'.repeat(32), repository: there, seq: 2 });
      expect([Object.keys(again.state.pods), codes(again)]).toEqual([['runpod.xyz'], ['sweep-missing']]);
      expect(state.meta.registryId).not.toBe(again.state.meta.registryId);
      expect(codes(await place.store({ repository: here }).read())).toContain('foreign-repository');
    });
  });

  describe('history', () => {
    it('is told oldest first, by pod and by number, hand edits included', async () => {
      const store = place.store();
      expect(await store.history({ limit: 5 })).toEqual([]);
      await store.submit([register('abc')]);
      await store.submit([register('abc2')]);
      place.edit('notes.txt', 'mine\n');
      await store.submit([settle('abc', { note: 'seen' })]);
      const headlines = async (filter: { pod?: string; limit: number }) =>
        (await store.history(filter)).map(({ headline }) => headline);
      expect(await headlines({ limit: 3 })).toEqual([
        'register runpod.abc2 (H100) by acme/alice#7',
        'Edit by hand',
        'settle runpod.abc: a note, by reaper',
      ]);
      expect(await headlines({ pod: 'abc', limit: 9 })).toEqual([
        'register runpod.abc (H100) by acme/alice#7',
        'settle runpod.abc: a note, by reaper',
      ]);
      expect(await headlines({ pod: 'runpod.abc2', limit: 9 })).toHaveLength(1);
      expect((await store.history({ pod: 'abc', limit: 1 }))[0]?.trailers.at(-1)).toEqual([
        'Podtrack-Seq',
        '3',
      ]);
    });
  });

  describe('probeWrite', () => {
    it('writes for real where this store has not written yet', async () => {
      await place.store().probeWrite();
      expect(place.commits()).toBe(1);
      await place.store().submit([register('abc')]);
      await place.store().probeWrite();
      expect((await place.store().read()).state.meta.seq).toBe(3);
    });
  });
}
