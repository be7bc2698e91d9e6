/** The sums of a report: every attempt is accounted for, and money is known or said to be unknown. */
import { sumKnown } from '../budget.ts';
import { costOf, rateOf } from '../cost.ts';
import type { CycleFacts } from './facts.ts';
import type { ReportRow } from './rows.ts';

/** `attempted` = `done` + `failed` + `other`, always. */
export type Sums = {
  readonly ours: number;
  readonly kept: number;
  /** Verdicts to end, strays included. */
  readonly toEnd: number;
  readonly ended: number;
  readonly gone: number;
  readonly strays: number;
  readonly foreign: number;
  readonly malformed: number;
  readonly red: number;
  readonly warn: number;
  readonly attempted: number;
  readonly done: number;
  readonly failed: number;
  /** Handed over, released or not yet confirmed. */
  readonly other: number;
};

export function sumsOf(facts: CycleFacts, rows: readonly ReportRow[]): Sums {
  const count = (wanted: (row: ReportRow) => boolean): number => rows.filter(wanted).length;
  const { outcomes } = facts;
  const done = outcomes.filter((outcome) => outcome.kind === 'done');
  const failed = outcomes.filter((outcome) => outcome.kind === 'failed').length;
  return {
    ours: facts.plan.pods.length,
    kept: count((row) => row.kind === 'ours' && row.verdict === 'keep'),
    toEnd: count((row) => row.verdict === 'end'),
    ended: done.filter((outcome) => outcome.order === 'teardown').length,
    gone: count((row) => row.verdict === 'gone'),
    strays: facts.plan.strays.length,
    foreign: facts.plan.foreign.length,
    malformed: count((row) => row.kind === 'malformed'),
    red: count((row) => row.grade === 'red'),
    warn: count((row) => row.grade === 'warn'),
    attempted: outcomes.length,
    done: done.length,
    failed,
    other: outcomes.length - done.length - failed,
  };
}

/** Money of our live pods. `unknown` = how many amounts nobody could tell; they are never counted as zero. */
export type Totals = {
  readonly costSoFar: { readonly microUsd: number; readonly unknown: number };
  readonly perHour: { readonly microUsd: number; readonly unknown: number };
  /** As the provider tells it for the whole account. */
  readonly balance: CycleFacts['balance'];
};

export function totalsOf(facts: CycleFacts): Totals {
  const { at, pods } = facts.plan;
  const shown = pods.map(({ record, observation: { provider } }) => ({
    record,
    status: provider.kind === 'present' ? provider.pod.status : null,
  }));
  return {
    costSoFar: sumKnown(shown.map(({ record, status }) => costOf(record, at, status))),
    perHour: sumKnown(shown.map(({ record, status }) => rateOf(record, status))),
    balance: facts.balance,
  };
}

/** Owners with a run whose end nobody could ask for; their pods are judged by deadline and idleness alone. */
export type Unasked = { readonly pods: number; readonly why: string };

export function unaskedOwners({ plan }: CycleFacts): Unasked | null {
  const reasons = plan.pods.flatMap(({ record, observation: { owner } }) =>
    record.owner.key !== null && owner.kind === 'unseen' ? [owner.reason] : [],
  );
  const [why] = reasons;
  return why === undefined ? null : { pods: reasons.length, why };
}
