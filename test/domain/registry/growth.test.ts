/** What keeps the tree as small as the live set, and what moves it as a whole: forget, discard, import, golden files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChecked } from '../../../src/domain/registry/apply.ts';
import { planCommit } from '../../../src/domain/registry/commit.ts';
import { documentOf, readDocument } from '../../../src/domain/registry/document.ts';
import {
  metaText,
  parseMeta,
  parseRecord,
  parseSweep,
  recordText,
  sweepText,
} from '../../../src/domain/registry/files.ts';
import { podPath } from '../../../src/domain/registry/layout.ts';
import { type Migration, migrated } from '../../../src/domain/registry/migrations.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import { newerSchema } from '../../../src/domain/registry/read-errors.ts';
import type { RegistryState } from '../../../src/domain/registry/state.ts';
import { TOMBSTONE_MS } from '../../../src/domain/rules.ts';
import { anOp, aStart } from './op-arbitrary.ts';
import {
  ALICE,
  actorOf,
  empty,
  endOf,
  NOW,
  op,
  PERSON,
  podIn,
  REAPER,
  recordOf,
  register,
  settle,
  sha256,
  stateAfter,
  withPod,
} from './record-maker.ts';

const ended = stateAfter(withPod(), settle('abc', { end: endOf('terminated', { at: NOW }) }));
const forget = (at: number, actor = REAPER) => op('forget', { pod: 'abc', at, actor });
const committed = (before: RegistryState, of: RegistryOp, texts: Readonly<Record<string, string>> = {}) => {
  const outcome = applyChecked(before, of);
  if (outcome.kind !== 'applied') throw new Error(JSON.stringify(outcome));
  const wish = { before, after: outcome.state, events: [outcome.event], now: NOW, sha256 };
  return planCommit({ ...wish, textOf: (path) => texts[path] ?? null });
};
const since = podIn(ended).updatedAt;

describe('a tombstone', () => {
  it('stays 30 days and goes then, in a commit of the reaper', () => {
    expect(applyChecked(ended, forget(since + TOMBSTONE_MS - 1))).toMatchObject({ because: 'too-early' });
    const { files, state } = committed(ended, forget(since + TOMBSTONE_MS));
    expect(files).toContainEqual({ path: podPath('runpod.abc', sha256), text: null });
    expect(state.pods).toEqual({});
  });

  it('leaves a row in the ledger of its day, once', () => {
    const rows = (texts: Readonly<Record<string, string>>) =>
      committed(ended, forget(since + TOMBSTONE_MS), texts).files.filter(({ path }) =>
        path.startsWith('ledger/'),
      );
    expect(rows({})).toMatchObject([
      { path: 'ledger/2026/03/03.jsonl', text: expect.stringContaining('"pod":"runpod.abc"') },
    ]);
    const there = { 'ledger/2026/03/03.jsonl': '{"how":"terminated","pod":"runpod.abc"}\n' };
    expect(rows(there)).toEqual([]);
  });

  it('is forgotten by nobody while the pod lives, nor by its owner', () => {
    expect(applyChecked(withPod(), forget(NOW + 10 * TOMBSTONE_MS))).toMatchObject({ because: 'not-active' });
    const late = forget(since + TOMBSTONE_MS, actorOf(ALICE));
    expect(applyChecked(ended, late)).toMatchObject({ because: 'other-owner' });
    expect(applyChecked(empty(), forget(NOW)).kind).toBe('duplicate');
  });
});

describe('a damaged file', () => {
  const stray = { path: 'pods/zz/runpod.x.json', problem: 'not JSON', lastValid: null };
  it('without any valid version is discarded by a person, and only as such', () => {
    const state = { ...withPod(), quarantined: [stray] };
    const discard = (path: string, actor = PERSON) => op('discard', { path, reason: 'a bad merge', actor });
    const { files, state: after } = committed(state, discard(stray.path));
    expect(files).toContainEqual({ path: stray.path, text: null });
    expect(after.quarantined).toEqual([]);
    expect(applyChecked(state, discard('pods/aa/other.json'))).toMatchObject({ because: 'not-found' });
    expect(applyChecked(state, discard(stray.path, REAPER))).toMatchObject({ because: 'other-owner' });
    const known = { ...state, quarantined: [{ ...stray, lastValid: recordOf('x') }] };
    expect(applyChecked(known, discard(stray.path))).toMatchObject({ because: 'quarantined' });
  });

  it('of a pod that has a whole one elsewhere goes with the next op on it', () => {
    const copy = { path: 'pods/zz/runpod.abc.json', problem: 'elsewhere', lastValid: null };
    const { files } = committed({ ...withPod(), quarantined: [copy] }, settle('abc', { note: 'seen' }));
    expect(files).toContainEqual({ path: copy.path, text: null });
  });
});

describe('a registry as one document', () => {
  const importOp = (text: string) => op('import', { ...readDocument(text), reason: 'moved', actor: PERSON });
  const exported = (state: RegistryState, ledger: ReadonlyMap<string, string> = new Map()) =>
    JSON.stringify(documentOf(state, ledger, NOW).document);

  it('comes out of the place it was imported into as it went in', () => {
    fc.assert(
      fc.property(aStart, fc.array(anOp, { maxLength: 12 }), (record, ops) => {
        let state = stateAfter(
          empty(),
          register('p1', { record: { ...record, name: 'p1' }, actor: actorOf(record.owner) }),
        );
        for (const each of ops) {
          const outcome = applyChecked(state, each);
          if (outcome.kind === 'applied') state = outcome.state;
        }
        const ledger = new Map([['ledger/2026/03/03.jsonl', '{"pod":"runpod.p1"}\n{"pod":"runpod.p2"}\n']]);
        const fresh = { ...empty(), meta: { ...empty().meta, registryId: 'f'.repeat(32) } };
        const { state: there, files } = committed(fresh, importOp(exported(state, ledger)));
        expect(there.meta.registryId).toBe(state.meta.registryId);
        expect(there.pods).toEqual(state.pods);
        const texts = new Map(
          files.flatMap(({ path, text }) =>
            path.startsWith('ledger/') ? ([[path, text ?? '']] as const) : [],
          ),
        );
        const again = JSON.parse(exported({ ...there, meta: state.meta }, texts));
        expect(again).toEqual(JSON.parse(exported(state, ledger)));
      }),
      { numRuns: 60 },
    );
  });

  it('never makes a record older, and drops none that the document does not know', () => {
    const old = exported(withPod());
    const here = stateAfter(withPod(), settle('abc', { note: 'newer' }), register('other'));
    const { state, files } = committed(here, importOp(old));
    expect(state.pods).toEqual(here.pods);
    expect(files.filter(({ path }) => path.startsWith('pods/'))).toEqual([]);
  });

  it('of another registry is refused where one lies: two would judge the same pods', () => {
    const text = exported({ ...withPod(), meta: { ...withPod().meta, registryId: 'e'.repeat(32) } });
    expect(applyChecked(empty(), importOp(text)).kind).toBe('applied');
    const written = { ...withPod(), meta: { ...withPod().meta, seq: 4 } };
    expect(applyChecked(written, importOp(text))).toMatchObject({ because: 'other-registry' });
  });

  it('that is none, or newer, is told as such', () => {
    for (const text of [
      '{',
      '[]',
      '{"format":"podtrack-registry","schemaVersion":2}',
      exported(withPod()).replace('"active"', '"alive"'),
    ])
      expect(() => readDocument(text)).toThrow(/podtrack export/);
  });
});

describe('files of schema 1', () => {
  const folder = join(import.meta.dirname, 'golden', 'v1');
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const records = readdirSync(join(folder, 'pods'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.json'),
  );

  // What a later podtrack adds may be there; what a file says must never be lost or read as something else.
  it.each(records)('%s reads whole, and all that it says is written back', (file) => {
    const path = `pods/${file}`;
    const parsed = parseRecord(path, read(path), sha256);
    if (parsed.kind !== 'whole') throw new Error(JSON.stringify(parsed));
    expect(JSON.parse(recordText(parsed.value, read(path)))).toMatchObject(JSON.parse(read(path)));
  });

  it('meta.json and sweep.json as well', () => {
    const [meta, sweep] = [parseMeta(read('meta.json')), parseSweep(read('sweep.json'))];
    if (meta.kind !== 'whole' || sweep.kind !== 'whole') throw new Error(JSON.stringify([meta, sweep]));
    expect(JSON.parse(metaText(meta.value, read('meta.json')))).toMatchObject(JSON.parse(read('meta.json')));
    expect(JSON.parse(sweepText(sweep.value))).toMatchObject(JSON.parse(read('sweep.json')));
  });

  it('of a schema to come, or a podtrack to come, name the version to use', () => {
    const raw: Record<string, unknown> = JSON.parse(read('meta.json'));
    const next = JSON.stringify({ ...raw, schemaVersion: 2, needs: '1.4.0' });
    expect(parseMeta(next)).toEqual({ kind: 'newer', version: 2, needs: '1.4.0' });
    expect(parseMeta(JSON.stringify({ ...raw, needs: '999.0.0' }))).toMatchObject({
      kind: 'newer',
      needs: '999.0.0',
    });
    expect(parseMeta(JSON.stringify({ ...raw, needs: '0.0.9' })).kind).toBe('whole');
    expect(newerSchema('here', 'meta.json', 2, '1.4.0').told.next).toBe('Use podtrack 1.4.0 or newer');
  });

  it('migrate step by step, each step once, and what no step knows stays as it is', () => {
    const steps: Migration[] = [
      { from: 1, up: ({ owner, ...rest }) => ({ ...rest, holder: owner }) },
      { from: 2, up: (file) => ({ ...file, added: true }) },
    ];
    expect(migrated({ schemaVersion: 1, owner: 'a' }, steps)).toEqual({
      schemaVersion: 3,
      holder: 'a',
      added: true,
    });
    expect(migrated({ schemaVersion: 3, owner: 'a' }, steps)).toEqual({ schemaVersion: 3, owner: 'a' });
    expect(migrated([1], steps)).toEqual([1]);
  });
});
