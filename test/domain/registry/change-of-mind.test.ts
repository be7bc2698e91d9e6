/** What an owner's later word does to an earlier one: a claim ends a keep, an extension takes back a wish to end. */
import { describe, expect, it } from 'vitest';
import type { Fence } from '../../../src/domain/pod.ts';
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
  recordOf,
  stateAfter,
  withPod,
} from './record-maker.ts';

const BOB = ownerOf('bob');
const owned = recordOf('abc').deadlines;
const handedOver = { ...owned, keepUntilAt: NOW + HOUR };

const claim = (over: object = {}) =>
  op('claim', {
    pod: 'abc',
    rev: 1,
    owner: BOB,
    ownerDeadlineAt: null,
    forcedBecause: null,
    actor: actorOf(BOB),
    ...over,
  });

describe('a hand-over', () => {
  it('ends with the claim: from then on the deadline of the pod counts again', () => {
    const state = stateAfter(withPod({ deadlines: handedOver }), claim());
    expect(podIn(state)).toMatchObject({ owner: BOB, deadlines: { ...owned, keepUntilAt: null } });
  });

  it('ends with a reclaim of a later attempt as well', () => {
    const second = { ...ALICE, uuid: 'uuid-second', attempt: 2 };
    const reclaim = op('reclaim', {
      pod: 'abc',
      rev: 1,
      owner: second,
      ownerDeadlineAt: null,
      actor: actorOf(second),
    });
    expect(podIn(stateAfter(withPod({ deadlines: handedOver }), reclaim)).deadlines.keepUntilAt).toBeNull();
  });

  it('whose owner deadline has passed still lasts to its end, and not a minute longer', () => {
    const past = { ...owned, ownerSetAt: NOW - MINUTE, keepUntilAt: NOW + HOUR };
    expect(podIn(stateAfter(withPod({ deadlines: past }), claim())).deadlines).toEqual(past);
    const given = stateAfter(withPod({ deadlines: past }), claim({ ownerDeadlineAt: NOW + 2 * HOUR }));
    expect(podIn(given).deadlines).toMatchObject({ ownerSetAt: NOW + 2 * HOUR, keepUntilAt: null });
  });

  it('is not ended by the owner who sets new limits on what is his already', () => {
    const own = claim({ owner: ALICE, actor: actorOf(ALICE), ownerDeadlineAt: NOW + 2.5 * HOUR });
    expect(podIn(stateAfter(withPod({ deadlines: handedOver }), own)).deadlines.keepUntilAt).toBe(NOW + HOUR);
  });
});

describe('a wish to end that nobody carries out any more', () => {
  const wished = (of: Partial<Fence>) => {
    const by = { holder: ALICE.uuid, reason: 'requested', inferred: false };
    const asked = fence({ pod: 'abc', rev: 1 }, { ...by, ...of }, { actor: actorOf(ALICE) });
    return stateAfter(withPod(), asked);
  };
  const lapsed = { until: NOW };
  const extend = op('extend', { pod: 'abc', ownerDeadlineAt: NOW + 2.5 * HOUR });
  const keep = op('keep', { pod: 'abc', untilAt: NOW + HOUR, reason: 'debug' });

  it.each([
    ['an extension', extend],
    ['a keep', keep],
  ])('is taken back by %s', (_what, change) => {
    expect(podIn(stateAfter(wished(lapsed), change))).toMatchObject({ status: 'active', fence: null });
  });

  it.each([
    ['while its holder is at work: he finds the moved limit himself', { until: NOW + 2 * MINUTE }],
    ['after the DELETE was accepted', { ...lapsed, step: 'deleted' as const }],
  ])('stands %s', (_when, of) => {
    expect(podIn(stateAfter(wished(of), extend)).status).toBe('terminating');
  });
});
