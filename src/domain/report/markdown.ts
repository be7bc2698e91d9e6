/** A report as Markdown for a job summary: sums first, worst first, bounded in size, and harmless whatever pods are called. */
import { formatUsd } from '../budget.ts';
import { formatInstant } from '../instant.ts';
import { markdownCell } from '../registry/plain-text.ts';
import type { CycleReport } from '../report.ts';
import type { ReportRow } from './rows.ts';
import { saysAttempts, saysCounts, saysLeft, saysMoney, saysResult, saysUnasked } from './words.ts';

/** A summary over 1 MiB is dropped whole, so it stays well below. Everything written is ASCII: one byte a character. */
export const SUMMARY_BYTES = 900_000;

const LONGEST_CELL = 200;
const HEAD = ['pod', 'owner', 'verdict', 'reason', 'owner deadline', 'so far', 'what happened'];

export function reportMarkdown(report: CycleReport, mostBytes: number = SUMMARY_BYTES): string {
  const top = [
    `### podtrack: ${saysResult(report)}`,
    '',
    `${saysCounts(report)}. ${saysAttempts(report)}.`,
    '',
    // The reason of an unknown balance is foreign text.
    `${markdownCell(saysMoney(report.totals), 400)}.`,
    '',
    ...saysUnasked(report).flatMap((line) => [`${markdownCell(line, 400)}.`, '']),
    ...report.alarms.map((alarm) => `- **${alarm.grade}** ${markdownCell(alarm.says, 400)}`),
    ...(report.alarms.length > 0 ? [''] : []),
  ];
  return [...bounded(top, mostBytes / 2), ...table(report, mostBytes / 2)].join('\n');
}

function table(report: CycleReport, mostBytes: number): string[] {
  if (report.rows.length === 0) return ['No pods.', ''];
  const head = [`| ${HEAD.join(' | ')} |`, `|${' --- |'.repeat(HEAD.length)}`];
  const rows = report.rows.map((row) => rowLine(row, report));
  const shown = bounded(rows, mostBytes - 1000);
  const left = rows.length - shown.length;
  const more = left === 0 ? [] : ['', `${left} more pod(s) are left out here, none worse than the last row.`];
  return [...head, ...shown, ...more, ''];
}

function bounded(lines: readonly string[], mostBytes: number): string[] {
  let bytes = 0;
  return lines.filter((line) => {
    bytes += line.length + 1;
    return bytes <= mostBytes;
  });
}

function rowLine(row: ReportRow, report: CycleReport): string {
  const cells = [
    row.pod,
    row.owner ?? '-',
    row.verdict ?? row.kind,
    row.reason,
    saysLeft(row.ownerDeadlineAt, report.at),
    formatUsd(row.costMicroUsd),
    whatHappened(row, report.dryRun),
  ];
  const mark = row.grade === 'ok' ? '' : `**${row.grade}** `;
  return `| ${mark}${cells.map((cell) => markdownCell(cell, LONGEST_CELL)).join(' | ')} |`;
}

/** The troubles if there are some, else what was done, else why it lives. */
export function whatHappened(row: ReportRow, dryRun: boolean): string {
  if (row.troubles.length > 0) return row.troubles.join('; ');
  if (dryRun && row.orders.length > 0) return `${row.says}; would: ${row.orders.join(', ')}`;
  const done = row.outcomes.map((outcome) => outcome.says);
  return row.verdict === 'keep' || done.length === 0 ? [row.says, ...done].join('; ') : done.join('; ');
}

/** One line of plain text per red row and alarm, for annotations; the caller cleans it for its own channel. */
export function redLines(report: CycleReport): readonly string[] {
  return [
    ...report.alarms.filter((alarm) => alarm.grade === 'red').map((alarm) => alarm.says),
    ...report.rows
      .filter((row) => row.grade === 'red')
      .map((row) => `${row.pod}: ${row.troubles.join('; ')} (${formatInstant(report.at)})`),
  ];
}
