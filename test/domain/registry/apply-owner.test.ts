/** Only named acts of the owner move limits, and only the owner's own. */
import { describe, expect, it } from 'vitest';
import { ownerDeadlineAt } from '../../../src/domain/deadlines.ts';
import { apply } from '../../../src/domain/registry/apply.ts';
import {
  ALICE,
  actorOf,
  fence,
  HOUR,
  MINUTE,
  NOW,
  op,
  ownerOf,
  podIn,
  REAPER,
  recordOf,
  settle,
  stateAfter,
  withPod,
} from './record-maker.ts';

const BOB = ownerOf('bob', {
  label: 'acme/bob#8',
  key: { server: 'https://forge.example', repositoryId: '42', runId: '8' },
});
const SECOND_ATTEMPT = { ...ALICE, uuid: 'uuid-second', attempt: 2 };
const owned = recordOf('abc').deadlines;

describe('extend', () => {
  it('moves the owner deadline to what its owner says', () => {
    const state = stateAfter(withPod(), op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 2.5 * HOUR }));
    expect(podIn(state).deadlines).toEqual({ ...owned, ownerSetAt: NOW + 2.5 * HOUR });
  });

  it.each([
    ['past a given absolute deadline', NOW + 4 * HOUR, 'beyond-absolute'],
    ['nearer than it is', NOW + HOUR, 'not-later'],
  ])('is refused %s', (_name, ownerDeadlineAt, because) => {
    expect(apply(withPod(), op('extend', { pod: 'abc', ownerDeadlineAt }))).toMatchObject({ because });
  });

  it('moves a defaulted absolute deadline along', () => {
    const free = { ...owned, absoluteGiven: false };
    const state = stateAfter(
      withPod({ deadlines: free }),
      op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 9 * HOUR }),
    );
    expect(podIn(state).deadlines.absoluteDeadlineAt).toBe(NOW + 9 * HOUR + 30 * MINUTE);
  });

  it('happens by itself once, whoever grants it, and never moves the absolute deadline', () => {
    const granted = stateAfter(withPod(), op('extend', { pod: 'abc', ownerDeadlineAt: null, actor: REAPER }));
    expect(ownerDeadlineAt(podIn(granted).deadlines)).toBe(NOW + 2.5 * HOUR);
    expect(podIn(granted).deadlines.absoluteDeadlineAt).toBe(owned.absoluteDeadlineAt);
    expect(apply(granted, op('extend', { pod: 'abc', ownerDeadlineAt: null }))).toMatchObject({
      because: 'no-extension-left',
    });
  });
});

describe('keep', () => {
  const long = () => op('keep', { pod: 'abc', untilAt: NOW + 9 * HOUR, reason: 'debug' });

  it('is cut to the absolute deadline', () => {
    expect(podIn(stateAfter(withPod(), long())).deadlines.keepUntilAt).toBe(owned.absoluteDeadlineAt);
  });

  it('says so when it was cut', () => {
    expect(apply(withPod(), long())).toMatchObject({ event: { detail: { cut: true } } });
  });
});

describe('whose record it is', () => {
  const others = [
    op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 2.5 * HOUR, actor: actorOf(BOB) }),
    op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 2.5 * HOUR, actor: REAPER }),
    op('keep', { pod: 'abc', untilAt: NOW + HOUR, reason: 'x', actor: actorOf(BOB) }),
    op('heartbeat', { pod: 'abc', actor: actorOf(BOB) }),
    fence({ pod: 'abc', rev: 1 }, { holder: BOB.uuid }, { actor: actorOf(BOB) }),
    settle('abc', { note: 'x', actor: actorOf(BOB) }),
    op('reopen', { pod: 'abc', reason: 'x', actor: actorOf(BOB) }),
  ];
  it.each(others.map((each) => [each.op, each.actor.kind, each] as const))(
    '%s by another %s is refused',
    (_op, _kind, each) => {
      expect(apply(withPod(), each)).toMatchObject({ because: 'other-owner' });
    },
  );

  it('an abandoned runner can do nothing to what a later attempt has reclaimed', () => {
    const state = stateAfter(
      withPod(),
      op('reclaim', {
        pod: 'abc',
        rev: 1,
        owner: SECOND_ATTEMPT,
        ownerDeadlineAt: null,
        actor: actorOf(SECOND_ATTEMPT),
      }),
    );
    expect(podIn(state).owner.uuid).toBe('uuid-second');
    const late = fence({ pod: 'abc', rev: 2 }, { holder: ALICE.uuid }, { actor: actorOf(ALICE) });
    expect(apply(state, late)).toMatchObject({ because: 'other-owner' });
  });
});

