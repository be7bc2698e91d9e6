/** Job summaries of one pod: one table, short when all is well, harmless whatever anything is called. */
import { accrued, formatUsd } from '../domain/budget.ts';
import { saysChoice } from '../domain/choice.ts';
import { ownerDeadlineAt } from '../domain/deadlines.ts';
import { formatInstant } from '../domain/instant.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { type Owner, ownerName } from '../domain/owner.ts';
import type { PodRecord } from '../domain/pod.ts';
import { markdownCell } from '../domain/registry/plain-text.ts';
import type { Prepared } from '../flows/setup.ts';

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
      ['artifacts', artifactsText(record.artifacts)],
      ['limits', limits],
    ]),
  ].join('\n');
}

function artifactsText({ remotePath, choice }: PodRecord['artifacts']): string {
  if (remotePath === null) return 'declined';
  const chosen = saysChoice(choice);
  return chosen === null ? remotePath : `${remotePath}, ${chosen}`;
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

/** One line where all is well; the warnings with it where a reaper may stay away. */
export function setupSummary(owner: Owner, { podName, findings }: Prepared): string {
  const bad = findings.filter(({ grade }) => grade === 'warn');
  const head =
    bad.length === 0 ? 'is ready' : `is ready, and ${bad.length} thing(s) may keep the reaper away`;
  return [
    `### podtrack ${head}`,
    '',
    `For ${markdownCell(ownerName(owner), LONGEST)}; a pod of its own making: ${markdownCell(podName)}.`,
    '',
    ...findings.map(
      ({ grade, says }) => `- ${grade === 'warn' ? '**warn** ' : ''}${markdownCell(says, LONGEST)}`,
    ),
    '',
  ].join('\n');
}
