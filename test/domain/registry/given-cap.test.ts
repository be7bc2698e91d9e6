/** A claim may carry an absolute cap: the first given one replaces the default, and nothing moves it afterwards. */
import { expect, it } from 'vitest';
import { apply } from '../../../src/domain/registry/apply.ts';
import { ALICE, actorOf, NOW, op, podIn, stateAfter, withPod } from './record-maker.ts';

const HOUR = 3_600_000;
const claim = (over = {}) =>
  op('claim', {
    pod: 'abc',
    rev: 1,
    owner: ALICE,
    ownerDeadlineAt: NOW + HOUR,
    forcedBecause: null,
    actor: actorOf(ALICE),
    ...over,
  });

const defaulted = () => {
  const state = withPod();
  const pod = podIn(state);
  const deadlines = { ...pod.deadlines, absoluteGiven: false };
  return { ...state, pods: { [`runpod.${pod.id}`]: { ...pod, deadlines } } };
};

it('replaces a default cap, and is a given one from then on', () => {
  const after = stateAfter(defaulted(), claim({ absoluteDeadlineAt: NOW + 2 * HOUR }));
  expect(podIn(after).deadlines).toMatchObject({
    ownerSetAt: NOW + HOUR,
    absoluteDeadlineAt: NOW + 2 * HOUR,
    absoluteGiven: true,
  });
  expect(apply(after, claim({ rev: 2, absoluteDeadlineAt: NOW + 3 * HOUR }))).toMatchObject({
    because: 'beyond-absolute',
  });
  expect(apply(after, claim({ rev: 2, absoluteDeadlineAt: NOW + 2 * HOUR }))).toMatchObject({
    kind: 'applied',
  });
});

it('is refused before the owner deadline', () => {
  expect(apply(defaulted(), claim({ absoluteDeadlineAt: NOW + HOUR / 2 }))).toMatchObject({
    because: 'beyond-absolute',
  });
});

it('leaves the cap as it was when none is given', () => {
  expect(podIn(stateAfter(withPod(), claim())).deadlines.absoluteDeadlineAt).toBe(
    podIn(withPod()).deadlines.absoluteDeadlineAt,
  );
});
