/** Arbitrary cycles: some records, what was seen of each, what was seen before, and the doubts around them. */
import fc from 'fast-check';
import type { Observation, VisitFailure } from '../../src/domain/observation.ts';
import { type Part, seen, unseen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import type { PlanInput } from '../../src/domain/policy/plan.ts';
import { reconcile } from '../../src/domain/policy/reconcile.ts';
import type { ProviderPod } from '../../src/domain/provider-pod.ts';
import { emptySweep, NO_SIGHTINGS, type Sightings } from '../../src/domain/registry/sweep.ts';
import { DEFAULT_RULES, freeze } from '../../src/domain/rules.ts';
import {
  anOwner,
  aPod,
  aRecord,
  armedSwitch,
  aState,
  minutes,
  NOW,
  REGISTRY,
  someDeadlines,
} from './build.ts';

const time = fc.integer({ min: -400, max: 400 }).map((min) => NOW + minutes(min));
const orNull = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });
const why = fc.constantFrom(
  'not asked',
  'connect to 203.0.113.9:22022 failed',
  'no answer from\npod.example.net:22 @all',
  'x'.repeat(500),
);
const part = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<Part<T>> =>
  fc.oneof(
    { weight: 4, arbitrary: of.map(seen) },
    { weight: 1, arbitrary: why.map((text) => unseen<T>(text)) },
  );
const percent = orNull(fc.constantFrom(0, 0, 0, 1, 3, 97, 100));

const telemetry: fc.Arbitrary<ProviderPod['telemetry']> = part(
  fc.record({
    uptimeMs: fc.constantFrom(0, minutes(5), minutes(59)),
    gpus: fc.array(fc.record({ util: percent, memoryUtil: percent }), { maxLength: 2 }),
    cpuUtil: percent,
  }),
);

const shownPod = fc
  .record({
    status: fc.constantFrom(
      'RUNNING',
      'RUNNING',
      'RUNNING',
      'EXITED',
      'ERROR',
      'OTHER',
      'TERMINATED',
      'STARTING',
    ),
    statusText: fc.constantFrom('', 'MIGRATING to 198.51.100.7'),
    startedAt: orNull(time),
    locked: fc.constantFrom(false, false, false, true),
    cpu: fc.constantFrom(false, false, true),
    gpu: orNull(fc.record({ type: fc.constant('NVIDIA H100'), count: fc.integer({ min: 0, max: 2 }) })),
    telemetry,
  })
  .map(({ statusText, ...of }) =>
    aPod({ ...of, statusText: statusText === '' ? of.status : statusText } as Partial<ProviderPod>),
  );

const provider: fc.Arbitrary<Observation['provider']> = fc.oneof(
  { weight: 6, arbitrary: shownPod.map((pod) => ({ kind: 'present' as const, pod })) },
  part(fc.constant(true as const)).map((listedAway) => ({ kind: 'absent' as const, listedAway })),
  why.map((reason) => ({ kind: 'unseen' as const, reason })),
);

/** A pod that nothing but the visit can say anything about. */
const calmPod = fc
  .record({
    gpus: fc.constantFrom([{ util: 0, memoryUtil: 0 }], [{ util: 50, memoryUtil: 9 }], []),
    cpu: fc.constantFrom(false, false, false, true),
    youngMin: fc.constantFrom(5, 118, 118, 118),
  })
  .map(({ gpus, cpu, youngMin }) =>
    aPod({
      startedAt: NOW - minutes(youngMin),
      cpu,
      telemetry: seen({ uptimeMs: minutes(youngMin), gpus, cpuUtil: 1 }),
    }),
  );

const gpuRow = fc
  .record({ util: percent, memoryUsedMib: orNull(fc.constantFrom(0, 61_440)) })
  .map((of) => ({ ...of, index: '0', memoryTotalMib: 81_559 }));
const FAILURES: readonly VisitFailure[] = [
  'no-route',
  'no-route',
  'refused-login',
  'wrong-host-key',
  'held-shut',
  'timed-out',
  'not-ready',
  'not-shown',
];
const visit: fc.Arbitrary<Observation['visit']> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        podNow: part(time),
        uptimeMs: part(fc.nat()),
        load1: part(fc.double({ min: 0, max: 9, noNaN: true })),
        heartbeat: part(
          fc.oneof(
            fc.constant({ state: 'absent' as const }),
            fc.record({
              state: fc.constant('beating' as const),
              ageMs: fc.constantFrom(0, minutes(19), minutes(21), minutes(500)),
              disagreement: fc.boolean(),
            }),
          ),
        ),
        gpu: part(
          fc.oneof(
            fc.constant({ state: 'no-gpu' as const }),
            fc
              .array(fc.array(gpuRow, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 6 })
              .map((samples) => ({ state: 'figures' as const, samples })),
          ),
        ),
        sshSessions: part(fc.nat(2)),
        switch: fc.oneof(
          fc.constant(armedSwitch),
          fc.constant({
            ...armedSwitch,
            value: { ...(armedSwitch as { value: object }).value, armed: false },
          } as typeof armedSwitch),
          why.map((text) => unseen<never>(text)),
        ),
      })
      .map((of) => ({
        kind: 'seen' as const,
        value: { ...of, hostKey: 'SHA256:abcdefghijklmnopqrstuvwxyz' },
      })),
  },
  fc.record({ kind: fc.constant('unseen' as const), failure: fc.constantFrom(...FAILURES), reason: why }),
);

