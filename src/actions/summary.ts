/** Job summaries of one pod: one table, short when all is well, harmless whatever anything is called. */
import { formatUsd } from '../domain/budget.ts';
import { saysChoice } from '../domain/choice.ts';
import { costOf } from '../domain/cost.ts';
import { ownerDeadlineAt } from '../domain/deadlines.ts';
import { formatInstant } from '../domain/instant.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { type Owner, ownerName } from '../domain/owner.ts';
import { isLive, type PodRecord } from '../domain/pod.ts';
import { markdownCell } from '../domain/registry/plain-text.ts';
import type { Prepared } from '../flows/setup.ts';

const LONGEST = 400;

function table(rows: readonly (readonly [string, string])[]): string {
  const cells = rows.map(([name, value]) => `| ${name} | ${markdownCell(value, LONGEST)} |`);
  return ['| | |', '| --- | --- |', ...cells, ''].join('\n');
}

/** One line: the table of the job is the one of its end. */
export function registerSummary(record: PodRecord, how: string, limits: string): string {
  const parts = [
    `${how === 'registered' ? '' : `${how}, `}for ${ownerName(record.owner)}`,
    limits,
    `${record.gpu ?? 'no GPU told'} at ${formatUsd(record.costPerHourMicroUsd)}/h`,
    `artifacts ${artifactsText(record.artifacts)}`,
  ];
  return `**podtrack**: ${markdownCell(record.id)} is registered ${markdownCell(parts.join('; '), LONGEST)}\n`;
}

function artifactsText({ remotePath, choice }: PodRecord['artifacts']): string {
  if (remotePath === null) return 'declined';
  const chosen = saysChoice(choice);
  return chosen === null ? remotePath : `${remotePath}, ${chosen}`;
}

/** What ended a pod and why, or why it is still up. `record` as it is after; null = there is none. */
export function endSummary(
  outcome: Outcome,
  record: PodRecord | null,
  { now, wayIn }: { readonly now: number; readonly wayIn: string | null },
): string {
  const open = leavesOpen(outcome);
  const cost = record === null ? null : costOf(record, now, null);
  return [
    `### podtrack: ${markdownCell(outcome.pod)} ${open ? 'IS NOT SETTLED' : (HEADLINES[outcome.order] ?? 'is settled')}`,
    '',
    table([
      ['owner', record === null ? 'no record' : ownerName(record.owner)],
      ['state', record?.status ?? 'no record'],
      ...(record === null || !isLive(record) ? [] : limitRows(record)),
      ['cost so far', formatUsd(cost)],
      ['what happened', outcome.says],
      ...(wayIn === null ? [] : [['way in', wayIn] as const]),
      ...(open ? ([['what it is called', `${outcome.kind}: ${outcome.reason}`]] as const) : []),
    ]),
  ].join('\n');
}

const HEADLINES: Readonly<Partial<Record<Outcome['order'], string>>> = {
  keep: 'is kept',
  stop: 'is stopped',
};

/** A pod that lives on is ended at these, whatever else happens. */
function limitRows({ deadlines }: PodRecord): readonly (readonly [string, string])[] {
  const { keepUntilAt, absoluteDeadlineAt } = deadlines;
  return [
    ...(keepUntilAt === null ? [] : [['kept until', formatInstant(keepUntilAt)] as const]),
    ['owner deadline', formatInstant(ownerDeadlineAt(deadlines))],
    ['absolute deadline', formatInstant(absoluteDeadlineAt)],
  ];
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
