/** When the registry may not be trusted with inferred kills, and why it says so. */
import { describe, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import { emptySweep } from '../../../src/domain/registry/sweep.ts';
import {
  cautionsOf,
  type Doubt,
  damagedPaths,
  stateOf,
  type TreeRead,
} from '../../../src/domain/registry/view.ts';
import { empty, REGISTRY_ID, recordOf } from './record-maker.ts';

const whole = { kind: 'whole' as const, value: emptySweep(REGISTRY_ID) };
const sound: Doubt = {
  state: empty(),
  sweep: whole,
  lostTips: [],
  tip: 'b'.repeat(40),
  repository: null,
  unreadable: [],
};
const LOST = 'a'.repeat(40);

const codes = (over: Partial<Doubt>) => cautionsOf({ ...sound, ...over }).map(({ code }) => code);
const named = (repository: { server: string; id: string } | null) => ({
  ...empty(),
  meta: { ...empty().meta, repository },
});

describe('cautionsOf', () => {
  it('is silent over a sound registry', () => {
    expect(codes({})).toEqual([]);
  });

  it.each([
    ['no state branch', null],
    ['a damaged state', { kind: 'damaged' as const, problem: 'not JSON' }],
    ['the state of another registry', { kind: 'whole' as const, value: emptySweep('f'.repeat(32)) }],
  ])('%s is sweep-missing', (_name, sweep) => {
    expect(codes({ sweep })).toEqual(['sweep-missing']);
  });

  it('a lost tip is told until exactly it is acknowledged; the next one rings again', () => {
    expect(codes({ lostTips: [LOST] })).toEqual(['rewound']);
    const state = {
      ...empty(),
      meta: { ...empty().meta, acknowledged: { breakerAt: null, accountAt: null, rewoundTip: LOST } },
    };
    expect(codes({ state, lostTips: [LOST] })).toEqual([]);
    expect(codes({ state, lostTips: [LOST, 'c'.repeat(40)] })).toEqual(['rewound']);
  });

  it('damaged files are told one by one', () => {
    const quarantined = ['x', 'y'].map((path) => ({ path, problem: 'not JSON', lastValid: null }));
    expect(codes({ state: { ...empty(), quarantined } })).toEqual(['damaged', 'damaged']);
  });

  it.each([
    [{ server: 'https://a', id: '1' }, { server: 'https://a', id: '2' }, ['foreign-repository']],
    [{ server: 'https://a', id: '1' }, { server: 'https://b', id: '1' }, ['foreign-repository']],
    [{ server: 'https://a', id: '1' }, { server: 'https://a', id: '1' }, []],
    [null, { server: 'https://a', id: '1' }, []],
    [{ server: 'https://a', id: '1' }, null, []],
  ])('a registry of %j read in %j gives %j', (its, repository, expected) => {
    expect(codes({ state: named(its), repository })).toEqual(expected);
  });
});

describe('stateOf', () => {
  const meta = { kind: 'whole' as const, value: empty().meta };
  const good = {
    path: 'pods/aa/runpod.abc.json',
    parsed: { kind: 'whole' as const, value: recordOf('abc') },
  };
  const bad = { path: 'pods/bb/runpod.bad.json', parsed: { kind: 'damaged' as const, problem: 'not JSON' } };
  const nothing = { meta: null, records: new Map() };
  const failure = (tree: TreeRead): string => {
    try {
      stateOf(tree, nothing, 'here');
      return 'none';
    } catch (error) {
      return error instanceof WorldError ? error.failure : String(error);
    }
  };

  it('keeps a damaged file apart from the others', () => {
    const state = stateOf(
      { meta, pods: [good, bad] },
      { meta: null, records: new Map([[bad.path, recordOf('bad')]]) },
      'here',
    );
    expect(Object.keys(state.pods)).toEqual(['runpod.abc']);
    expect(state.quarantined).toMatchObject([{ path: bad.path, lastValid: { id: 'bad' } }]);
  });

  it('goes on with the last valid meta and says that the file is damaged', () => {
    const tree = { meta: null, pods: [good] };
    expect(damagedPaths(tree)).toEqual(['meta.json']);
    expect(stateOf(tree, { meta: empty().meta, records: new Map() }, 'here').quarantined).toMatchObject([
      { path: 'meta.json', problem: 'missing' },
    ]);
  });

  it('refuses a branch that never was a registry, and any newer schema', () => {
    expect(failure({ meta: null, pods: [] })).toBe('registry-unreadable');
    expect(failure({ meta: { kind: 'newer', version: 2 }, pods: [] })).toBe('registry-newer-schema');
    expect(failure({ meta, pods: [{ path: 'p', parsed: { kind: 'newer', version: 7 } }] })).toBe(
      'registry-newer-schema',
    );
  });
});
