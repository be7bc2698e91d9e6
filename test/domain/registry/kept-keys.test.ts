/** How long a record knows an op again: 16 ops on the same pod, and what becomes of one that comes later than that. */
import { expect, it } from 'vitest';
import { apply } from '../../../src/domain/registry/apply.ts';
import { KEPT_KEYS } from '../../../src/domain/registry/change.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import type { RegistryState } from '../../../src/domain/registry/state.ts';
import {
  ALICE,
  actorOf,
  empty,
  fence,
  HOUR,
  MINUTE,
  NOW,
  op,
  ownerOf,
  REAPER,
  register,
  settle,
  stateAfter,
  withPod,
} from './record-maker.ts';

const BOB = ownerOf('bob');
const since = (first: RegistryOp, count: number): RegistryState =>
  stateAfter(
    first.op === 'register' ? empty() : withPod(),
    first,
    ...Array.from({ length: count }, (_, index) => settle('abc', { note: `${index}` })),
  );

it('an op that comes again is a duplicate as long as its key is among the last 16 of its pod', () => {
  const first = settle('abc', { note: 'mine' });
  expect(apply(since(first, KEPT_KEYS - 1), first).kind).toBe('duplicate');
  expect(apply(since(first, KEPT_KEYS), first).kind).toBe('applied');
});

it.each<[string, RegistryOp]>([
  ['register', register('abc')],
  [
    'extend',
    op('extend', { pod: 'abc', actor: actorOf(ALICE), ownerDeadlineAt: NOW + 2 * HOUR + 10 * MINUTE }),
  ],
  [
    'automatic extend',
    op('extend', { pod: 'abc', actor: REAPER, at: NOW + 2 * HOUR, ownerDeadlineAt: null }),
  ],
  ['fence', fence({ pod: 'abc', rev: 1 })],
  [
    'claim',
    op('claim', {
      ...{ pod: 'abc', rev: 1, actor: actorOf(BOB), owner: BOB, ownerDeadlineAt: null },
      forcedBecause: 'moved',
    }),
  ],
])(
  'later than that, %s, which moves a limit, a fence or an owner, is refused and not done twice',
  (_name, first) => {
    expect(apply(since(first, KEPT_KEYS), first).kind).toBe('refused');
  },
);