const owner: fc.Arbitrary<Observation['owner']> = part(
  fc.oneof(
    fc.constant({ state: 'in-progress' as const }),
    fc.constant({ state: 'in-progress' as const }),
    fc.constant({ state: 'missing' as const }),
    fc.record({
      state: fc.constant('completed' as const),
      completedAt: time,
      conclusion: orNull(fc.constantFrom('success', 'failure')),
    }),
  ),
);

const run: fc.Arbitrary<Sightings | null> = orNull(
  fc
    .record({
      count: fc.integer({ min: 1, max: 7 }),
      overMin: fc.constantFrom(0, 12, 40, 200, 3000),
      agoMin: fc.nat(30),
    })
    .map((of) => ({
      count: of.count,
      firstAt: NOW - minutes(of.agoMin + of.overMin),
      lastAt: NOW - minutes(of.agoMin),
    })),
);
const someSightings = fc
  .record({ idle: run, unreachable: run, absent: run, ownerless: run, exited: run })
  .map((of) => ({ ...NO_SIGHTINGS, ...of }));

const fence: fc.Arbitrary<PodRecord['fence']> = orNull(
  fc.record({
    holder: fc.constantFrom('reaper:r1', 'uuid-1', 'somebody'),
    reason: fc.constantFrom('idle', 'requested', 'forced', 'owner-deadline'),
    rev: fc.constant(3),
    at: time,
    until: time,
    inferred: fc.boolean(),
    step: fc.constantFrom('fenced' as const, 'deleted' as const),
  }),
);

const deadlinesOf = fc
  .record({
    ownerInMin: fc.integer({ min: -200, max: 200 }),
    restMin: fc.nat(200),
    keep: fc.boolean(),
    extensions: fc.nat(1),
  })
  .map(({ ownerInMin, restMin, keep, extensions }) => {
    const absoluteDeadlineAt = NOW + minutes(ownerInMin + restMin);
    return someDeadlines({
      ownerSetAt: NOW + minutes(ownerInMin),
      absoluteDeadlineAt,
      keepUntilAt: keep ? absoluteDeadlineAt - minutes(1) : null,
      extensions,
    });
  });

const aRecordOf = (id: string): fc.Arbitrary<PodRecord> =>
  fc
    .record({
      fence,
      deadlines: deadlinesOf,
      account: fc.constantFrom('user_1', 'user_1', 'user_2', null),
      reachedAt: orNull(time),
      bootDeadlineAt: orNull(time),
      armed: fc.boolean(),
      rev: fc.integer({ min: 3, max: 40 }),
      confirmed: orNull(fc.record({ at: time, proof: fc.constant('404') })),
    })
    .map(({ fence: held, deadlines, bootDeadlineAt, armed, ...of }) =>
      aRecord({
        ...of,
        id,
        name: id,
        owner: anOwner({ uuid: 'uuid-1' }),
        fence: held,
        confirmed: held === null ? null : of.confirmed,
        status: held === null ? 'active' : 'terminating',
        deadlines: { ...deadlines, bootDeadlineAt },
        ...(armed ? {} : { switch: null }),
      }),
    );

const reaperRules = fc
  .record({
    maxKills: fc.constantFrom(0, 1, 10),
    orphanGraceMs: fc.constantFrom(60_000, minutes(5)),
    exitedGraceMs: fc.constantFrom(minutes(1), DEFAULT_RULES.exitedGraceMs),
    activity: fc.constantFrom('jobs' as const, 'jobs-and-ssh' as const),
  })
  .map((of) => ({ ...DEFAULT_RULES, ...of }));

const calmRecord = (id: string): fc.Arbitrary<PodRecord> =>
  fc
    .constantFrom<PodRecord['rules']['activity']>('jobs', 'jobs-and-ssh')
    .map((activity) => aRecord({ id, name: id, rules: { ...freeze(DEFAULT_RULES), activity } }));
const calmLook = fc.record({
  provider: calmPod.map((pod) => ({ kind: 'present' as const, pod })),
  visit,
  owner: fc.constantFrom(seen({ state: 'in-progress' as const }), unseen<never>('not asked')),
});
const onePod = (id: string) =>
  fc.oneof(
    fc.record({ record: aRecordOf(id), look: fc.record({ provider, visit, owner }), before: someSightings }),
    fc.record({ record: calmRecord(id), look: calmLook, before: someSightings }),
  );

/** One to four pods, each in a state of its own. */
export const aCycle: fc.Arbitrary<PlanInput> = fc
  .record({
    pods: fc
      .integer({ min: 1, max: 4 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => onePod(`pod${index}`)))),
    rules: reaperRules,
    cautions: fc.subarray(['rewound', 'damaged', 'sweep-missing', 'foreign-repository'] as const, {
      maxLength: 1,
    }),
    account: fc.constantFrom('user_1', 'user_1', 'user_1', null),
    ownNetworkWorks: fc.boolean(),
    quiet: fc.boolean(),
  })
  .map(({ pods, rules, cautions, account, ownNetworkWorks, quiet }) => {
    const state = aState(pods.map(({ record }) => record));
    return {
      state,
      reconciled: reconcile(state, []),
      looked: pods.map(({ record, look }) => ({ record, observation: { at: NOW - 500, ...look } })),
      strays: [],
      sweep: {
        ...emptySweep(REGISTRY),
        pods: Object.fromEntries(pods.map(({ record, before }) => [`runpod.${record.id}`, before])),
      },
      rules,
      now: NOW,
      cautions: quiet ? [] : cautions.map((code) => ({ code, detail: code })),
      ownNetworkWorks,
      account,
    };
  });
