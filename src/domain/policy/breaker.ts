/** The breaker: too many inferred kills at once, or in an hour by the fences in git, and none is made. */
import { allRecords, type RegistryState } from '../registry/state.ts';
import type { SweepState } from '../registry/sweep.ts';
import { BREAKER_WINDOW_MS } from '../rules.ts';
import { rowOf, type Verdict, verdict } from './reasons.ts';

export type Breaker = {
  readonly tripped: boolean;
  /** Inferred verdicts of this cycle and inferred fences of the last hour. */
  readonly wanted: number;
  readonly recent: number;
  readonly maxKills: number;
  /** Puts an inferred end to rest while tripped; passes everything else on. */
  readonly rest: (of: Verdict) => Verdict;
};

export type BreakerInput = {
  /** One per pod that was judged, strays included, by provider id. */
  readonly judged: readonly { readonly id: string; readonly verdict: Verdict }[];
  readonly state: RegistryState;
  readonly sweep: SweepState;
  readonly maxKills: number;
  readonly now: number;
};

/** Deadlines, orphans by id and explicit teardown are never held back. */
export function judgeBreaker(input: BreakerInput): Breaker {
  const { state, sweep, maxKills, now } = input;
  const doomed = new Set(input.judged.filter((of) => isInferredEnd(of.verdict)).map((of) => of.id));
  const wanted = doomed.size;
  // One pod is one kill: an end that is tried again does not count twice.
  const recent = allRecords(state).filter(
    (record) => !doomed.has(record.id) && wasInferred(record, now),
  ).length;
  const trippedAt = sweep.breakerTrippedAt;
  const acknowledgedAt = state.meta.acknowledged.breakerAt;
  const acknowledged = acknowledgedAt !== null && now - acknowledgedAt < BREAKER_WINDOW_MS;
  const standing = trippedAt !== null && (acknowledgedAt === null || acknowledgedAt < trippedAt);
  const tripped = !acknowledged && wanted > 0 && (standing || wanted + recent > maxKills);
  return {
    tripped,
    wanted,
    recent,
    maxKills,
    rest: (of) => restByBreaker(of, tripped),
  };
}

/** An inferred end is not made while the breaker is tripped. */
export function restByBreaker(of: Verdict, tripped: boolean): Verdict {
  return tripped && isInferredEnd(of) ? verdict('held-by-breaker', { wanted: of.reason }) : of;
}

function isInferredEnd(of: Verdict): boolean {
  return of.kind === 'end' && rowOf(of).inferred;
}

/** By the fences in git: held now, or ended within the window by an inferred verdict. */
function wasInferred(record: RegistryState['pods'][string], now: number): boolean {
  if (record.fence !== null) return record.fence.inferred && now - record.fence.at < BREAKER_WINDOW_MS;
  return record.end?.inferred === true && now - record.end.at < BREAKER_WINDOW_MS;
}
