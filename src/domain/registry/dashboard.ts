/** The README.md of the registry branch: what a person sees who opens the branch in a browser. */
import { ownerDeadlineAt } from '../deadlines.ts';
import { formatInstant } from '../instant.ts';
import { ownerName } from '../owner.ts';
import { isLive, type PodRecord } from '../pod.ts';
import { markdownCell } from './plain-text.ts';
import type { RegistryState } from './state.ts';

export const DASHBOARD_ROWS = 200;

const HEAD = ['pod', 'status', 'owner', 'GPU', '$/h', 'owner deadline', 'absolute deadline', 'last verdict'];

/** The `most` records of the least `by`, in that order; a tie by id. Ten thousand records are not sorted for two hundred rows. */
function least(records: readonly PodRecord[], by: (of: PodRecord) => number, most: number): PodRecord[] {
  const last = Float64Array.from(records, by).sort()[most - 1] ?? Number.POSITIVE_INFINITY;
  const near = records.filter((of) => by(of) <= last);
  return near.sort((left, right) => by(left) - by(right) || (left.id < right.id ? -1 : 1)).slice(0, most);
}

/** Live pods first, the nearest deadline on top; then promises; then the ended ones, newest first. */
function shownOf(records: readonly PodRecord[]): readonly PodRecord[] {
  const deadline = (of: PodRecord): number => ownerDeadlineAt(of.deadlines);
  const live = records.filter(isLive);
  const promised = records.filter(({ status }) => status === 'intent');
  const ended = records.filter(({ status }) => status === 'terminated' || status === 'lost');
  const rows = [...least(live, deadline, DASHBOARD_ROWS), ...least(promised, deadline, DASHBOARD_ROWS)];
  const left = DASHBOARD_ROWS - rows.length;
  return [...rows, ...(left > 0 ? least(ended, (of) => -of.updatedAt, left) : [])].slice(0, DASHBOARD_ROWS);
}

function minute(at: number): string {
  return formatInstant(at).slice(0, 16).replace('T', ' ');
}

function row(record: PodRecord): string {
  const price = record.costPerHourMicroUsd;
  const verdict = record.end?.reason ?? record.fence?.reason ?? record.lastVerdict?.reason ?? '';
  const cells = [
    record.id,
    record.status,
    ownerName(record.owner),
    record.gpu ?? '',
    price === null ? '' : (price / 1e6).toFixed(2),
    minute(ownerDeadlineAt(record.deadlines)),
    minute(record.deadlines.absoluteDeadlineAt),
    verdict,
  ];
  return `| ${cells.map((cell) => markdownCell(cell)).join(' | ')} |`;
}

/** Depends on the state alone, so an unchanged state writes an unchanged file. Times are UTC. */
export function dashboard(state: RegistryState): string {
  const records = Object.values(state.pods);
  const count = (status: PodRecord['status']): number => records.filter((of) => of.status === status).length;
  const shown = shownOf(records);
  const left = records.length - shown.length;
  return [
    '# podtrack registry',
    '',
    'Written by podtrack in commits that it makes anyway. Do not edit by hand; `git log` of this branch is the diary.',
    '',
    `${count('active')} active, ${count('terminating')} ending, ${count('intent')} intended, ` +
      `${count('terminated')} terminated, ${count('lost')} lost, ${state.quarantined.length} damaged files.`,
    '',
    `| ${HEAD.join(' | ')} |`,
    `|${' --- |'.repeat(HEAD.length)}`,
    ...shown.map(row),
    ...(left > 0 ? ['', `${left} more are not shown.`] : []),
    ...(state.quarantined.length > 0 ? ['', '## Damaged files', ''] : []),
    ...state.quarantined
      .slice(0, 20)
      .map((file) => `- ${markdownCell(file.path)}: ${markdownCell(file.problem)}`),
    '',
  ].join('\n');
}

/** The dashboard is no source: it makes no diffs and counts in no statistics. */
export const ATTRIBUTES = '* text eol=lf\nREADME.md -diff linguist-generated\n*.json linguist-generated\n';
