/** Many cut runs beside each other, each in a world of its own; one line for each as it ends, and the sums at the end. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { cutRun, type Trace } from './cut-run.ts';
import type { Ground } from './ground.ts';
import { nameOf, type Point, pointsOf } from './points.ts';
import { judge, type Verdict } from './verdict.ts';

export type Row = { readonly point: Point; readonly trace: Trace; readonly verdict: Verdict };

/** Every point of the job, from a run that nobody cuts. */
export async function allPoints(ground: Ground): Promise<readonly Point[]> {
  const uncut = await cutRun(ground, null);
  const { problems } = judge(uncut);
  if (problems.length > 0)
    throw new Error(`the uncut run is not sound: ${problems.join('; ')}\n${uncut.log.join('\n')}`);
  return pointsOf(uncut.places);
}

async function rowOf(ground: Ground, point: Point): Promise<Row> {
  const trace = await cutRun(ground, point);
  // What runs beside each other inside a door may fall another way: a place that was passed by is tried once more.
  const again = trace.wasCut ? trace : await cutRun(ground, point);
  return { point, trace: again, verdict: judge(again) };
}

export async function sweep(
  ground: Ground,
  points: readonly Point[],
  how: { readonly atOnce: number; onRow(row: Row): void },
): Promise<readonly Row[]> {
  const limit = pLimit(how.atOnce);
  return await Promise.all(
    points.map((point) =>
      limit(async () => {
        const row = await rowOf(ground, point);
        how.onRow(row);
        return row;
      }),
    ),
  );
}

export function lineOf({ point, trace, verdict }: Row): string {
  const { number, place, cut } = point;
  const cells = [
    String(number).padStart(4),
    nameOf(place).padEnd(66),
    cut.padEnd(12),
    verdict.ended.padEnd(20),
    verdict.safety.padEnd(18),
    `${(trace.tookMs / 1000).toFixed(1)} s`.padStart(7),
    verdict.problems.length === 0 ? 'ok' : `VIOLATION: ${verdict.problems.join('; ')}`,
  ];
  return cells.join('  ');
}

/** Where everything that a run said can be read; the path. */
export function writeLog(folder: string, { point, trace }: Row): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `point-${point.number}.log`);
  const places = ['== what was seen', ...trace.places.map(nameOf)];
  writeFileSync(path, [...trace.log, ...places, ''].join('\n'));
  return path;
}

function counted(rows: readonly Row[], of: (row: Row) => string): string {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

export function sumsOf(rows: readonly Row[]): readonly string[] {
  return [
    `${rows.length} cuts at ${new Set(rows.map(({ point }) => nameOf(point.place))).size} places`,
    `  by kind:    ${counted(rows, ({ point }) => point.cut)}`,
    `  by part:    ${counted(rows, ({ point }) => point.place.part)}`,
    `  ended by:   ${counted(rows, ({ verdict }) => verdict.ended)}`,
    `  results:    ${counted(rows, ({ verdict }) => verdict.safety)}`,
    `  violations: ${rows.filter(({ verdict }) => verdict.problems.length > 0).length}`,
  ];
}
