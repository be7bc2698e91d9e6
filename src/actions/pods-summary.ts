/** Job summaries of several pods: one table, a row for each. */
import { formatUsd } from '../domain/budget.ts';
import { costOf } from '../domain/cost.ts';
import { formatInstant } from '../domain/instant.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { legName, ownerName } from '../domain/owner.ts';
import { isLive, type PodRecord } from '../domain/pod.ts';
import { findRecord } from '../domain/registry/change.ts';
import { markdownCell } from '../domain/registry/plain-text.ts';
import type { RegistryState } from '../domain/registry/state.ts';
import { saysDeadlines } from '../flows/register.ts';

const LONGEST = 400;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => markdownCell(cell, LONGEST)).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line), ''].join('\n');
}

export type EnteredRow = { readonly record: PodRecord; readonly how: string };

/** All of one owner. */
export function enteredSummary(entered: readonly EnteredRow[], now: number): string {
  const [first] = entered;
  const owner = first === undefined ? '' : ` for ${markdownCell(ownerName(first.record.owner))}`;
  const rows = entered.map(({ record, how }) => [
    record.id,
    how,
    saysDeadlines(record, now),
    `${record.gpu ?? 'no GPU told'} at ${formatUsd(record.costPerHourMicroUsd)}/h`,
  ]);
  const head = ['pod', 'how', 'limits', 'GPU'];
  return `**podtrack**: ${entered.length} pods are registered${owner}\n\n${table(head, rows)}`;
}

/** What ended each pod and why, or why it is still up, with the open ones named first. `state` as it is after; null = unread. */
export function endsSummary(outcomes: readonly Outcome[], state: RegistryState | null, now: number): string {
  const open = outcomes.filter(leavesOpen);
  const head =
    open.length === 0
      ? `${outcomes.length} pod(s) settled`
      : `${open.length} of ${outcomes.length} pods ARE NOT SETTLED`;
  const rows = [...open, ...outcomes.filter((outcome) => !leavesOpen(outcome))].map((outcome) => {
    const record = state === null ? null : findRecord(state, outcome.pod);
    return [
      outcome.pod,
      record === null ? String(outcome.detail['leg'] ?? '') : legName(record.owner),
      stateText(outcome, record),
      record === null ? '' : formatUsd(costOf(record, now, null)),
      leavesOpen(outcome) ? `${outcome.says} (${outcome.kind}: ${outcome.reason})` : outcome.says,
    ];
  });
  return `### podtrack: ${head}\n\n${table(['pod', 'job', 'state', 'cost so far', 'what happened'], rows)}`;
}

function stateText(outcome: Outcome, record: PodRecord | null): string {
  const what = outcome.detail['left'] === true ? 'left up' : (record?.status ?? outcome.kind);
  return record === null || !isLive(record)
    ? what
    : `${what}, until ${formatInstant(record.deadlines.absoluteDeadlineAt)} at the latest`;
}
