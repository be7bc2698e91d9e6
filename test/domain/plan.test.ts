/** The plan of a cycle: breaker, cautions, accounts, and the orders that follow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import { type Looked, type PlanInput, plan } from '../../src/domain/policy/plan.ts';
import { REASONS } from '../../src/domain/policy/reasons.ts';
import { reconcile } from '../../src/domain/policy/reconcile.ts';
import { emptySweep, NO_SIGHTINGS } from '../../src/domain/registry/sweep.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import {
  anObservation,
  aPod,
  aRecord,
  armedSwitch,
  aState,
  aVisit,
  beat,
  gpuAt,
  minutes,
  NOW,
  noVisit,
  REGISTRY,
  sighted,
  someDeadlines,
} from './build.ts';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `pod${index}`);
const record = (id: string, of: Partial<PodRecord> = {}) => aRecord({ id, ...of });
const looked = (one: PodRecord, of: Parameters<typeof anObservation>[0] = {}): Looked => ({
  record: one,
  observation: anObservation({ provider: { kind: 'present', pod: aPod({ id: one.id }) }, ...of }),
});

function planned(pods: readonly Looked[], of: Partial<PlanInput> = {}) {
  const state = of.state ?? aState(pods.map((pod) => pod.record));
  return plan({
    state,
    reconciled: reconcile(state, []),
    looked: pods,
    strays: [],
    sweep: emptySweep(REGISTRY),
    rules: DEFAULT_RULES,
    now: NOW,
    cautions: [],
    ownNetworkWorks: true,
    account: 'user_1',
    ...of,
  });
}

const idleSweep = (names: readonly string[]) => ({
  ...emptySweep(REGISTRY),
  pods: Object.fromEntries(
    names.map((id) => [
      `runpod.${id}`,
      { ...NO_SIGHTINGS, idle: { count: 3, firstAt: NOW - minutes(20), lastAt: NOW - minutes(5) } },
    ]),
  ),
});
const reasons = (of: ReturnType<typeof planned>) => of.pods.map((pod) => pod.verdict.reason);

describe('the breaker', () => {
  it('makes ten inferred kills and none of eleven', () => {
    const ten = ids(10);
    expect(
      new Set(
        reasons(
          planned(
            ten.map((id) => looked(record(id))),
            { sweep: idleSweep(ten) },
          ),
        ),
      ),
    ).toEqual(new Set(['idle']));
    const eleven = ids(11);
    const tripped = planned(
      eleven.map((id) => looked(record(id))),
      { sweep: idleSweep(eleven) },
    );
    expect(new Set(reasons(tripped))).toEqual(new Set(['held-by-breaker']));
    expect(tripped.sweep.breakerTrippedAt).toBe(NOW);
    expect(tripped.pods[0]?.rested?.reason).toBe('idle');
  });

  it('never holds back a deadline, an orphan by id or a gone pod', () => {
    const eleven = ids(11);
    const completed = seen({ state: 'completed' as const, completedAt: NOW - minutes(5), conclusion: null });
    const others = [
      looked(
        record('late', { deadlines: someDeadlines({ ownerSetAt: NOW - 1, absoluteDeadlineAt: NOW - 1 }) }),
      ),
      looked(record('orphan'), { owner: completed }),
    ];
    const all = planned([...eleven.map((id) => looked(record(id))), ...others], { sweep: idleSweep(eleven) });
    expect(reasons(all).slice(-2)).toEqual(['absolute-deadline', 'orphan']);
  });

  it('counts the inferred fences of the last hour in git', () => {
    const ended = ids(10).map((id) =>
      record(`old${id}`, {
        status: 'terminated',
        end: {
          at: NOW - minutes(59),
          how: 'terminated',
          reason: 'idle',
          verified: true,
          costMicroUsd: 1,
          inferred: true,
        },
      }),
    );
    const one = looked(record('pod1'));
    const state = aState([...ended, one.record]);
    expect(reasons(planned([one], { state, sweep: idleSweep(['pod1']) }))).toEqual(['held-by-breaker']);
  });

  it('does not count a pod twice whose end is tried again', () => {
    const six = ids(6);
    const lapsed = {
      holder: 'reaper:x',
      reason: 'idle',
      rev: 1,
      at: NOW - minutes(5),
      until: NOW - minutes(4),
      inferred: true,
      step: 'fenced' as const,
    };
    const again = six.map((id) => looked(record(id, { status: 'terminating', fence: lapsed })));
    const all = planned(again, { sweep: idleSweep(six) });
    expect(new Set(reasons(all))).toEqual(new Set(['idle']));
    expect(all.breaker).toMatchObject({ wanted: 6, recent: 0, tripped: false });
  });

  it('stands until it is acknowledged, then lets them pass for an hour', () => {
    const sweep = { ...idleSweep(['pod1']), breakerTrippedAt: NOW - minutes(500) };
    const one = looked(record('pod1'));
    expect(reasons(planned([one], { sweep }))).toEqual(['held-by-breaker']);
    const state = aState([one.record]);
    const meta = { ...state.meta, acknowledged: { ...state.meta.acknowledged, breakerAt: NOW - minutes(1) } };
    expect(reasons(planned([one], { sweep, state: { ...state, meta } }))).toEqual(['idle']);
  });
});

describe('doubt', () => {
  it.each(['rewound', 'damaged', 'sweep-missing'] as const)(
    '%s: inferred kills rest, deadlines do not',
    (code) => {
      const late = record('late', {
        deadlines: someDeadlines({ ownerSetAt: NOW - 1, absoluteDeadlineAt: NOW - 1 }),
      });
      const all = planned([looked(record('pod1')), looked(late)], {
        sweep: idleSweep(['pod1']),
        cautions: [{ code, detail: 'd' }],
      });
      expect(reasons(all)).toEqual(['held-by-caution', 'absolute-deadline']);
    },
  );

  it('the registry of another repository ends nothing at all', () => {
    const late = record('late', {
      deadlines: someDeadlines({ ownerSetAt: NOW - 1, absoluteDeadlineAt: NOW - 1 }),
    });
    expect(
      reasons(planned([looked(late)], { cautions: [{ code: 'foreign-repository', detail: 'd' }] })),
    ).toEqual(['held-by-caution']);
  });

  it('another account concludes nothing', () => {
    const late = record('late', {
      deadlines: someDeadlines({ ownerSetAt: NOW - 1, absoluteDeadlineAt: NOW - 1 }),
    });
    const other = planned([looked(late)], { account: 'user_2' });
    expect(reasons(other)).toEqual(['other-account']);
    expect(other.pods[0]?.orders).toEqual([]);
  });

  it('all live pods absent at once is its own verdict', () => {
    const away = {
      provider: { kind: 'absent' as const, listedAway: seen(true as const) },
      visit: noVisit('not-shown'),
    };
    const sweep = {
      ...emptySweep(REGISTRY),
      pods: Object.fromEntries(
        ['a', 'b'].map((id) => [`runpod.${id}`, { ...NO_SIGHTINGS, absent: sighted(3, minutes(60)) }]),
      ),
    };
    expect(reasons(planned([looked(record('a'), away), looked(record('b'), away)], { sweep }))).toEqual([
      'all-absent',
      'all-absent',
    ]);
    expect(reasons(planned([looked(record('a'), away), looked(record('c'))], { sweep }))).toEqual([
      'lost-absent',
      'idle-counting',
    ]);
    expect(reasons(planned([looked(record('a'), away)], { sweep }))).toEqual(['lost-absent']);
  });

  it('one of two records away and the other unseen proves no account either', () => {
    const away = {
      provider: { kind: 'absent' as const, listedAway: seen(true as const) },
      visit: noVisit('not-shown'),
    };
    const blind = { provider: { kind: 'unseen' as const, reason: 'HTML' }, visit: noVisit('not-shown') };
    const sweep = {
      ...emptySweep(REGISTRY),
      pods: { 'runpod.a': { ...NO_SIGHTINGS, absent: sighted(3, minutes(60)) } },
    };
    expect(reasons(planned([looked(record('a'), away), looked(record('b'), blind)], { sweep }))).toEqual([
      'all-absent',
      'provider-unseen',
    ]);
  });

  it.each([
    ['another account', 'user_2', 'other-account'],
    ['an account that could not be asked', null, 'account-unknown'],
  ])('an absence seen with the key of %s concludes nothing and is not counted', (_what, account, reason) => {
    const away = {
      provider: { kind: 'absent' as const, listedAway: seen(true as const) },
      visit: noVisit('not-shown'),
    };
    const before = { count: 1, firstAt: NOW - minutes(60), lastAt: NOW - minutes(60) };
    const sweep = {
      ...emptySweep(REGISTRY),
      pods: { 'runpod.a': { ...NO_SIGHTINGS, absent: before } },
    };
    const all = planned([looked(record('a'), away), looked(record('b'))], { sweep, account });
    expect(reasons(all)[0]).toBe(reason);
    expect(all.pods[0]?.sightings.absent).toEqual(before);
    expect(all.pods[0]?.orders).toEqual([]);
  });

  it('a record that never knew its account is judged by absence alone', () => {
    const away = {
      provider: { kind: 'absent' as const, listedAway: seen(true as const) },
      visit: noVisit('not-shown'),
    };
    const sweep = {
      ...emptySweep(REGISTRY),
      pods: { 'runpod.a': { ...NO_SIGHTINGS, absent: sighted(2, minutes(15)) } },
    };
    const all = planned([looked(record('a', { account: null }), away), looked(record('b'))], {
      sweep,
      account: null,
    });
    expect(reasons(all)[0]).toBe('lost-absent');
  });

  it('when every pod has no route, none counts', () => {
    const away = { visit: noVisit('no-route') };
    const none = planned([looked(record('a'), away), looked(record('b'), away)]);
    expect(none.pods.map((pod) => pod.sightings.unreachable)).toEqual([null, null]);
    const one = planned([looked(record('a'), away), looked(record('b'))]);
    expect(one.pods.map((pod) => pod.sightings.unreachable?.count ?? 0)).toEqual([1, 0]);
  });
});

describe('orders', () => {
  const orders = (one: Looked, of: Partial<PlanInput> = {}) =>
    planned([one], of).pods[0]?.orders.map((order) => order.kind);
  const wiped = aVisit({
    switch:
      armedSwitch.kind === 'seen'
        ? seen({ ...armedSwitch.value, armed: false, reason: 'not-installed' })
        : armedSwitch,
  });
  const beating = aVisit({ heartbeat: beat(1) });

  it.each([
    ['a healthy pod is petted, then mirrored', looked(record('a'), { visit: beating }), ['pet', 'mirror']],
    [
      'a wiped switch is planted again, then the pod is mirrored',
      looked(record('a'), { visit: wiped }),
      ['re-arm', 'mirror'],
    ],
    [
      'a pod that was just registered is left to its arm step',
      looked(record('a', { switch: null, registeredAt: NOW - minutes(1) }), { visit: wiped }),
      ['mirror'],
    ],
    [
      'a pod that was never armed is armed by the reaper',
      looked(record('a', { switch: null }), { visit: wiped }),
      ['re-arm', 'mirror'],
    ],
    [
      'an idle pod within its window is still petted',
      looked(record('a'), { visit: aVisit({ gpu: gpuAt(0) }) }),
      ['pet', 'mirror'],
    ],
    [
      'nothing is sent to a pod that was not reached',
      looked(record('a'), { visit: noVisit('wrong-host-key') }),
      [],
    ],
    [
      'declined artifacts are not mirrored',
      looked(record('a', { artifacts: { remotePath: null, none: true, allowEmpty: false, choice: null } }), {
        visit: beating,
      }),
      ['pet'],
    ],
    [
      'a lapsed owner deadline with a fresh heartbeat is extended first',
      looked(record('a', { deadlines: someDeadlines({ ownerSetAt: NOW - 1 }) }), { visit: beating }),
      ['extend', 'pet', 'mirror'],
    ],
    [
      'an orphan is torn down and nothing else',
      looked(record('a'), {
        owner: seen({ state: 'completed', completedAt: NOW - minutes(2), conclusion: null }),
      }),
      ['teardown'],
    ],
  ])('%s', (_what, one, kinds) => {
    expect(orders(one)).toEqual(kinds);
  });

  it('a lapsed fence whose verdict no longer stands is released', () => {
    const fence = {
      holder: 'reaper:x',
      reason: 'idle',
      rev: 1,
      at: NOW - minutes(40),
      until: NOW - minutes(10),
      inferred: true,
      step: 'fenced' as const,
    };
    expect(orders(looked(record('a', { status: 'terminating', fence }), { visit: beating }))).toEqual([
      'release',
      'pet',
      'mirror',
    ]);
  });
});

describe('a fence that has lapsed', () => {
  const lapsed = {
    holder: 'reaper:x',
    reason: 'idle',
    rev: 1,
    at: NOW - minutes(40),
    until: NOW - minutes(4),
    inferred: true,
    step: 'deleted' as const,
  };
  const orders = (one: Looked) => planned([one]).pods[0]?.orders.map((order) => order.kind);

  it('is not given back while its DELETE may still take effect, and nothing is sent to the pod', () => {
    const one = looked(record('a', { status: 'terminating', fence: lapsed }), {
      visit: aVisit({ heartbeat: beat(1) }),
    });
    expect(orders(one)).toEqual([]);
  });

  it('is not given back over a pod that could not be seen: what its holder knew would be lost', () => {
    const blind = { provider: { kind: 'unseen' as const, reason: 'HTML' }, visit: noVisit('not-shown') };
    const old = { ...lapsed, until: NOW - minutes(40) };
    expect(orders(looked(record('a', { status: 'terminating', fence: old }), blind))).toEqual([]);
  });
});

describe('whatever is seen', () => {
  const part = fc.constantFrom('idle', 'busy', 'unknown', 'no-route', 'refused-login', 'not-ready');
  const visitOf = (kind: string) =>
    kind === 'idle'
      ? aVisit()
      : kind === 'busy'
        ? aVisit({ gpu: gpuAt(9) })
        : kind === 'unknown'
          ? aVisit({ gpu: unseen('x') })
          : noVisit(
              kind === 'no-route' ? 'no-route' : kind === 'refused-login' ? 'refused-login' : 'not-ready',
            );

  it('a kill that may come before verification is on the list, and unseen pods end by deadlines alone', () => {
    const world = fc.record({
      visit: part,
      provider: fc.constantFrom('present', 'absent', 'unseen'),
      lateMin: fc.integer({ min: -500, max: 500 }),
      owner: fc.constantFrom('completed', 'in-progress', 'missing', 'unseen'),
      idle: fc.nat(5),
      absent: fc.nat(5),
    });
    fc.assert(
      fc.property(world, (of) => {
        const ownerSetAt = NOW - minutes(of.lateMin);
        const one = looked(
          record('a', {
            deadlines: someDeadlines({ ownerSetAt, absoluteDeadlineAt: ownerSetAt + minutes(60) }),
          }),
          {
            visit: visitOf(of.visit),
            ...(of.provider === 'present'
              ? {}
              : {
                  provider:
                    of.provider === 'absent'
                      ? { kind: 'absent' as const, listedAway: unseen('list was empty') }
                      : { kind: 'unseen' as const, reason: 'HTML' },
                }),
            owner:
              of.owner === 'unseen'
                ? unseen('x')
                : of.owner === 'completed'
                  ? seen({ state: 'completed', completedAt: NOW - minutes(9), conclusion: null })
                  : seen({ state: of.owner as 'in-progress' | 'missing' }),
          },
        );
        const sweep = {
          ...emptySweep(REGISTRY),
          pods: {
            'runpod.a': {
              ...NO_SIGHTINGS,
              idle:
                of.idle === 0
                  ? null
                  : { count: of.idle, firstAt: NOW - minutes(20), lastAt: NOW - minutes(5) },
              absent: of.absent === 0 ? null : sighted(of.absent, minutes(30)),
            },
          },
        };
        const [pod] = planned([one], { sweep }).pods;
        if (pod === undefined) throw new Error('one pod in, one pod out');
        const teardown = pod.orders.find((order) => order.kind === 'teardown');
        expect(teardown === undefined).toBe(pod.verdict.kind !== 'end');
        const listed = REASONS[pod.verdict.reason].beforeVerified;
        expect(teardown?.kind === 'teardown' ? teardown.beforeVerified : listed).toBe(listed);
        expect(of.provider === 'present' ? 'keep' : pod.verdict.kind).toBe('keep');
      }),
      { numRuns: 500 },
    );
  });
});
