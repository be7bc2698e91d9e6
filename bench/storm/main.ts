/** `npm run storm`: many writers, lost answers and sudden deaths on one registry, and what of it is left. See bench/README.md. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FanOut, fanOut } from './fan-out.ts';
import { type StormResult, storm } from './storm.ts';
import { stormTable } from './table.ts';
import type { Server } from './task.ts';

const { values } = parseArgs({
  options: {
    writers: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '60' },
    drop: { type: 'string', default: '0.25' },
    seed: { type: 'string', default: '1' },
    server: { type: 'string', default: 'both' },
    force: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const FAN_OUT_JOBS = 256;

const USAGE = `usage: npm run storm -- [--writers 64] [--seconds 60] [--drop 0.25] [--seed 1] [--server git|github|both] [--force] [--json]
  --force   negative control: a vandal pushes by force among them; the verifier must see it, and the exit code is 1`;

async function main(): Promise<number> {
  const servers: readonly Server[] =
    values.server === 'git' ? ['git'] : values.server === 'github' ? ['github'] : ['git', 'github'];
  const [writers, seconds, drop, seed] = [values.writers, values.seconds, values.drop, values.seed].map(
    Number,
  );
  if (values.help || ![writers, seconds, drop, seed].every((each) => Number.isFinite(each))) {
    process.stderr.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const results: StormResult[] = [];
  const fanOuts: FanOut[] = [];
  for (const server of servers) {
    process.stderr.write(`${server}: ${writers} writers and a reaper for ${seconds} s …\n`);
    const program = join(import.meta.dirname, 'writer-process.js');
    const size = { writers: writers ?? 0, seconds: seconds ?? 0, drop: drop ?? 0, seed: seed ?? 0 };
    results.push(await storm({ server, ...size, force: values.force, program }));
    fanOuts.push(await fanOut(server, FAN_OUT_JOBS));
  }
  const table = values.json
    ? JSON.stringify({ storms: results, fanOuts }, null, 2)
    : `\n${stormTable(results, fanOuts)}`;
  process.stdout.write(`${table}\n`);
  const entered = fanOuts.every(({ jobs, registered, calls }) => registered === jobs && calls.length === 2);
  return entered && results.every(({ violations }) => violations.length === 0) ? 0 : 1;
}

process.exitCode = await main();
