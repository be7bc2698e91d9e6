/** `npm run bench`: the figures of one run, as ratios. Sections: cycle, cold-start, doors, mirror, registry. `--json` gives the same as data. */

import { parseArgs } from 'node:util';
import { type ColdStart, coldStart, coldStartText } from './cold-start.ts';
import { type Cycles, cycles, cyclesText } from './cycles.ts';
import { type Doors, doors, doorsText } from './doors.ts';
import { type MirrorFigures, mirrorFigures, mirrorText } from './mirror.ts';
import { type RegistryFigures, registryFigures, registryText } from './registry.ts';

const USAGE = `usage: npm run bench -- [cycle|cold-start|doors|mirror|registry] [--quick] [--json] [--cli FILE]
  --quick   each of our figures once instead of the median of three
  --dist    folder of the doors to measure; default dist
  --peers   folder with checkouts of actions/cache and actions/checkout, as cache and checkout
  --cli     the command line to start cold; default dist/cli.js
  --row     of the mirror, only rows whose job and way hold this text, as 'small files, far'
  --json    figures as JSON on stdout; what is being measured goes to stderr`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    cli: { type: 'string', default: 'dist/cli.js' },
    dist: { type: 'string', default: 'dist' },
    peers: { type: 'string' },
    row: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const SECTIONS = ['cycle', 'cold-start', 'doors', 'mirror', 'registry'];
/** Named either way; none = all. */
const only = values.only ?? positionals[0];

async function main(): Promise<number> {
  if (values.help || (only !== undefined && !SECTIONS.includes(only))) {
    process.stderr.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const wants = (section: string): boolean => only === undefined || only === section;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const told: {
    cycle?: Cycles;
    coldStart?: ColdStart;
    doors?: Doors;
    mirror?: MirrorFigures;
    registry?: RegistryFigures;
  } = {};
  if (wants('cold-start')) told.coldStart = await coldStart({ cli: values.cli, say });
  if (wants('doors')) {
    const { dist, peers = null, quick } = values;
    told.doors = await doors({ dist, peers, quick, say });
  }
  if (wants('cycle')) told.cycle = await cycles({ quick: values.quick, say });
  if (wants('mirror')) told.mirror = await mirrorFigures({ quick: values.quick, row: values.row, say });
  if (wants('registry')) told.registry = await registryFigures({ quick: values.quick, say });
  if (values.json) process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
  else {
    const texts = [
      ...(told.cycle === undefined ? [] : [cyclesText(told.cycle)]),
      ...(told.coldStart === undefined ? [] : [coldStartText(told.coldStart)]),
      ...(told.doors === undefined ? [] : [doorsText(told.doors)]),
      ...(told.mirror === undefined ? [] : [mirrorText(told.mirror)]),
      ...(told.registry === undefined ? [] : [registryText(told.registry)]),
    ];
    process.stdout.write(`\n${texts.join('\n\n')}\n`);
  }
  return told.coldStart?.built === false || told.doors?.built === false ? 1 : 0;
}

process.exitCode = await main();
