/** What every RegistryStore does with ops that could not be committed in time. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import { parseOpTrailer } from '../../../src/domain/registry/message.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import { queuedText } from '../../../src/domain/registry/queue-entry.ts';
import type { OpResult, RegistryStore } from '../../../src/ports.ts';
import {
  ALICE,
  actorOf,
  fence,
  HOUR,
  MINUTE,
  NOW,
  op,
  podIn,
  register,
  settle,
} from '../../domain/registry/record-maker.ts';
import type { Place } from './place-under-test.ts';

const idAt = (at: number, name = 'aaaaaaaaaaaa'): string => `${String(at).padStart(13, '0')}-${name}`;

export function queueContract(makePlace: () => Promise<Place>): void {
  let place: Place;
  beforeEach(async () => {
    place = await makePlace();
    await place.store().submit([register('hot')]);
  });
  afterEach(() => place.close());

  async function jammed(...ops: readonly RegistryOp[]): Promise<readonly OpResult[]> {
    place.jam(true);
    try {
      return (await place.store().submit(ops)).results;
    } finally {
      place.jam(false);
    }
  }

  async function trailers(name: string): Promise<readonly string[]> {
    const history = await place.store().history({ limit: 100 });
    return history.flatMap((entry) =>
      entry.trailers.filter(([each]) => each === name).map(([, value]) => value),
    );
  }

  const keysTold = async (): Promise<readonly (string | undefined)[]> =>
    (await trailers('Podtrack-Op')).map((value) => parseOpTrailer(value)['key']);

  const registryId = async (store: RegistryStore): Promise<string> =>
    (await store.read()).state.meta.registryId;

  describe('what could not be committed in time', () => {
    it('is queued, told so, and seen by every reader as if it were committed', async () => {
      const results = await jammed(register('abc'), settle('hot', { note: 'seen' }));
      expect(results.map(({ kind }) => kind)).toEqual(['queued', 'queued']);
      expect(place.commits()).toBe(1);
      const read = await place.store().read();
      expect(read.queued).toBe(1);
      expect(podIn(read.state, 'abc')).toMatchObject({ status: 'active', rev: 1 });
      expect(podIn(read.state, 'hot')).toMatchObject({ notes: ['seen'], rev: 2 });
      expect(read.state.meta.seq).toBe(1);
    });

    it('is not queued where it decides a race: claim, reclaim and fence fail as they are', async () => {
      const record = podIn((await place.store().read()).state, 'hot');
      const claim = op('claim', {
        pod: 'hot',
        rev: record.rev,
        owner: { ...ALICE, uuid: 'another' },
        actor: actorOf({ ...ALICE, uuid: 'another' }),
        ownerDeadlineAt: null,
        forcedBecause: 'test',
      });
      for (const each of [fence({ pod: 'hot', rev: record.rev }), claim]) {
        const error = await jammed(each).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(WorldError);
        expect(error).toMatchObject({ failure: 'conflict', retryable: true });
      }
      expect(place.queue()).toEqual({});
    });

    it('leaves the queue in the commit of the next winner, before his own ops, in one commit', async () => {
      await jammed(register('abc'));
      const { results, state } = await place.store().submit([settle('abc', { note: 'after' })]);
      expect(results).toMatchObject([{ kind: 'applied' }]);
      expect(podIn(state, 'abc')).toMatchObject({ rev: 2, notes: ['after'] });
      expect(place.commits()).toBe(2);
      expect(place.queue()).toEqual({});
      const told = await trailers('Podtrack-Op');
      expect(told.map((value) => value.split(' ')[0])).toEqual(['register', 'register', 'settle']);
      expect(parseOpTrailer(told[1] ?? '')['queued']).toMatch(/^\d{13}-/);
    });

    it('is folded by who asks for nothing else, once', async () => {
      await jammed(register('abc'), register('xyz'));
      const folded = await place.store().submit([]);
      expect(folded.results).toEqual([]);
      expect(Object.keys(folded.state.pods).sort()).toEqual(['runpod.abc', 'runpod.hot', 'runpod.xyz']);
      expect([place.commits(), place.queue()]).toEqual([2, {}]);
      await place.store().submit([]);
      expect(place.commits()).toBe(2);
      expect(await place.store().read()).toMatchObject({ queued: 0, version: folded.version });
    });

    it('makes no commit with the op of somebody who is refused', async () => {
      await jammed(register('abc'));
      const { results } = await place.store().submit([settle('nobody', { note: 'x' })]);
      expect(results).toMatchObject([{ kind: 'refused', because: 'not-found' }]);
      expect([place.commits(), Object.keys(place.queue()).length]).toEqual([1, 1]);
    });

    it('sent again is a duplicate while it waits and after, and stands in the history once', async () => {
      const sent = register('abc');
      await jammed(sent);
      expect((await place.store().submit([sent])).results).toEqual([{ kind: 'duplicate' }]);
      await place.store().submit([]);
      expect((await place.store().submit([sent])).results).toEqual([{ kind: 'duplicate' }]);
      expect((await keysTold()).filter((key) => key === sent.key)).toHaveLength(1);
    });

    it('whose ref outlived its commit is dropped by its keys', async () => {
      const sent = register('abc');
      await jammed(sent);
      const left = place.queue();
      await place.store().submit([]);
      for (const [id, text] of Object.entries(left)) place.putQueued(id, text);
      await place.store().submit([settle('abc', { note: 'later' })]);
      expect(place.queue()).toEqual({});
      expect((await keysTold()).filter((key) => key === sent.key)).toHaveLength(1);
    });

    it('moves the record on: a verdict from before it fences nothing', async () => {
      const { rev } = podIn((await place.store().read()).state, 'hot');
      const later = NOW + 2.5 * HOUR;
      expect(await jammed(op('extend', { pod: 'hot', ownerDeadlineAt: later }))).toMatchObject([
        { kind: 'queued' },
      ]);
      const { results } = await place.store().submit([fence({ pod: 'hot', rev })]);
      expect(results).toMatchObject([{ kind: 'refused', because: 'rev-moved' }]);
      const seen = podIn((await place.store().read()).state, 'hot');
      expect(seen.deadlines.ownerSetAt).toBe(later);
      const again = await place.store().submit([fence({ pod: 'hot', rev: seen.rev })]);
      expect(again.results).toMatchObject([{ kind: 'applied' }]);
    });

    it('of one caller is queued although another in the same commit decides a race, who fails alone', async () => {
      const store = place.store();
      const { rev } = podIn((await store.read()).state, 'hot');
      place.jam(true);
      const both = await Promise.allSettled([
        store.submit([register('abc')]),
        store.submit([fence({ pod: 'hot', rev })]),
        store.submit([register('xyz')]),
      ]);
      place.jam(false);
      expect(both.map(({ status }) => status)).toContain('rejected');
      expect(both[0]).toMatchObject({ value: { results: [{ kind: 'queued' }] } });
      expect(both[1]).toMatchObject({ reason: { failure: 'conflict' } });
      expect(both[2]).toMatchObject({ value: { results: [{ kind: 'queued' }] } });
    });
  });

  describe('a queue that others have written', () => {
    it('is folded a hundred ops at a time', async () => {
      const id = await registryId(place.store());
      for (const group of [0, 1]) {
        const ops = Array.from({ length: 60 }, (_, index) => register(`p${group}x${index}`));
        place.putQueued(idAt(NOW + group), queuedText(id, ops));
      }
      expect(Object.keys((await place.store().read()).state.pods)).toHaveLength(121);
      const first = await place.store().submit([]);
      expect(Object.keys(first.state.pods)).toHaveLength(61);
      const second = await place.store().submit([]);
      expect(Object.keys(second.state.pods)).toHaveLength(121);
      expect(place.queue()).toEqual({});
    });

    it('keeps what came too early, and gives it up with an event after an hour', async () => {
      const id = await registryId(place.store());
      const early = settle('none', { note: 'too early' });
      place.putQueued(idAt(NOW), queuedText(id, [early]));
      await place.store().submit([settle('hot', { note: 'x' })]);
      expect(Object.keys(place.queue())).toEqual([idAt(NOW)]);
      place.putQueued(idAt(NOW - 61 * MINUTE), queuedText(id, [settle('none', { note: 'too old' })]));
      await place.store().submit([]);
      expect(Object.keys(place.queue())).toEqual([idAt(NOW)]);
      expect(await trailers('Podtrack-Refused')).toMatchObject([
        expect.stringMatching(/^settle pod=runpod\.none key=\S+ because=not-found queued=\d{13}-/),
      ]);
      await place.store().submit([register('none')]);
      const { state } = await place.store().submit([]);
      expect(podIn(state, 'none').notes).toEqual(['too early']);
    });

    it('rests inferred kills while an entry cannot be read, stops nobody, and drops it after an hour', async () => {
      const spoilt: readonly (readonly [string, string])[] = [
        [idAt(NOW, 'bbbbbbbbbbbb'), '<<<<<<< ours'],
        [idAt(NOW, 'cccccccccccc'), queuedText('f'.repeat(32), [register('stranger')])],
        [idAt(NOW, 'dddddddddddd'), '{"schemaVersion": 99}'],
      ];
      for (const [id, text] of spoilt) place.putQueued(id, text);
      const read = await place.store().read();
      expect(read.caution.filter(({ code }) => code === 'damaged')).toHaveLength(3);
      expect(Object.keys(read.state.pods)).toEqual(['runpod.hot']);
      expect((await place.store().submit([register('abc')])).results).toMatchObject([{ kind: 'applied' }]);
      expect(Object.keys(place.queue())).toHaveLength(3);
      place.putQueued('no-time-at-all', 'x');
      place.putQueued(idAt(NOW - 2 * HOUR), '{}');
      await place.store().submit([]);
      expect(Object.keys(place.queue())).toHaveLength(3);
      expect(await trailers('Podtrack-Refused')).toHaveLength(2);
    });

    it('brings in no op that may not come late, whoever wrote it there', async () => {
      const id = await registryId(place.store());
      const { rev } = podIn((await place.store().read()).state, 'hot');
      const whole: unknown = JSON.parse(queuedText(id, [settle('hot', { note: 'x' })]));
      const forged = { ...fence({ pod: 'hot', rev }), at: new Date(NOW).toISOString() };
      place.putQueued(idAt(NOW), JSON.stringify(Object.assign({}, whole, { ops: [forged] })));
      const read = await place.store().read();
      expect(podIn(read.state, 'hot').status).toBe('active');
      expect(read.caution.map(({ code }) => code)).toContain('damaged');
    });
  });
}
