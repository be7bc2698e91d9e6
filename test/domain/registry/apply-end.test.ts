/** The fence: who holds it, who may take it over, and what it takes to close and to reopen a record. */
import { describe, expect, it } from 'vitest';
import { apply } from '../../../src/domain/registry/apply.ts';
import {
  ALICE,
  actorOf,
  endOf,
  fence,
  HOUR,
  MINUTE,
  NOW,
  op,
  podIn,
  REAPER,
  recordOf,
  settle,
  stateAfter,
  withPod,
} from './record-maker.ts';

const OTHER_REAPER = { ...REAPER, uuid: 'r2' };
const fenced = () => stateAfter(withPod(), fence({ pod: 'abc', rev: 1 }));

describe('fence', () => {
  it('moves active to terminating at the rev of the verdict', () => {
    expect(podIn(fenced())).toMatchObject({
      status: 'terminating',
      rev: 2,
      fence: { rev: 1, holder: 'reaper' },
    });
  });

  it('of two reapers at one rev only the first gets it', () => {
    expect(apply(fenced(), fence({ pod: 'abc', rev: 1 }, {}, { actor: OTHER_REAPER }))).toMatchObject({
      because: 'rev-moved',
    });
    expect(apply(fenced(), fence({ pod: 'abc', rev: 2 }, {}, { actor: OTHER_REAPER }))).toMatchObject({
      because: 'fence-held',
    });
  });

  it('is renewed by its holder and carries how far he is', () => {
    const renewal = fence({ pod: 'abc', rev: 2 }, { rev: 1, step: 'pulled' }, { at: NOW + 20 * MINUTE });
    expect(podIn(stateAfter(fenced(), renewal))).toMatchObject({
      rev: 3,
      fence: { rev: 1, step: 'pulled', until: NOW + 50 * MINUTE },
    });
  });

  it('falls to anybody with a verdict of his own once it has lapsed', () => {
    const mine = fence(
      { pod: 'abc', rev: 2 },
      { holder: ALICE.uuid },
      { actor: actorOf(ALICE), at: NOW + 32 * MINUTE },
    );
    expect(podIn(stateAfter(fenced(), mine))).toMatchObject({ fence: { holder: ALICE.uuid, rev: 2 } });
    const stale = fence(
      { pod: 'abc', rev: 2 },
      { holder: ALICE.uuid, rev: 1 },
      { actor: actorOf(ALICE), at: NOW + 32 * MINUTE },
    );
    expect(apply(fenced(), stale)).toMatchObject({ because: 'rev-moved' });
  });

  it('never runs longer than half an hour, whatever was asked for', () => {
    const state = stateAfter(withPod(), fence({ pod: 'abc', rev: 1 }, { until: NOW + 9 * HOUR }));
    expect(podIn(state).fence?.until).toBe(NOW + 31 * MINUTE);
  });

  it('is not taken in another name', () => {
    expect(apply(withPod(), fence({ pod: 'abc', rev: 1 }, { holder: ALICE.uuid }))).toMatchObject({
      because: 'not-my-fence',
    });
    const posing = { ...ALICE, uuid: 'reaper' };
    const asReaper = fence({ pod: 'abc', rev: 1 }, { holder: 'reaper' }, { actor: actorOf(posing) });
    expect(apply(withPod({ owner: posing }), asReaper)).toMatchObject({ because: 'not-my-fence' });
  });

  it('does not bar the owner: his extend moves the rev, and the holder has to look again', () => {
    const state = stateAfter(fenced(), op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 2.5 * HOUR }));
    expect(podIn(state)).toMatchObject({ status: 'terminating', rev: 3 });
  });
});

describe('release and confirm', () => {
  it('belong to the holder at his rev', () => {
    const release = (over = {}) =>
      op('release', { pod: 'abc', fenceRev: 1, reason: 'heartbeat is back', actor: REAPER, ...over });
    expect(apply(fenced(), release({ fenceRev: 2 }))).toMatchObject({ because: 'not-my-fence' });
    expect(apply(fenced(), release({ actor: actorOf(ALICE) }))).toMatchObject({ because: 'not-my-fence' });
    expect(apply(withPod(), release())).toMatchObject({ because: 'not-terminating' });
    const confirm = op('confirm', { pod: 'abc', fenceRev: 1, proof: 'GET 404', actor: actorOf(ALICE) });
    expect(apply(fenced(), confirm)).toMatchObject({ because: 'not-my-fence' });
  });

  it('a fence that has lapsed is given back by whoever may judge the pod, and by nobody else', () => {
    const release = (over: object) =>
      op('release', { pod: 'abc', fenceRev: 1, reason: 'busy', actor: OTHER_REAPER, ...over });
    const late = { at: NOW + 32 * MINUTE };
    const held = stateAfter(withPod(), fence({ pod: 'abc', rev: 1 }, { holder: 'reaper:r1' }));
    expect(apply(held, release({}))).toMatchObject({ because: 'not-my-fence' });
    expect(podIn(stateAfter(held, release(late)))).toMatchObject({ status: 'active', fence: null });
    expect(podIn(stateAfter(held, release({ ...late, actor: actorOf(ALICE) }))).status).toBe('active');
    const stranger = { ...actorOf(ALICE), uuid: 'uuid-x' };
    expect(apply(held, release({ ...late, actor: stranger }))).toMatchObject({ because: 'not-my-fence' });
  });

  it('a released pod is active again, with the reason', () => {
    const state = stateAfter(
      fenced(),
      op('release', { pod: 'abc', fenceRev: 1, reason: 'pull failed', actor: REAPER }),
    );
    expect(podIn(state)).toMatchObject({ status: 'active', fence: null, notes: ['released: pull failed'] });
  });

  it('a confirmed end is kept with its proof, once', () => {
    const confirm = () => op('confirm', { pod: 'abc', fenceRev: 1, proof: 'GET 404', actor: REAPER });
    const state = stateAfter(fenced(), confirm());
    expect(podIn(state).confirmed).toMatchObject({ proof: 'GET 404' });
    expect(apply(state, confirm()).kind).toBe('duplicate');
  });
});

