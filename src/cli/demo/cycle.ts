/** One reap cycle of the demo, told pod by pod in the cycle's own words. */
import type { Outcome } from '../../domain/outcome.ts';
import type { ReportRow } from '../../domain/report/rows.ts';
import { saysResult } from '../../domain/report/words.ts';
import { reportCycle } from '../../domain/report.ts';
import { actingReaper } from '../../flows/acting.ts';
import { type Cycle, reap } from '../../flows/reap.ts';
import type { Narrator } from './narrator.ts';
import type { Scene } from './scene.ts';
import { Interrupted } from './watch.ts';

const PULL_BUDGET_MS = 20_000;

export async function runCycle(scene: Scene, tell: Narrator): Promise<Cycle> {
  const { world, rules, keys } = scene;
  const cycle = await reap(world, {
    acting: actingReaper(world.chance.uuid(), null),
    rules,
    keys,
    dryRun: false,
    mirror: true,
    pullBudgetMs: PULL_BUDGET_MS,
  });
  if (scene.signal.aborted) throw new Interrupted();
  const report = reportCycle(cycle);
  for (const row of report.rows) tellRow(tell, row, scene.home);
  for (const alarm of report.alarms) tell.tell(`(${alarm.says})`, { alarm: alarm.code });
  tell.tell(`The cycle says: ${saysResult(report)}.`, { exitCode: report.exitCode });
  return cycle;
}

function tellRow(tell: Narrator, row: ReportRow, home: string): void {
  const facts = { verdict: row.verdict, reason: row.reason, outcomes: row.outcomes.map(codeOf).join(' ') };
  const done = row.outcomes.map(({ kind, says }) => `${kind === 'done' ? '' : `${kind}: `}${says}`);
  // An end tells its reason itself.
  const verdict = row.verdict === 'keep' ? [`keep: ${row.says}`] : done.length === 0 ? [row.says] : [];
  const says = [...verdict, ...done].join('; ').replaceAll(home, '$PODTRACK_HOME');
  tell.tell(says, facts, row.name ?? row.pod);
}

function codeOf({ order, kind, reason }: Outcome): string {
  return `${order}:${kind}:${reason}`;
}
