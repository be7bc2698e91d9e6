/** One cycle told: what was decided and done, every bad pod once and by name, the sums, and the exit code. */
import { type ExitCode, worstExit } from './errors.ts';
import { type Alarm, alarmsOf } from './report/alarms.ts';
import type { CycleFacts } from './report/facts.ts';
import { type ReportRow, rowsOf, worstFirst } from './report/rows.ts';
import { type Sums, sumsOf, type Totals, totalsOf, type Unasked, unaskedOwners } from './report/sums.ts';

export const REPORT_SCHEMA = 1;

export type CycleReport = {
  readonly schemaVersion: typeof REPORT_SCHEMA;
  readonly at: number;
  readonly dryRun: boolean;
  readonly exitCode: ExitCode;
  /** Worst first; each pod once. */
  readonly rows: readonly ReportRow[];
  /** What concerns the cycle as a whole; troubles of one pod stand in its row. */
  readonly alarms: readonly Alarm[];
  readonly counts: Sums;
  readonly totals: Totals;
  /** null = every run that owns a pod was asked for. */
  readonly unasked: Unasked | null;
};

/** Pure: the same facts give the same report, in every door and in every form. */
export function reportCycle(facts: CycleFacts): CycleReport {
  const rows = worstFirst(rowsOf(facts));
  const counts = sumsOf(facts, rows);
  const alarms = alarmsOf(facts, counts);
  return {
    schemaVersion: REPORT_SCHEMA,
    at: facts.plan.at,
    dryRun: facts.dryRun,
    exitCode: exitOfCycle(facts, rows, alarms),
    rows,
    alarms,
    counts,
    totals: totalsOf(facts),
    unasked: unaskedOwners(facts),
  };
}

/** An account that could not be read is 4 only when no live record of ours may bill behind it. */
function exitOfCycle(facts: CycleFacts, rows: readonly ReportRow[], alarms: readonly Alarm[]): ExitCode {
  const codes: ExitCode[] = alarms
    .filter((alarm) => alarm.grade === 'red')
    .map((alarm) => (alarm.code === 'account-unseen' && facts.plan.pods.length === 0 ? 4 : 1));
  if (rows.some((row) => row.grade === 'red')) codes.push(1);
  return worstExit(codes);
}