describe('settle', () => {
  it.each([
    ['active', () => withPod(), 'lost'],
    ['active', () => withPod(), 'terminated'],
    ['terminating', fenced, 'terminated'],
    ['terminating', fenced, 'lost'],
    ['lost', () => stateAfter(withPod(), settle('abc', { end: endOf('lost') })), 'terminated'],
  ] as const)('closes an %s record as %3$s', (_from, make, how) => {
    expect(podIn(stateAfter(make(), settle('abc', { end: endOf(how) })))).toMatchObject({
      status: how,
      fence: null,
      end: { how },
    });
  });

  it('closes nothing twice, and no fence of another as terminated', () => {
    const ended = stateAfter(withPod(), settle('abc', { end: endOf('terminated') }));
    expect(apply(ended, settle('abc', { end: endOf('lost') }))).toMatchObject({ because: 'already-ended' });
    const byOwner = settle('abc', { end: endOf('terminated'), actor: actorOf(ALICE) });
    expect(apply(fenced(), byOwner)).toMatchObject({ because: 'not-my-fence' });
  });

  it('says only what is new: the same verdict, key, mirror or note makes no commit', () => {
    const verdict = { at: NOW, kind: 'keep' as const, reason: 'busy', evidence: { gpu: 90 } };
    const mirror = { files: 3, bytes: 10, digest: 'd', verified: true, moving: 0, leftOut: 0, choice: null };
    const look = { verdict, mirror, note: 'seen', startedAt: NOW, reachedAt: NOW };
    const state = stateAfter(withPod(), settle('abc', look));
    expect(
      apply(state, settle('abc', { ...look, verdict: { ...verdict, at: NOW + HOUR, evidence: { gpu: 80 } } }))
        .kind,
    ).toBe('duplicate');
    expect(apply(state, settle('abc', { verdict: { ...verdict, reason: 'idle' } })).kind).toBe('applied');
  });

  it('does not let an unverified smaller pull replace the good one', () => {
    const good = { files: 3, bytes: 10, digest: 'good', verified: true, moving: 0, leftOut: 0, choice: null };
    const state = stateAfter(withPod(), settle('abc', { mirror: good }));
    expect(
      apply(state, settle('abc', { mirror: { ...good, files: 1, digest: 'bad', verified: false } })).kind,
    ).toBe('duplicate');
    const grown = stateAfter(
      state,
      settle('abc', { mirror: { ...good, files: 5, digest: 'new', verified: false } }),
    );
    expect(podIn(grown).lastMirror?.files).toBe(5);
  });

  it('a strange state of the provider changes no limit, however often it is seen', () => {
    const before = recordOf('abc').deadlines;
    const seen = ['PROVISIONING', 'RESETTING', 'RUNNING', 'ERROR', 'RUNNING again'];
    const state = stateAfter(
      withPod(),
      ...seen.map((note, index) => settle('abc', { note, startedAt: NOW + index * MINUTE })),
    );
    expect(podIn(state).deadlines).toEqual(before);
  });
});

describe('reopen', () => {
  it.each(['terminated', 'lost'] as const)(
    'brings a %s record back with its old deadlines and a note',
    (how) => {
      const state = stateAfter(
        withPod(),
        settle('abc', { end: endOf(how) }),
        op('reopen', { pod: 'abc', reason: 'listed again', actor: REAPER }),
      );
      expect(podIn(state)).toMatchObject({
        status: 'active',
        end: null,
        deadlines: recordOf('abc').deadlines,
      });
      expect(podIn(state).notes).toEqual([`reopened after ${how}: listed again`]);
    },
  );

  it('has nothing to do for a record that is open', () => {
    expect(apply(withPod(), op('reopen', { pod: 'abc', reason: 'x', actor: REAPER })).kind).toBe('duplicate');
  });
});

describe('the registry as a whole', () => {
  const acknowledge = (over = {}) =>
    op('acknowledge', {
      what: 'rewound' as const,
      tip: 'f'.repeat(40),
      reason: 'restored from a clone',
      ...over,
    });

  it('remembers the lost tip that was accepted, once per key', () => {
    const state = stateAfter(withPod(), acknowledge({ key: 'k' }));
    expect(state.meta.acknowledged.rewoundTip).toBe('f'.repeat(40));
    expect(apply(state, acknowledge({ key: 'k' })).kind).toBe('duplicate');
    expect(apply(state, acknowledge({ tip: null }))).toMatchObject({ because: 'invalid' });
  });

  it('knows one schema', () => {
    expect(apply(withPod(), op('migrate', { toSchema: 1 })).kind).toBe('duplicate');
    expect(apply(withPod(), op('migrate', { toSchema: 2 }))).toMatchObject({ because: 'newer-schema' });
  });
});
