/** A cycle's report on a terminal: the result, the alarms, every pod once with why, the sums and the money. */
import { plainLine } from '../../adapters/plain-line.ts';
import { formatUsd } from '../../domain/budget.ts';
import { whatHappened } from '../../domain/report/markdown.ts';
import type { Grade, ReportRow } from '../../domain/report/rows.ts';
import {
  saysAttempts,
  saysCounts,
  saysLeft,
  saysMoney,
  saysResult,
  saysUnasked,
} from '../../domain/report/words.ts';
import type { CycleReport } from '../../domain/report.ts';
import type { Mood, Page } from '../call.ts';
import { type Column, table } from './table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'POD', width: 15 },
  { title: 'VERDICT', width: 21 },
  { title: 'OWNER', width: null },
  { title: 'OWNER DEADLINE', width: 14 },
  { title: 'SO FAR', width: 8, align: 'right' },
];

const MOST_FOREIGN = 6;

export function cycleLines(report: CycleReport, page: Page): readonly string[] {
  const shown = report.rows.filter((row) => row.kind !== 'foreign');
  return [
    page.paint(moodOf(report), saysResult(report)),
    ...report.alarms.map(({ grade, says }) => `${page.paint(grade, grade)}: ${plainLine(says)}`),
    '',
    ...table(
      COLUMNS,
      shown.map((row) => ({
        cells: cellsOf(row, report),
        mood: row.grade,
        detail: whatHappened(row, report.dryRun),
      })),
      page,
    ),
    ...foreignLine(report),
    ...(shown.length > 0 ? [''] : []),
    saysCounts(report),
    ...(report.dryRun ? [] : [saysAttempts(report)]),
    plainLine(saysMoney(report.totals)),
    ...saysUnasked(report).map(plainLine),
  ];
}

function moodOf({ exitCode, counts, alarms }: CycleReport): Mood {
  if (exitCode !== 0) return 'red';
  return counts.warn + alarms.length > 0 ? 'warn' : 'ok';
}

function cellsOf(row: ReportRow, report: CycleReport): readonly string[] {
  const mark: Readonly<Record<Grade, string>> = { ok: '', warn: '', red: '! ' };
  return [
    `${mark[row.grade]}${row.pod}`,
    `${row.verdict ?? row.kind} ${row.reason}`,
    row.owner ?? '-',
    saysLeft(row.ownerDeadlineAt, report.at),
    formatUsd(row.costMicroUsd),
  ];
}

/** Foreign pods are told in one line: they are nobody's business here. */
function foreignLine({ rows }: CycleReport): string[] {
  const foreign = rows.filter((row) => row.kind === 'foreign').map((row) => row.pod);
  if (foreign.length === 0) return [];
  const named = foreign.slice(0, MOST_FOREIGN).join(', ');
  const more = foreign.length > MOST_FOREIGN ? ` and ${foreign.length - MOST_FOREIGN} more` : '';
  return ['', plainLine(`foreign, left alone: ${named}${more}`)];
}