describe('reclaim and claim', () => {
  const reclaim = (over = {}) =>
    op('reclaim', {
      pod: 'abc',
      rev: 1,
      owner: SECOND_ATTEMPT,
      ownerDeadlineAt: null,
      actor: actorOf(SECOND_ATTEMPT),
      ...over,
    });
  const claim = (over = {}) =>
    op('claim', {
      pod: 'abc',
      rev: 1,
      owner: BOB,
      ownerDeadlineAt: null,
      forcedBecause: null,
      actor: actorOf(BOB),
      ...over,
    });

  it('keep all limits unless a new owner deadline is given', () => {
    expect(podIn(stateAfter(withPod(), reclaim())).deadlines).toEqual(owned);
    expect(podIn(stateAfter(withPod(), claim({ ownerDeadlineAt: NOW + HOUR }))).deadlines.ownerSetAt).toBe(
      NOW + HOUR,
    );
    expect(apply(withPod(), claim({ ownerDeadlineAt: NOW + 5 * HOUR }))).toMatchObject({
      because: 'beyond-absolute',
    });
  });

  it('a reclaim is only for the same owner; a claim is for any, and force leaves its reason', () => {
    expect(apply(withPod(), reclaim({ owner: BOB, actor: actorOf(BOB) }))).toMatchObject({
      because: 'other-owner',
    });
    expect(podIn(stateAfter(withPod(), claim({ forcedBecause: 'run hangs' }))).notes).toEqual([
      'claimed by force: run hangs',
    ]);
  });

  it('nobody is made owner by somebody else, and a moved record is decided anew', () => {
    expect(apply(withPod(), claim({ actor: actorOf(ALICE) }))).toMatchObject({ because: 'other-owner' });
    expect(apply(withPod(), claim({ rev: 3 }))).toMatchObject({ because: 'rev-moved' });
  });

  it('do not break a fence that runs; a lapsed one falls', () => {
    const fenced = stateAfter(withPod(), fence({ pod: 'abc', rev: 1 }));
    expect(apply(fenced, claim({ rev: 2 }))).toMatchObject({ because: 'fence-held' });
    const later = stateAfter(fenced, claim({ rev: 2, at: NOW + 2 * HOUR }));
    expect(podIn(later)).toMatchObject({ status: 'active', fence: null, owner: { uuid: BOB.uuid } });
  });
});

describe('arm and heartbeat', () => {
  const facts = {
    armedAt: NOW,
    credential: 'injected' as const,
    mayRead: 'yes' as const,
    mayTerminate: 'yes' as const,
    petWindowMs: null,
    tool: 'curl',
  };

  it('arming says when the pod was first reached, once for ever', () => {
    const first = stateAfter(withPod(), op('arm', { pod: 'abc', facts, hostKey: null, at: NOW + MINUTE }));
    const again = stateAfter(
      first,
      op('arm', { pod: 'abc', facts, hostKey: null, at: NOW + HOUR, actor: REAPER }),
    );
    expect(podIn(again)).toMatchObject({ reachedAt: NOW + MINUTE, rev: 3 });
    expect(podIn(again).deadlines).toEqual(owned);
  });

  it.each([
    [4, 'duplicate'],
    [5, 'applied'],
  ])('a heartbeat %d minutes after the last one is %s', (minutes, kind) => {
    const state = stateAfter(withPod(), op('heartbeat', { pod: 'abc', at: NOW }));
    expect(apply(state, op('heartbeat', { pod: 'abc', at: NOW + minutes * MINUTE })).kind).toBe(kind);
  });
});
