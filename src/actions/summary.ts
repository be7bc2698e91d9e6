/** Job summaries of one pod: one table, short when all is well, harmless whatever anything is called. */
import { accrued, formatUsd } from '../domain/budget.ts';
import { ownerDeadlineAt } from '../domain/deadlines.ts';
import { formatInstant } from '../domain/instant.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { ownerName } from '../domain/owner.ts';
import type { PodRecord } from '../domain/pod.ts';
import { markdownCell } from '../domain/registry/plain-text.ts';

const LONGEST = 400;

function table(rows: readonly (readonly [string, string])[]): string {
  const cells = rows.map(([name, value]) => `| ${name} | ${markdownCell(value, LONGEST)} |`);
  return ['| | |', '| --- | --- |', ...cells, ''].join('\n');
}

export function registerSummary(record: PodRecord, how: string, limits: string): string {
  const perHour = record.costPerHourMicroUsd;
  return [
    `### podtrack: ${markdownCell(record.id)} is registered`,
    '',
    table([
      ['owner', ownerName(record.owner)],
      ['state', how === 'registered' ? record.status : `${record.status} (${how})`],
      ['GPU', record.gpu ?? 'none, or not told'],
      ['cost per hour', formatUsd(perHour)],
      ['owner deadline', formatInstant(ownerDeadlineAt(record.deadlines))],
      ['absolute deadline', formatInstant(record.deadlines.absoluteDeadlineAt)],
      ['limits', limits],
    ]),
  ].join('\n');
}

/** What ended a pod and why, or why it is still up. `record` as it is after; null = there is none. */
export function endSummary(outcome: Outcome, record: PodRecord | null, now: number): string {
  const open = leavesOpen(outcome);
  const cost =
    record === null
      ? null
      : (record.end?.costMicroUsd ??
        accrued(record.costPerHourMicroUsd, record.createdAt ?? record.registeredAt, now));
  const headline = open ? 'IS NOT SETTLED' : outcome.order === 'keep' ? 'is kept' : 'is settled';
  return [
    `### podtrack: ${markdownCell(outcome.pod)} ${headline}`,
    '',
    table([
      ['owner', record === null ? 'no record' : ownerName(record.owner)],
      ['state', record?.status ?? 'no record'],
      ['cost so far', formatUsd(cost)],
      ['what happened', outcome.says],
      ...(open ? ([['what it is called', `${outcome.kind}: ${outcome.reason}`]] as const) : []),
    ]),
  ].join('\n');
}
