/** The switch table as people read it: a row an image, a column a fault, and in each cell the shell and what came of it. */
import Table from 'cli-table3';
import type { Outcome, Seat, Shell } from './cell.ts';
import { FAULTS } from './faults.ts';
import { IMAGES, type Image } from './images.ts';

export type Filled = { readonly seat: Seat; readonly outcome: Outcome };

const LETTERS: Readonly<Record<Shell, string>> = { dash: 'd', bash: 'b', busybox: 'a', mksh: 'm' };

const LEGEND = `Shells: d = dash, b = bash, a = BusyBox ash, m = mksh. "d +1s/3": under dash, fired 1 s after its deadline by the
pod's own clock (turns of 1 s) and proven gone by try 3; each fault lasts for two tries. Every image meets every fault; the shells
go round, so that each meets every image and every fault.`;

function short({ seat, outcome }: Filled): string {
  const shell = LETTERS[seat.shell];
  if (outcome.kind === 'fired') return `${shell} +${outcome.lateS}s/${outcome.tries}`;
  return outcome.kind === 'not-run' ? `${shell} not run` : `${shell} FAILED`;
}

function title({ name, simulated }: Image): string {
  return simulated === undefined ? name : `${name} (simulated: ${simulated})`;
}

function rowOf(image: Image, filled: readonly Filled[]): (string | { content: string; colSpan: number })[] {
  const own = filled.filter(({ seat }) => seat.image === image);
  if (image.becomes === 'fires')
    return [
      title(image),
      ...FAULTS.map((fault) =>
        own
          .filter(({ seat }) => seat.fault === fault)
          .map(short)
          .join(' '),
      ),
    ];
  const told = own.map(({ seat, outcome }) => `${LETTERS[seat.shell]}: ${wordsOf(outcome)}`);
  const [first = ''] = own.map(({ outcome }) => wordsOf(outcome));
  const same = own.every(({ outcome }) => wordsOf(outcome) === first);
  const letters = own.map(({ seat }) => LETTERS[seat.shell]).join(' ');
  return [title(image), { content: same ? `${letters}: ${first}` : told.join('; '), colSpan: FAULTS.length }];
}

function wordsOf(outcome: Outcome): string {
  if (outcome.kind === 'refused') return `arm refused: ${outcome.reason}`;
  if (outcome.kind === 'fired') return 'FIRED, though it should have been refused';
  return outcome.kind === 'not-run' ? `not run: ${outcome.reason}` : `FAILED: ${outcome.what}`;
}

export function printed(filled: readonly Filled[]): string {
  const table = new Table({
    head: ['image \\ fault', ...FAULTS.map(({ name }) => name)],
    style: { head: [], border: [], compact: true },
    colWidths: [34, ...FAULTS.map(() => 10)],
    wordWrap: true,
  });
  for (const image of IMAGES) table.push(rowOf(image, filled));
  const left = filled.flatMap(({ seat, outcome }) =>
    outcome.kind === 'not-run' || outcome.kind === 'failed'
      ? [`${seat.image.name}, ${seat.fault.name}, ${seat.shell}: ${wordsOf(outcome)}`]
      : [],
  );
  return [table.toString(), LEGEND, ...left].join('\n');
}
