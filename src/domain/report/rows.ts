/** The rows of a report: one per pod that a cycle had to do with, with its verdict, what was done, and how bad it is. */
import { costOf, rateOf } from '../cost.ts';
import { ownerDeadlineAt } from '../deadlines.ts';
import { formatDuration } from '../duration.ts';
import type { Outcome } from '../outcome.ts';
import { ownerName } from '../owner.ts';
import type { PodRecord } from '../pod.ts';
import type { PodPlan, StrayPlan } from '../policy/plan.ts';
import { REASONS, type Verdict } from '../policy/reasons.ts';
import type { Foreign } from '../policy/reconcile.ts';
import type { MalformedItem, ProviderPod, ProviderStatus } from '../provider-pod.ts';
import type { CycleFacts } from './facts.ts';
import { saysPostMissing } from './post-missing.ts';

/** `red` makes the cycle end non-zero, `warn` is told. */
export type Grade = 'ok' | 'warn' | 'red';

export type ReportRow = {
  readonly kind: 'ours' | 'reopened' | 'stray' | 'foreign' | 'malformed';
  readonly pod: string;
  readonly name: string | null;
  /** The provider's own word, or `unseen`, `absent`. */
  readonly status: string;
  readonly owner: string | null;
  readonly gpu: string | null;
  readonly verdict: Verdict['kind'] | null;
  readonly reason: string;
  readonly says: string;
  readonly evidence: Verdict['evidence'];
  readonly orders: readonly string[];
  readonly outcomes: readonly Outcome[];
  readonly grade: Grade;
  /** One sentence per thing that is not as it should be. */
  readonly troubles: readonly string[];
  readonly ownerDeadlineAt: number | null;
  readonly absoluteDeadlineAt: number | null;
  readonly costMicroUsd: number | null;
  readonly costPerHourMicroUsd: number | null;
};

const GRADES: readonly Grade[] = ['ok', 'warn', 'red'];

/** Ends over unsaved artifacts that a person asked for, or where nothing was ever there to save. */
const UNSAVED_BY_WISH: ReadonlySet<string> = new Set([
  'forced',
  'pull-skipped',
  'boot-deadline',
  'not-recorded',
]);

/** Why a pod was let live at the last moment: it is at work again, or its owner has spoken. */
const GOOD_NEWS: ReadonlySet<string> = new Set(['verdict-changed', 'moved-meanwhile']);

export function rowsOf(facts: CycleFacts): readonly ReportRow[] {
  const { plan } = facts;
  const ours = plan.pods.map((pod) => ourRow(pod, facts));
  const known = new Set(ours.map((row) => row.pod));
  const reopened = plan.reopened
    .filter(({ record }) => !known.has(record.id))
    .map(({ record, pod }) => reopenedRow(record, pod, plan.at));
  const malformed = facts.listing.kind === 'seen' ? facts.listing.value.malformed : [];
  return [
    ...ours,
    ...reopened,
    ...plan.strays.map((stray) => strayRow(stray, facts)),
    ...plan.foreign.map(foreignRow),
    ...malformed.map(malformedRow),
  ];
}

export function worstFirst(rows: readonly ReportRow[]): readonly ReportRow[] {
  const weight = (row: ReportRow): number =>
    10 * (2 - GRADES.indexOf(row.grade)) + (row.kind === 'foreign' ? 5 : row.verdict === 'keep' ? 1 : 0);
  return rows.toSorted((left, right) => weight(left) - weight(right) || (left.pod < right.pod ? -1 : 1));
}

type Judged = Pick<ReportRow, 'outcomes' | 'grade' | 'troubles'>;

/** A pod is as bad as the worst of its verdict, its outcomes, and an end that was ordered and left no outcome. */
function judge(pod: string, verdict: Verdict, facts: CycleFacts): Judged {
  const outcomes = facts.outcomes.filter((outcome) => outcome.pod === pod);
  const row = REASONS[verdict.reason];
  const grades: Grade[] = [row.alert === 'none' ? 'ok' : row.alert];
  const troubles = row.alert === 'none' ? [] : [`${verdict.reason}: ${row.says}`];
  for (const outcome of outcomes) {
    const grade = gradeOf(outcome);
    grades.push(grade);
    if (grade !== 'ok') troubles.push(`${outcome.order} ${outcome.kind}: ${outcome.says}`);
  }
  const unanswered =
    verdict.kind === 'end' && !facts.dryRun && !outcomes.some((outcome) => outcome.order === 'teardown');
  if (unanswered) {
    grades.push('red');
    troubles.push('its end was ordered, but nothing came back of it: it may still bill');
  }
  return { outcomes, grade: worst(grades), troubles };
}

function worst(grades: readonly Grade[]): Grade {
  return GRADES[Math.max(...grades.map((grade) => GRADES.indexOf(grade)))] ?? 'red';
}

/** Whatever may bill or was lost is red; what somebody else finishes, or what rightly lives on, is told. */
function gradeOf(outcome: Outcome): Grade {
  switch (outcome.kind) {
    case 'done':
      return lostArtifacts(outcome) ? 'red' : 'ok';
    case 'handed-over':
      return 'warn';
    case 'released':
      return GOOD_NEWS.has(outcome.reason) ? 'warn' : 'red';
    case 'pending':
    case 'failed':
      return 'red';
  }
}

