/** Records come in once, under one id, by their owner, and repair never moves a limit. */
import { describe, expect, it } from 'vitest';
import { apply, applyChecked } from '../../../src/domain/registry/apply.ts';
import {
  ALICE,
  actorOf,
  empty,
  endOf,
  HOUR,
  intent,
  NOW,
  op,
  ownerOf,
  PERSON,
  podIn,
  REAPER,
  recordOf,
  register,
  settle,
  stateAfter,
  withPod,
} from './record-maker.ts';

const BOB = ownerOf('bob');

describe('register', () => {
  it('starts an active record at rev 1, whatever status the op brought along', () => {
    const record = recordOf('abc', { status: 'terminated', rev: 9, end: endOf('lost'), keys: ['x'] });
    const made = register('abc', { record });
    expect(podIn(stateAfter(empty(), made))).toMatchObject({
      status: 'active',
      rev: 1,
      end: null,
      fence: null,
      keys: [made.key],
    });
  });

  it('is a duplicate under the same key and refused under another', () => {
    const first = register('abc');
    const state = stateAfter(empty(), first);
    expect(apply(state, first).kind).toBe('duplicate');
    expect(apply(state, register('abc'))).toMatchObject({ kind: 'refused', because: 'exists' });
  });

  it.each([
    ['another pod under the same id', NOW + HOUR, 'applied'],
    ['the same pod', NOW - 5 * 60_000, 'refused'],
    ['a pod whose creation time is unknown', null, 'refused'],
  ])('over an ended record: %s', (_name, createdAt, kind) => {
    const ended = stateAfter(withPod(), settle('abc', { end: endOf('terminated') }));
    expect(apply(ended, register('abc', { record: recordOf('abc', { createdAt }) })).kind).toBe(kind);
  });

  it('goes on counting revs where an ended record gives way', () => {
    const ended = stateAfter(withPod(), settle('abc', { end: endOf('terminated') }));
    const again = register('abc', { record: recordOf('abc', { createdAt: NOW + HOUR }) });
    expect(podIn(stateAfter(ended, again))).toMatchObject({ status: 'active', rev: 3, end: null });
  });

  it('refuses an id that looks like a recorded one', () => {
    const state = stateAfter(empty(), register('abc_1'));
    expect(apply(state, register('ABC-1'))).toMatchObject({ because: 'look-alike' });
  });

  it('refuses to write another owner into the record, but the reaper may record for him', () => {
    const record = recordOf('abc', { owner: BOB });
    expect(apply(empty(), register('abc', { record, actor: actorOf(ALICE) }))).toMatchObject({
      because: 'other-owner',
    });
    expect(apply(empty(), register('abc', { record, actor: REAPER })).kind).toBe('applied');
  });

  it('cannot write a record whose deadlines contradict each other or are missing', () => {
    const good = recordOf('abc');
    const backwards = { ...good.deadlines, absoluteDeadlineAt: good.deadlines.ownerSetAt - 1 };
    expect(
      applyChecked(empty(), register('abc', { record: { ...good, deadlines: backwards } })),
    ).toMatchObject({
      because: 'invalid',
    });
    const { deadlines: _dropped, ...rest } = good;
    const without = { ...register('abc'), record: rest } as ReturnType<typeof register>;
    expect(applyChecked(empty(), without)).toMatchObject({ because: 'invalid' });
  });

  it('cannot write an instant that no file could hold', () => {
    const good = recordOf('abc');
    const far = { ...good.deadlines, absoluteDeadlineAt: 300_000_000_000_000 };
    expect(applyChecked(empty(), register('abc', { record: { ...good, deadlines: far } }))).toMatchObject({
      because: 'invalid',
    });
  });
});

describe('intent and its fulfilment', () => {
  const promised = (): ReturnType<typeof intent> => intent('pt-12345678-f00dfeed');
  const real = (over = {}): ReturnType<typeof recordOf> =>
    recordOf('abc', { name: 'pt-12345678-f00dfeed', nonce: 'f00dfeedf00dfeed', ...over });

  it('gives way to the pod of exactly its name and nonce', () => {
    const first = promised();
    const made = register('abc', { record: real(), fulfils: 'pt-12345678-f00dfeed' });
    const state = stateAfter(empty(), first, made);
    expect(Object.keys(state.pods)).toEqual(['runpod.abc']);
    expect(podIn(state)).toMatchObject({ status: 'active', rev: 2, keys: [first.key, made.key] });
    expect(apply(state, first).kind).toBe('duplicate');
  });

  it.each([
    ['another name', { name: 'pt-12345678-f00dfeed2' }],
    ['another nonce', { nonce: '0000000000000000' }],
  ])('is not fulfilled by a pod of %s', (_name, over) => {
    const state = stateAfter(empty(), promised());
    const made = register('abc', { record: real(over), fulfils: 'pt-12345678-f00dfeed' });
    expect(apply(state, made)).toMatchObject({ because: 'not-fulfilled' });
  });

  it('is refused where the name is taken, and fulfils nothing that was never promised', () => {
    const state = stateAfter(empty(), promised());
    expect(apply(state, promised())).toMatchObject({ because: 'exists' });
    expect(apply(state, register('abc', { fulfils: 'pt-none' }))).toMatchObject({ because: 'not-fulfilled' });
  });

  it('that never became a pod can be closed as lost, never as terminated', () => {
    const state = stateAfter(empty(), promised());
    const close = (how: 'lost' | 'terminated') =>
      apply(state, settle('pt-12345678-f00dfeed', { end: endOf(how) }));
    expect(close('lost').kind).toBe('applied');
    expect(close('terminated')).toMatchObject({ because: 'not-active' });
  });
});

describe('a damaged file', () => {
  const path = 'pods/aa/runpod.abc.json';
  const damaged = (lastValid: ReturnType<typeof recordOf> | null) => ({
    ...empty(),
    quarantined: [{ path, problem: 'not JSON', lastValid }],
  });

  it('counts as its last valid version, and the next op on it heals it', () => {
    const state = stateAfter(damaged(recordOf('abc', { rev: 4 })), settle('abc', { note: 'seen' }));
    expect(podIn(state)).toMatchObject({ rev: 5, notes: ['seen'] });
    expect(state.quarantined).toEqual([]);
  });

  it('without a valid version is neither "not found" nor free for a new record', () => {
    expect(apply(damaged(null), settle('abc', { note: 'seen' }))).toMatchObject({ because: 'quarantined' });
    expect(apply(damaged(null), register('abc'))).toMatchObject({ because: 'quarantined' });
  });

  it('is repaired by a person with the limits that are still known', () => {
    const known = recordOf('abc', { rev: 4 });
    const later = { ...known.deadlines, absoluteDeadlineAt: known.deadlines.absoluteDeadlineAt + HOUR };
    const mend = op('repair', {
      pod: 'abc',
      record: { ...known, deadlines: later },
      reason: 'hand edit',
      actor: PERSON,
    });
    const state = stateAfter(damaged(known), mend);
    expect(podIn(state)).toMatchObject({ rev: 5, deadlines: known.deadlines });
    expect(apply(state, mend).kind).toBe('duplicate');
    expect(apply(withPod(), { ...mend, key: 'other' })).toMatchObject({ because: 'exists' });
  });
});
