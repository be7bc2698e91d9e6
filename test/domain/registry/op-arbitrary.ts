/** Arbitrary ops of every kind over a few pods and actors, so that they meet each other. */
import fc from 'fast-check';
import type { Choice } from '../../../src/domain/choice.ts';
import { setDeadlines } from '../../../src/domain/deadlines.ts';
import type { Owner } from '../../../src/domain/owner.ts';
import type { Fence, PodRecord } from '../../../src/domain/pod.ts';
import type { Actor, RegistryOp } from '../../../src/domain/registry/ops.ts';
import { ALICE, actorOf, HOUR, MINUTE, NOW, ownerOf, PERSON, REAPER, recordOf } from './record-maker.ts';

const OWNERS: readonly Owner[] = [
  ALICE,
  { ...ALICE, uuid: 'uuid-second', attempt: 2 },
  ownerOf('bob', { label: 'given', labelGiven: true }),
  { ...ownerOf('nobody'), label: null, key: null },
];
const ACTORS: readonly Actor[] = [REAPER, { ...REAPER, uuid: 'r2' }, PERSON, ...OWNERS.map(actorOf)];

const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });

const anOwner = fc.constantFrom(...OWNERS);
/** Half of all pods are `p1`, so that ops meet. */
const aPod = fc.constantFrom('p1', 'p1', 'p1', 'p2', 'P1', 'pt-promise');
const aKey = fc.oneof(
  { weight: 5, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.constantFrom('k1', 'k2') },
);
const aChoice: Choice = { include: ['a/**'], exclude: [] };
const aTime = fc.integer({ min: 0, max: 300 }).map((minutes) => NOW + minutes * MINUTE);
const aRev = fc.integer({ min: 1, max: 6 });
const aText = fc.string({ maxLength: 40, unit: 'binary' });

const aRecord = (id: string): fc.Arbitrary<PodRecord> =>
  fc
    .record({
      owner: anOwner,
      createdAt: optional(aTime),
      nonce: fc.constantFrom(null, 'n1'),
      killInMs: fc.integer({ min: 1, max: 120 }).map((minutes) => minutes * MINUTE),
      given: fc.boolean(),
      maxExtensions: fc.integer({ min: 0, max: 2 }),
      name: fc.constantFrom('pt-promise', id),
    })
    .map(({ killInMs, given, maxExtensions, ...rest }) =>
      recordOf(id, {
        ...rest,
        deadlines: setDeadlines({
          now: NOW,
          killInMs,
          killAbsoluteMs: given ? killInMs + HOUR : null,
          maxExtensions,
          petMinMs: 30 * MINUTE,
          pullMarginMs: 15 * MINUTE,
        }),
      }),
    );

const aFence: fc.Arbitrary<Fence> = fc.record({
  holder: fc.constantFrom('reaper', 'reaper:r1', ...OWNERS.map(({ uuid }) => uuid)),
  reason: fc.constantFrom('idle', 'absolute'),
  rev: aRev,
  at: aTime,
  until: aTime,
  inferred: fc.boolean(),
  step: fc.constantFrom('fenced', 'pulled', 'verified', 'deleted'),
});

const anEnd = fc.record({
  at: aTime,
  how: fc.constantFrom('terminated' as const, 'lost' as const),
  reason: fc.constantFrom('idle', 'gone'),
  verified: optional(fc.boolean()),
  costMicroUsd: optional(fc.nat()),
  inferred: fc.boolean(),
});

const aSettle = {
  verdict: optional(
    fc.record({
      at: aTime,
      kind: fc.constantFrom('keep' as const, 'end' as const),
      reason: fc.constantFrom('a', 'b'),
      evidence: fc.constant({ gpu: 3 }),
    }),
  ),
  mirror: optional(
    fc.record({
      files: fc.nat(9),
      bytes: fc.nat(),
      digest: fc.constantFrom('x', 'y'),
      verified: fc.boolean(),
      moving: fc.nat(2),
      leftOut: fc.nat(2),
      choice: fc.constantFrom(null, aChoice),
    }),
  ),
  reachedAt: optional(aTime),
  startedAt: optional(aTime),
  hostKey: fc.constant(null),
  note: optional(aText),
  end: optional(anEnd),
};

/** Fields of one kind beside `key`, `at` and `actor`. */
const kinds: readonly fc.Arbitrary<RegistryOp>[] = (() => {
  const base = { key: aKey, at: aTime, actor: fc.constantFrom(...ACTORS) };
  const pod = { ...base, pod: aPod };
  const withRecord = aPod.chain((id) => fc.record({ ...base, pod: fc.constant(id), record: aRecord(id) }));
  const facts = {
    armedAt: NOW,
    credential: 'injected' as const,
    mayRead: 'yes' as const,
    mayTerminate: 'yes' as const,
    petWindowMs: null,
    tool: null,
  };
  return [
    withRecord.map((op) => ({ ...op, op: 'intent' as const })),
    fc
      .tuple(withRecord, fc.constantFrom(null, null, 'pt-promise'))
      .map(([op, fulfils]) => ({ ...op, op: 'register' as const, fulfils })),
    fc.tuple(withRecord, aText).map(([op, reason]) => ({ ...op, op: 'repair' as const, reason })),
    fc.record({
      ...pod,
      op: fc.constant('reclaim' as const),
      rev: aRev,
      owner: anOwner,
      ownerDeadlineAt: optional(aTime),
    }),
    fc.record({
      ...pod,
      op: fc.constant('claim' as const),
      rev: aRev,
      owner: anOwner,
      ownerDeadlineAt: optional(aTime),
      forcedBecause: optional(aText),
    }),
    fc.record({
      ...pod,
      op: fc.constant('arm' as const),
      facts: fc.constant(facts),
      hostKey: fc.constant(null),
    }),
    fc.record({ ...pod, op: fc.constant('heartbeat' as const) }),
    fc.record({ ...pod, op: fc.constant('extend' as const), ownerDeadlineAt: optional(aTime) }),
    fc.record({ ...pod, op: fc.constant('keep' as const), untilAt: aTime, reason: aText }),
    fc.record({ ...pod, op: fc.constant('fence' as const), rev: aRev, fence: aFence }),
    fc.record({ ...pod, op: fc.constant('release' as const), fenceRev: aRev, reason: aText }),
    fc.record({ ...pod, op: fc.constant('confirm' as const), fenceRev: aRev, proof: aText }),
    fc.record({ ...pod, ...aSettle, op: fc.constant('settle' as const) }),
    fc.record({ ...pod, op: fc.constant('reopen' as const), reason: aText }),
    fc.record({
      ...base,
      op: fc.constant('acknowledge' as const),
      what: fc.constantFrom('breaker' as const, 'rewound' as const),
      tip: optional(fc.constant('t')),
      reason: aText,
    }),
    fc.record({ ...base, op: fc.constant('migrate' as const), toSchema: fc.constantFrom(1, 2) }),
  ];
})();

export const anOp: fc.Arbitrary<RegistryOp> = fc.oneof(...kinds);

/** A pod that is surely there, so that most ops have something to meet. */
export const aStart: fc.Arbitrary<PodRecord> = aRecord('p1');