function lostArtifacts(outcome: Outcome): boolean {
  return outcome.detail['verified'] === false && !UNSAVED_BY_WISH.has(String(outcome.detail['why']));
}

function ourRow(of: PodPlan, facts: CycleFacts): ReportRow {
  const { record, verdict, observation } = of;
  const { provider } = observation;
  const wanted = of.rested === null ? {} : { wanted: of.rested.reason };
  return {
    kind: 'ours',
    status: provider.kind === 'present' ? provider.pod.statusText : provider.kind,
    ...recordFields(record, facts.plan.at, provider.kind === 'present' ? provider.pod.status : null),
    verdict: verdict.kind,
    reason: verdict.reason,
    says: REASONS[verdict.reason].says,
    evidence: { ...verdict.evidence, ...wanted },
    orders: of.orders.map((order) => order.kind),
    ...withTrouble(withHollowBeat(judge(record.id, verdict, facts), of), saysPostMissing(of)),
  };
}

/** A heart that beats for nothing keeps a pod billing: somebody should look. Nothing is ended for it. */
function withHollowBeat(judged: Judged, { verdict, rules }: PodPlan): Judged {
  if (verdict.reason !== 'heartbeat-fresh' || verdict.evidence['gpu'] !== 'idle') return judged;
  const unchanged = judged.outcomes.map(({ order, detail }) =>
    order === 'mirror' ? Number(detail['unchangedMs'] ?? 0) : 0,
  );
  const longestMs = Math.max(0, ...unchanged);
  if (longestMs < rules.idleWindowMs) return judged;
  const says = `hollow-heartbeat: its heart beats, its GPU rests and its results have not changed for ${formatDuration(longestMs)}; end it if the job hangs`;
  return withTrouble(judged, says);
}

function withTrouble(judged: Judged, says: string | null): Judged {
  if (says === null) return judged;
  return { ...judged, grade: worst([judged.grade, 'warn']), troubles: [...judged.troubles, says] };
}

function recordFields(record: PodRecord, now: number, status: ProviderStatus | null) {
  return {
    pod: record.id,
    name: record.name,
    owner: ownerName(record.owner),
    gpu: record.gpu,
    ownerDeadlineAt: ownerDeadlineAt(record.deadlines),
    absoluteDeadlineAt: record.deadlines.absoluteDeadlineAt,
    costMicroUsd: costOf(record, now, status),
    costPerHourMicroUsd: rateOf(record, status),
  };
}

/** Only a dry run shows these: a real cycle has reopened them and judged them among ours. */
function reopenedRow(record: PodRecord, pod: ProviderPod, now: number): ReportRow {
  const says = `the record says ${record.status}, but the provider lists it: it would be reopened`;
  return {
    kind: 'reopened',
    status: pod.statusText,
    ...recordFields(record, now, pod.status),
    verdict: null,
    reason: 'reopened',
    says,
    evidence: {},
    orders: [],
    outcomes: [],
    grade: 'warn',
    troubles: [says],
  };
}

/** What is known of a pod without a record. */
function bareFields(pod: ProviderPod) {
  return {
    pod: pod.id,
    name: pod.name,
    status: pod.statusText,
    owner: null,
    gpu: pod.gpu === null ? null : `${pod.gpu.count} x ${pod.gpu.type}`,
    absoluteDeadlineAt: null,
    costMicroUsd: null,
    costPerHourMicroUsd: pod.costPerHourMicroUsd,
  };
}

function strayRow({ pod, stamp, verdict }: StrayPlan, facts: CycleFacts): ReportRow {
  return {
    kind: 'stray',
    ...bareFields(pod),
    ownerDeadlineAt: stamp.ttlAt,
    verdict: verdict.kind,
    reason: verdict.reason,
    says: REASONS[verdict.reason].says,
    evidence: verdict.evidence,
    orders: verdict.kind === 'end' ? ['teardown'] : [],
    ...judge(pod.id, verdict, facts),
  };
}

const WHY_FOREIGN: Readonly<Record<Foreign['why'], string>> = {
  'no-stamp': 'it is in no record and carries no stamp',
  'other-registry': 'it carries the stamp of another registry',
  'copied-stamp': 'its stamp was copied from another pod',
  'id-reused': 'its id belonged to another pod before',
};

function foreignRow({ pod, why }: Foreign): ReportRow {
  return {
    kind: 'foreign',
    ...bareFields(pod),
    ownerDeadlineAt: null,
    verdict: null,
    reason: why,
    says: `foreign, left alone: ${WHY_FOREIGN[why]}`,
    evidence: {},
    orders: [],
    outcomes: [],
    grade: 'ok',
    troubles: [],
  };
}

function malformedRow(item: MalformedItem, index: number): ReportRow {
  const says = `an item of the provider's list cannot be read: ${item.problem}`;
  return {
    kind: 'malformed',
    pod: item.id ?? `item-${index + 1}`,
    name: null,
    status: 'malformed',
    owner: null,
    gpu: null,
    verdict: null,
    reason: 'malformed-item',
    says,
    evidence: {},
    orders: [],
    outcomes: [],
    grade: 'red',
    troubles: [says],
    ownerDeadlineAt: null,
    absoluteDeadlineAt: null,
    costMicroUsd: null,
    costPerHourMicroUsd: null,
  };
}
