/** What a storm left, as a table for people. */
import type { FanOut } from './fan-out.ts';
import type { StormResult } from './storm.ts';

const ROWS: readonly (readonly [string, (of: StormResult) => string | number])[] = [
  ['writers, and a reaper', ({ wish }) => wish.writers],
  ['seconds, and the time to drain', ({ wish }) => wish.seconds],
  ['writers killed (SIGKILL)', ({ killed }) => killed],
  ['requests', ({ answers }) => answers.asked],
  ['answers lost', ({ answers }) => `${answers.lost} (${percent(answers.lost, answers.asked)})`],
  ['operations acknowledged', ({ acknowledged }) => acknowledged],
  ['  of them queued', ({ queued }) => queued],
  ['events in the history', ({ events }) => events],
  ['  of them folded from the queue', ({ folded }) => folded],
  ['commits', ({ commits }) => commits],
  ['the reaper: writes', ({ reaper }) => reaper.writes],
  ['  of them queued', ({ reaper }) => reaper.queued],
  ['  failed for want of a commit', ({ reaper }) => failures(reaper.failed, CONTENDED)],
  ['  failed for lost answers', ({ reaper }) => failures(reaper.failed, LOST)],
  ['  most tries of one', ({ reaper }) => reaper.worstTries],
  ['  longest own backoff of one, ms', ({ reaper }) => reaper.worstBackoffMs],
  ['lost (I1)', ({ violations }) => count(violations, 'I1 lost')],
  ['doubled (I1)', ({ violations }) => count(violations, 'I1 doubled')],
  ['history not linear (I2)', ({ violations }) => count(violations, 'I2')],
  ['tree not the fold of its ops (I3)', ({ violations }) => count(violations, 'I3')],
  ['written and never sent, or refused (I4)', ({ violations }) => count(violations, 'I4')],
  ['out of order (I5)', ({ violations }) => count(violations, 'I5')],
  ['all violations', ({ violations }) => violations.length],
];

const FAN_OUT: readonly (readonly [string, (of: FanOut) => string | number])[] = [
  ['jobs with register-many', ({ jobs }) => jobs],
  ['  of them registered', ({ registered }) => registered],
  ['  calls to the registry', ({ calls }) => calls.length],
  ['  requests to the server', ({ requests }) => requests],
];

const CONTENDED = ['conflict', 'rate-limited'];
const LOST = ['registry-unreadable', 'outcome-unknown'];

function failures(failed: StormResult['reaper']['failed'], kinds: readonly string[]): number {
  return kinds.reduce((sum, kind) => sum + (failed[kind] ?? 0), 0);
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`;
}

function count(violations: readonly string[], kind: string): number {
  return violations.filter((each) => each.startsWith(kind)).length;
}

export function stormTable(results: readonly StormResult[], fanOuts: readonly FanOut[]): string {
  const width = Math.max(...ROWS.map(([name]) => name.length)) + 2;
  const heads = results.map(({ wish }) => (wish.server === 'git' ? 'git over HTTP' : 'GitHub API'));
  const line = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(16)).join('')}`;
  const rows = ROWS.map(([name, of]) => line(name, results.map(of)));
  const entered = FAN_OUT.map(([name, of]) => line(name, fanOuts.map(of)));
  const told = results.flatMap(({ wish, violations }) =>
    violations.slice(0, 5).map((each) => `${wish.server}: ${each}`),
  );
  return [line('', heads), ...rows, ...entered, ...(told.length === 0 ? [] : ['', ...told])].join('\n');
}
