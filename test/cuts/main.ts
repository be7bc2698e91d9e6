/** The cut-point sweep as a command: all points, a sample, or one by its number with everything that it said. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openGround } from './ground.ts';
import { type Point, sampleOf } from './points.ts';
import { allPoints, lineOf, type Row, sumsOf, sweep, writeLog } from './sweep.ts';

const LOGS = fileURLToPath(new URL('../../.cache/cuts', import.meta.url));

const USAGE = `usage: npm run cuts -- [--point N] [--sample N] [--from N] [--at-once N] [--dist FOLDER]
  (nothing)        every point
  --point N        that one, with everything that was said
  --sample N       about so many, spread over all
  --from N         from this point on
  --at-once N      so many worlds beside each other; default: three for each core
  --dist FOLDER    another bundle than dist/ (which is built aside while the sources are newer)`;

type Wish = {
  readonly point: number | null;
  readonly sample: number | null;
  readonly from: number;
  readonly atOnce: number;
  readonly dist: string | null;
};

function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`'${text}' is no number\n${USAGE}`);
  return Number(text);
}

function wishOf(args: readonly string[]): Wish {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { point: text, sample: text, from: text, 'at-once': text, dist: text },
  });
  return {
    point: numberOf(values.point),
    sample: numberOf(values.sample),
    from: numberOf(values.from) ?? 1,
    atOnce: numberOf(values['at-once']) ?? 3 * availableParallelism(),
    dist: values.dist === undefined ? null : resolve(values.dist),
  };
}

function chosen(points: readonly Point[], { point, sample, from }: Wish): readonly Point[] {
  if (point !== null) {
    const one = points.filter(({ number }) => number === point);
    if (one.length === 0) throw new Error(`there is no point ${point}: there are ${points.length}`);
    return one;
  }
  const rest = points.filter(({ number }) => number >= from);
  return sample === null ? rest : sampleOf(rest, sample);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell(row: Row, inFull: boolean): void {
  say(lineOf(row));
  if (inFull) for (const line of row.trace.log) say(line);
  if (row.verdict.problems.length > 0)
    say(`      ${writeLog(LOGS, row)}; npm run cuts -- --point ${row.point.number}`);
}

/** Ends with exit code 1 where a rule was broken. */
export async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return say(USAGE);
  const wish = wishOf(args);
  const startedAt = Date.now();
  const ground = await openGround(wish.dist ?? undefined);
  try {
    const points = await allPoints(ground);
    const wanted = chosen(points, wish);
    say(`${points.length} points, of which ${wanted.length} are cut; ${wish.atOnce} at once`);
    const onRow = (row: Row): void => tell(row, wish.point !== null);
    const rows = await sweep(ground, wanted, { atOnce: wish.atOnce, onRow });
    for (const line of sumsOf(rows)) say(line);
    say(`  took:       ${((Date.now() - startedAt) / 60_000).toFixed(1)} min`);
    if (rows.some(({ verdict }) => verdict.problems.length > 0)) process.exitCode = 1;
  } finally {
    await ground.close();
  }
}
