/** `npm run bench`: the figures of one run, as ratios. Sections: cycle, cold-start. `--json` gives the same as data. */
import { parseArgs } from 'node:util';
import { type ColdStart, coldStart, coldStartText } from './cold-start.ts';
import { type Cycles, cycles, cyclesText } from './cycles.ts';

const USAGE = `usage: npm run bench -- [--only cycle|cold-start] [--quick] [--json] [--cli FILE]
  --quick   each of our figures once instead of the median of three
  --cli     the command line to start cold; default dist/cli.js
  --json    figures as JSON on stdout; what is being measured goes to stderr`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    cli: { type: 'string', default: 'dist/cli.js' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const SECTIONS = ['cycle', 'cold-start'];

async function main(): Promise<number> {
  if (values.help || (values.only !== undefined && !SECTIONS.includes(values.only))) {
    process.stderr.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const wants = (section: string): boolean => values.only === undefined || values.only === section;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const told: { cycle?: Cycles; coldStart?: ColdStart } = {};
  if (wants('cold-start')) told.coldStart = await coldStart({ cli: values.cli, say });
  if (wants('cycle')) told.cycle = await cycles({ quick: values.quick, say });
  if (values.json) process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
  else {
    const texts = [
      ...(told.cycle === undefined ? [] : [cyclesText(told.cycle)]),
      ...(told.coldStart === undefined ? [] : [coldStartText(told.coldStart)]),
    ];
    process.stdout.write(`\n${texts.join('\n\n')}\n`);
  }
  return told.coldStart?.built === false ? 1 : 0;
}

process.exitCode = await main();
