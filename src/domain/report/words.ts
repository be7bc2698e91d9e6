/** The sentences that every form of a report shares: sums and money, in plain words. */
import { formatUsd } from '../budget.ts';
import { formatDuration, SECOND_MS } from '../duration.ts';
import { formatInstant } from '../instant.ts';
import type { CycleReport } from '../report.ts';
import type { Totals } from './sums.ts';

/** `1 problem, 2 warnings: exit 1`, or that all is well. */
export function saysResult({ counts, alarms, exitCode, dryRun }: CycleReport): string {
  const red = counts.red + alarms.filter((alarm) => alarm.grade === 'red').length;
  const warn = counts.warn + alarms.filter((alarm) => alarm.grade === 'warn').length;
  const well = red + warn === 0 ? 'all well' : `${plural(red, 'problem')}, ${plural(warn, 'warning')}`;
  return `${dryRun ? 'dry run, ' : ''}${well}: exit ${exitCode}`;
}

export function saysCounts({ counts, dryRun }: CycleReport): string {
  const ends = dryRun ? `${counts.toEnd} would be ended` : `${counts.ended} of ${counts.toEnd} ended`;
  const parts = [
    `${plural(counts.ours, 'pod')} of ours: ${counts.kept} kept, ${ends}, ${counts.gone} found gone`,
    ...(counts.strays > 0 ? [plural(counts.strays, 'stray')] : []),
    ...(counts.foreign > 0 ? [`${counts.foreign} foreign, left alone`] : []),
    ...(counts.malformed > 0 ? [`${counts.malformed} unreadable`] : []),
  ];
  return parts.join('; ');
}

export function saysAttempts({ counts }: CycleReport): string {
  return `orders: ${counts.attempted} attempted = ${counts.done} done + ${counts.failed} failed + ${counts.other} other`;
}

export function saysMoney({ balance, costSoFar, perHour }: Totals): string {
  const account =
    balance.kind === 'seen'
      ? `balance ${formatUsd(balance.value.balanceMicroUsd)}, account spends ${formatUsd(balance.value.spendPerHourMicroUsd)}/h`
      : `balance unknown (${balance.reason})`;
  return `${account}; our live pods ${known(perHour)}/h, ${known(costSoFar)} so far`;
}

function known(sum: { readonly microUsd: number; readonly unknown: number }): string {
  return sum.unknown === 0
    ? formatUsd(sum.microUsd)
    : `${formatUsd(sum.microUsd)} (+ ${sum.unknown} unknown)`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Nothing where every run was asked for: working without the answer is allowed, and always said. */
export function saysUnasked({ unasked }: CycleReport): readonly string[] {
  if (unasked === null) return [];
  const { pods, why } = unasked;
  return [
    `Whether the run that owns it is over is unknown for ${plural(pods, 'pod')} (${why}): deadline and idleness alone end such a pod`,
  ];
}

/** RFC 3339 to the second: people do not read milliseconds. */
export function saysInstant(at: number): string {
  return formatInstant(Math.floor(at / SECOND_MS) * SECOND_MS);
}

/** Time to a deadline: `2 h 5 min`, `3 min late`, or `-` where there is none. */
export function saysLeft(at: number | null, now: number): string {
  if (at === null) return '-';
  return at < now ? `${formatDuration(now - at)} late` : formatDuration(at - now);
}
