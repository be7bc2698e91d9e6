/** A report for programs: camelCase, RFC 3339 times, durations in ms, money in micro-dollars; unknown is null. */
import { formatInstant } from '../instant.ts';
import type { CycleReport } from '../report.ts';
import type { ReportRow } from './rows.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export function instantOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}

function rowJson(row: ReportRow): JsonObject {
  return {
    kind: row.kind,
    pod: row.pod,
    name: row.name,
    status: row.status,
    owner: row.owner,
    gpu: row.gpu,
    grade: row.grade,
    verdict: row.verdict,
    reason: row.reason,
    says: row.says,
    evidence: row.evidence,
    orders: row.orders,
    outcomes: row.outcomes.map(({ order, kind, reason, says, detail }) => ({
      order,
      kind,
      reason,
      says,
      detail,
    })),
    troubles: row.troubles,
    ownerDeadlineAt: instantOrNull(row.ownerDeadlineAt),
    absoluteDeadlineAt: instantOrNull(row.absoluteDeadlineAt),
    costMicroUsd: row.costMicroUsd,
    costPerHourMicroUsd: row.costPerHourMicroUsd,
  };
}

export function reportJson(report: CycleReport): JsonObject {
  const { totals } = report;
  const { balance } = totals;
  return {
    schemaVersion: report.schemaVersion,
    at: formatInstant(report.at),
    dryRun: report.dryRun,
    exitCode: report.exitCode,
    counts: { ...report.counts },
    totals: {
      costSoFar: { ...totals.costSoFar },
      perHour: { ...totals.perHour },
      account: balance.kind === 'seen' ? { ...balance.value } : null,
      accountUnseen: balance.kind === 'unseen' ? balance.reason : null,
    },
    ownersUnasked: report.unasked === null ? null : { ...report.unasked },
    alarms: report.alarms.map((alarm) => ({ ...alarm })),
    pods: report.rows.map(rowJson),
  };
}
