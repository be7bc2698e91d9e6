/** One cycle's decisions as one value: what was concluded of every pod, and the orders that follow. */

import { DAY_MS } from '../duration.ts';
import { withinReaper } from '../knobs.ts';
import type { Observation } from '../observation.ts';
import { type PodRecord, podKey } from '../pod.ts';
import type { ProviderPod } from '../provider-pod.ts';
import type { RegistryState } from '../registry/state.ts';
import { NO_SIGHTINGS, type PodSightings, type SweepState } from '../registry/sweep.ts';
import type { ReaperRules } from '../rules.ts';
import { type Basis, basisOf } from './basis.ts';
import { type Breaker, judgeBreaker } from './breaker.ts';
import { type Caution, restVerdict } from './caution.ts';
import { accountLook, doubtOf, type JudgeInput, judge } from './judge.ts';
import { type Order, ordersFor } from './orders.ts';
import type { Verdict } from './reasons.ts';
import type { Foreign, Reconciled } from './reconcile.ts';
import { countSightings } from './sightings.ts';
import { judgeStray, type StrayLook } from './stray.ts';

/** A recorded pod with what this cycle saw of it. */
export type Looked = { readonly record: PodRecord; readonly observation: Observation };

export type PlanInput = {
  readonly state: RegistryState;
  readonly reconciled: Reconciled;
  readonly looked: readonly Looked[];
  readonly strays: readonly StrayLook[];
  readonly sweep: SweepState;
  readonly rules: ReaperRules;
  readonly now: number;
  /** Reasons for inferred kills to rest. */
  readonly cautions: readonly Caution[];
  readonly ownNetworkWorks: boolean;
  /** Account as the provider names it; null = it could not be asked. */
  readonly account: string | null;
};

export type PodPlan = {
  readonly record: PodRecord;
  readonly observation: Observation;
  readonly verdict: Verdict;
  /** What the policy said before a breaker or a caution put it to rest; null = the same. */
  readonly rested: Verdict | null;
  readonly sightings: PodSightings;
  readonly rules: ReaperRules;
  readonly judgedAt: number;
  /** What the verdict rests on, as the record will hold it. */
  readonly basis: Basis;
  readonly orders: readonly Order[];
};

export type StrayPlan = StrayLook & { readonly verdict: Verdict };

export type Plan = {
  readonly at: number;
  readonly pods: readonly PodPlan[];
  readonly strays: readonly StrayPlan[];
  readonly reopened: readonly { readonly record: PodRecord; readonly pod: ProviderPod }[];
  readonly foreign: readonly Foreign[];
  readonly successors: Reconciled['successors'];
  readonly breaker: Breaker;
  readonly cautions: readonly Caution[];
  /** The sweep state that this cycle leaves when it has run to its end. */
  readonly sweep: SweepState;
};

/** Pure: the same input gives the same plan, which is what `dry-run` prints and `replay` recomputes. */
export function plan(input: PlanInput): Plan {
  const routeTrusted = input.ownNetworkWorks && !allUnreachable(input.looked);
  const around = { routeTrusted, awayTogether: allAway(input) };
  const judged = input.looked.map((looked) => judgeOne(looked, input, around));
  const strays = input.strays.map((stray): StrayPlan => {
    const wanted = judgeStray(stray, input.rules, input.now);
    return { ...stray, verdict: restVerdict(wanted, input.cautions) };
  });
  const breaker = judgeBreaker({
    judged: [
      ...judged.map((of) => ({ id: of.record.id, verdict: of.verdict })),
      ...strays.map((of) => ({ id: of.pod.id, verdict: of.verdict })),
    ],
    state: input.state,
    sweep: input.sweep,
    maxKills: input.rules.maxKills,
    now: input.now,
  });
  const pods = judged.map((of): PodPlan => finish(of, breaker, input.now));
  return {
    at: input.now,
    pods,
    strays: strays.map((stray) => ({ ...stray, verdict: breaker.rest(stray.verdict) })),
    reopened: input.reconciled.reopened,
    foreign: input.reconciled.foreign,
    successors: input.reconciled.successors,
    breaker,
    cautions: input.cautions,
    sweep: sweepAfter(input, pods, breaker),
  };
}

/** When every pod that was tried is unreachable, the fault is ours until shown otherwise. */
function allUnreachable(looked: readonly Looked[]): boolean {
  const tried = looked.filter(
    ({ observation: { visit } }) =>
      visit.kind === 'seen' ||
      !['not-ready', 'proxy-only', 'private-address', 'not-shown'].includes(visit.failure),
  );
  const away = tried.filter(
    ({ observation: { visit } }) => visit.kind === 'unseen' && visit.failure === 'no-route',
  );
  return tried.length >= 2 && away.length === tried.length;
}

type Judged = Omit<PodPlan, 'orders' | 'basis'> & { readonly input: JudgeInput };

type Around = Pick<JudgeInput, 'routeTrusted' | 'awayTogether'>;

function judgeOne(looked: Looked, input: PlanInput, { routeTrusted, awayTogether }: Around): Judged {
  const { record, observation } = looked;
  const rules = withinReaper(record.rules, input.rules);
  const before = input.sweep.pods[podKey(record)] ?? NO_SIGHTINGS;
  const account = accountLook(record, input.account);
  const shared = { record, observation, rules, now: input.now, routeTrusted };
  const doubt = doubtOf({ record, observation, account, awayTogether });
  const sightings = counted(countSightings({ ...shared, before }), before, doubt);
  const asked = { ...shared, sightings, account, awayTogether, cautions: input.cautions };
  return { ...looked, rules, sightings, ...judge(asked), judgedAt: input.now, input: asked };
}

/** What was not seen in the record's own account was not seen at all: no absence is counted of it. */
function counted(after: PodSightings, before: PodSightings, doubt: Verdict | null): PodSightings {
  return doubt === null ? after : { ...after, absent: before.absent };
}

/** How many live records there are, when it is several and none of them is shown; a person may have said that it is so. */
function allAway({ looked, state, now }: PlanInput): number | null {
  const live = looked.filter((other) => other.record.fence?.step !== 'deleted');
  const shown = live.some((other) => other.observation.provider.kind === 'present');
  if (live.length < 2 || shown) return null;
  const acknowledged = state.meta.acknowledged.accountAt;
  return acknowledged !== null && now - acknowledged < DAY_MS ? null : live.length;
}

function finish({ input, ...judged }: Judged, breaker: Breaker, now: number): PodPlan {
  const after = breaker.rest(judged.verdict);
  const rested = after === judged.verdict ? judged.rested : judged.verdict;
  const whole = { ...judged, verdict: after, rested, basis: basisOf(input, breaker.tripped) };
  return { ...whole, orders: ordersFor(whole, now) };
}

function sweepAfter(input: PlanInput, pods: readonly PodPlan[], breaker: Breaker): SweepState {
  const sightings = Object.fromEntries([
    ...pods
      .filter((of) => of.verdict.kind !== 'gone')
      .map((of) => [podKey(of.record), of.sightings] as const),
    ...input.strays.map((stray) => [stray.pod.id, stray.sightings] as const),
  ]);
  const told = input.reconciled.foreign.map(({ pod }) => pod.id);
  return {
    ...input.sweep,
    pods: sightings,
    breakerTrippedAt: breaker.tripped ? input.now : input.sweep.breakerTrippedAt,
    foreignTold: told.slice(0, 5000),
  };
}
