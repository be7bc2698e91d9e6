/** Files come back as they were written, lose nobody's field, and are judged one by one. */
import { describe, expect, it } from 'vitest';
import {
  metaText,
  parseMeta,
  parseRecord,
  parseSweep,
  recordText,
  sweepText,
} from '../../../src/domain/registry/files.ts';
import { ledgerPath, podPath } from '../../../src/domain/registry/layout.ts';
import { emptySweep } from '../../../src/domain/registry/sweep.ts';
import { empty, NOW, podIn, REGISTRY_ID, recordOf, sha256, withPod } from './record-maker.ts';

const PATH = podPath('runpod.abc', sha256);

describe('a record file', () => {
  it('lies in a folder named by the hash of its key', () => {
    expect(PATH).toBe(`pods/${sha256('runpod.abc').slice(0, 2)}/runpod.abc.json`);
    expect(ledgerPath(NOW)).toBe('ledger/2026/03/03.jsonl');
  });

  it('has sorted keys, two spaces, times as RFC 3339, a final newline, and comes back the same', () => {
    const record = podIn(withPod());
    const text = recordText(record, null);
    expect(text).toMatch(/^\{\n {2}"account": "acc",\n {2}"artifacts": \{\n {4}"allowEmpty"/);
    expect(text).toContain('"registeredAt": "2026-03-03T11:00:00Z"');
    expect(text.endsWith('}\n')).toBe(true);
    expect(parseRecord(PATH, text, sha256)).toEqual({ kind: 'whole', value: record });
  });

  it('keeps what a newer podtrack has written and this one does not know, at any depth', () => {
    const written = JSON.parse(recordText(recordOf('abc'), null));
    const extended = { ...written, colour: 'red', deadlines: { ...written.deadlines, softAt: 'soon' } };
    const parsed = parseRecord(PATH, JSON.stringify(extended), sha256);
    if (parsed.kind !== 'whole') throw new Error(parsed.kind);
    const again = JSON.parse(recordText({ ...parsed.value, rev: 2 }, JSON.stringify(extended)));
    expect(again).toEqual({ ...extended, rev: 2 });
  });

  it('does not hand a stranger’s field from one owner to the next', () => {
    const written = JSON.parse(recordText(recordOf('abc'), null));
    const extended = JSON.stringify({ ...written, owner: { ...written.owner, team: 'a' } });
    const next = recordOf('abc', { owner: { ...recordOf('abc').owner, uuid: 'other' } });
    expect(JSON.parse(recordText(recordOf('abc'), extended)).owner.team).toBe('a');
    expect(JSON.parse(recordText(next, extended)).owner.team).toBeUndefined();
  });

  it.each([
    ['no JSON', '{"schemaVersion": 1,', 'damaged'],
    ['a conflict marker', '<<<<<<< ours\n{}', 'damaged'],
    [
      'no deadlines',
      JSON.stringify({ ...JSON.parse(recordText(recordOf('abc'), null)), deadlines: undefined }),
      'damaged',
    ],
    ['a time without a zone', recordText(recordOf('abc'), null).replace('11:00:00Z', '11:00:00'), 'damaged'],
    ['a list', '[]', 'damaged'],
    ['far too long', `{"a":"${'x'.repeat(300_000)}"}`, 'damaged'],
    ['a newer schema', JSON.stringify({ schemaVersion: 2, anything: 1 }), 'newer'],
  ])('with %s is %3$s', (_name, text, kind) => {
    expect(parseRecord(PATH, text, sha256).kind).toBe(kind);
  });

  it('that lies under another pod’s name stands for neither', () => {
    const text = recordText(recordOf('abc'), null);
    expect(parseRecord(podPath('runpod.xyz', sha256), text, sha256)).toMatchObject({ kind: 'damaged' });
    expect(parseRecord('pods/zz/runpod.abc.json', text, sha256)).toMatchObject({ kind: 'damaged' });
  });
});

describe('meta and state files', () => {
  it('come back the same', () => {
    const { meta } = empty();
    expect(parseMeta(metaText(meta, null))).toEqual({ kind: 'whole', value: meta });
    const sweep = { ...emptySweep(REGISTRY_ID), registryTip: 'a'.repeat(40), lastFullSweepAt: NOW };
    expect(parseSweep(sweepText(sweep))).toEqual({ kind: 'whole', value: sweep });
  });

  it('of an older podtrack lack fields and are still whole', () => {
    const { keys: _keys, acknowledged: _acknowledged, ...old } = JSON.parse(metaText(empty().meta, null));
    expect(parseMeta(JSON.stringify(old))).toEqual({ kind: 'whole', value: empty().meta });
  });
});
