/** What every RegistryStore does with files that a hand, an editor or an attacker has left in the branch. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podPath } from '../../../src/domain/registry/layout.ts';
import { podIn, register, settle, sha256 } from '../../domain/registry/record-maker.ts';
import type { Place } from './place-under-test.ts';

const bent = (text: string, from: string | RegExp, to: string): string => {
  const after = text.replace(from, to);
  if (after === text) throw new Error(`nothing to bend: ${String(from)}`);
  return after;
};
const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** From a whole record to a damaged one, and what is told of it. */
const DAMAGES: readonly (readonly [string, (text: string) => string, RegExp])[] = [
  ['bom', (text) => `\ufeff${text}`, /not JSON/],
  ['nul', (text) => bent(text, '"H100"', '"H\x080"'), /not JSON/],
  ['nothing', () => '', /not JSON/],
  ['half', (text) => text.slice(0, text.length / 2), /not JSON/],
  ['conflict', (text) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> theirs\n`, /not JSON/],
  ['merged', (text) => bent(text, '"rev": 1,', '"rev": 1,\n  "rev": 7,'), /says rev twice/],
  ['twoids', (text) => bent(text, '"id": "twoids"', '"id": "other", "\\u0069d": "twoids"'), /says id twice/],
  ['huge', (text) => `${text}${' '.repeat(10 * 1024 * 1024)}`, /longer than|not JSON/],
  ['long', (text) => bent(text, '"H100"', `"${'H'.repeat(600_000)}"`), /longer than|not JSON/],
  ['deep', (text) => bent(text, '{', `{"x":${deep(5000)},`), /nested deeper/],
  ['list', (text) => `[${text}]`, /expected object/i],
  ['revtext', (text) => bent(text, '"rev": 1', '"rev": "1"'), /rev/],
  ['revzero', (text) => bent(text, '"rev": 1', '"rev": 0'), /rev/],
  ['debt', (text) => bent(text, '2490000', '-2490000'), /costPerHourMicroUsd/],
  ['cents', (text) => bent(text, '2490000', '2490000.5'), /costPerHourMicroUsd/],
  ['riches', (text) => bent(text, '2490000', '1e400'), /costPerHourMicroUsd/],
  ['local', (text) => bent(text, /("createdAt": "[^"]*)Z"/, '$1"'), /createdAt/],
  ['epoch', (text) => bent(text, /"createdAt": "[^"]*"/, '"createdAt": 1772535600000'), /createdAt/],
  ['leap', (text) => bent(text, /"createdAt": "\d{4}-\d\d-\d\d/, '"createdAt": "2026-02-30'), /createdAt/],
  ['endless', (text) => bent(text, /"absoluteDeadlineAt": "[^"]*",/, ''), /absoluteDeadlineAt/],
  ['backwards', (text) => bent(text, /("absoluteDeadlineAt": ")\d{4}/, '$12020'), /absolute before/],
  ['status', (text) => bent(text, '"active"', '"immortal"'), /status/],
  ['provider', (text) => bent(text, '"runpod"', '"https://evil.example"'), /provider/],
  ['dots', (text) => bent(text, '"id": "dots"', '"id": "dots."'), /id/],
  ['percent', (text) => bent(text, '"id": "percent"', '"id": "%70ercent"'), /id/],
  ['upwards', (text) => bent(text, '"id": "upwards"', '"id": "../../upwards"'), /id/],
  ['cyrillic', (text) => bent(text, '"id": "cyrillic"', '"id": "сyrillic"'), /id/],
  ['moved', (text) => bent(text, '"id": "moved"', '"id": "whole"'), /its content belongs to/],
];

/** Odd, and nothing wrong with them. */
const WHOLE: readonly (readonly [string, (text: string) => string])[] = [
  ['crlf', (text) => text.replaceAll('\n', '\r\n')],
  ['proto', (text) => bent(text, '{', '{"__proto__": {"status": "terminated"}, "constructor": 1,')],
  ['zone', (text) => bent(text, /("createdAt": ")2026-03-03T10:55:00Z/, '$12026-03-03T12:55:00+02:00')],
  ['minified', (text) => JSON.stringify(JSON.parse(text))],
];

const pathOf = (id: string): string => podPath(`runpod.${id}`, sha256);

export function hostileContract(makePlace: () => Promise<Place>): void {
  let place: Place;
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(() => place.close());

  describe('files by any hand', () => {
    it('are judged one by one: the damaged ones count as they were, the others go on, nothing of theirs is touched', async () => {
      const ids = [...DAMAGES.map(([id]) => id), ...WHOLE.map(([id]) => id), 'whole'];
      await place.store().submit(ids.map((id) => register(id)));
      const before = place.files();
      for (const [id, bend] of [...DAMAGES, ...WHOLE]) place.edit(pathOf(id), bend(before[pathOf(id)] ?? ''));
      const spoilt = place.files();
      const { state, caution } = await place.store().read();
      expect(Object.keys(state.pods).sort()).toEqual(
        [...WHOLE.map(([id]) => `runpod.${id}`), 'runpod.whole'].sort(),
      );
      const told = new Map(state.quarantined.map((file) => [file.path, file]));
      expect(told.size).toBe(DAMAGES.length);
      for (const [id, , problem] of DAMAGES) {
        expect([id, told.get(pathOf(id))]).toMatchObject([
          id,
          { lastValid: { id, status: 'active', rev: 1 } },
        ]);
        expect(`${id}: ${told.get(pathOf(id))?.problem}`).toMatch(problem);
      }
      expect(caution.filter(({ code }) => code === 'damaged')).toHaveLength(DAMAGES.length);
      for (const [id] of WHOLE)
        expect(podIn(state, id)).toMatchObject({
          status: 'active',
          createdAt: podIn(state, 'whole').createdAt,
        });
      expect(({} as { status?: unknown }).status).toBeUndefined();

      const store = place.store();
      expect((await store.submit([settle('whole', { note: 'goes on' })])).results).toMatchObject([
        { kind: 'applied' },
      ]);
      const after = place.files();
      const changed = Object.keys(after).filter((path) => after[path] !== spoilt[path]);
      expect(changed.sort()).toEqual(['README.md', 'meta.json', pathOf('whole')].sort());
      await store.submit([settle('merged', { note: 'healed' })]);
      expect(podIn((await place.store().read()).state, 'merged')).toMatchObject({
        rev: 2,
        notes: ['healed'],
      });
    }, 180_000);

    it('under names that no record has stand for nobody, and are told', async () => {
      await place.store().submit([register('abc')]);
      const text = place.files()[pathOf('abc')] ?? '';
      const named = (id: string): string => text.replace('"id": "abc"', `"id": "${id}"`);
      const strange = [
        'pods/zz/runpod.abc.json',
        'pods/runpod.abc.json',
        `pods/${sha256('runpod.abc').slice(0, 2)}/vast.abc.json`,
        `${pathOf('abc').slice(0, -5)}.JSON`,
        `${pathOf('abc').slice(0, -5)}..json`,
        pathOf('a%62c'),
        pathOf('a\u200bbc'),
        pathOf('аbc'),
        pathOf('a\nHEAD'),
        pathOf('"abc'),
      ];
      for (const path of strange) place.edit(path, named('abc'));
      const { state, caution } = await place.store().read();
      expect(Object.keys(state.pods)).toEqual(['runpod.abc']);
      expect(state.quarantined.map(({ path }) => path).sort()).toEqual([...strange].sort());
      expect(state.quarantined.filter(({ lastValid }) => lastValid !== null)).toEqual([]);
      expect(caution.filter(({ code }) => code === 'damaged')).toHaveLength(strange.length);
      expect((await place.store().submit([register('xyz')])).results).toMatchObject([{ kind: 'applied' }]);
    });

    it('that look alike are told, both count, and a third is refused', async () => {
      await place.store().submit([register('a-b')]);
      const text = place.files()[pathOf('a-b')] ?? '';
      place.edit(pathOf('A_b'), text.replace('"id": "a-b"', '"id": "A_b"'));
      const { state, caution } = await place.store().read();
      expect(Object.keys(state.pods).sort()).toEqual(['runpod.A_b', 'runpod.a-b']);
      expect(caution).toContainEqual({ code: 'damaged', detail: expect.stringMatching(/looks like/) });
      const { results } = await place.store().submit([register('a_B')]);
      expect(results).toMatchObject([{ kind: 'refused', because: 'look-alike' }]);
    });

    it('that a person discards are gone, whatever their names say', async () => {
      await place.store().submit([register('abc')]);
      const path = `pods/00/runpod.x\nM 100644 inline README.md\ndata 4\nevil\n.json`;
      place.edit(path, '{}');
      const person = { kind: 'person' as const, uuid: null, label: 'ops', run: null };
      const before = place.files();
      const [discarded] = (
        await place
          .store()
          .submit([{ op: 'discard', key: 'ops/discard/1', at: 0, actor: person, path, reason: 'not ours' }])
      ).results;
      expect(discarded).toMatchObject({ kind: 'applied' });
      const after = place.files();
      expect(Object.keys(before).filter((each) => !(each in after))).toEqual([path]);
      expect(after['README.md']).not.toMatch(/^evil/);
    });
  });
}
