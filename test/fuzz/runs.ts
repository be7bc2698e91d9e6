/** How long the fuzzers go on: briefly in `npm test`, long in `npm run fuzz`; each says how much it did. */

const LONG = process.env['MODE'] === 'fuzz';

/** `brief` rounds in the tests, `long` ones on request. */
export function rounds(brief: number, long: number): number {
  return LONG ? long : brief;
}

/** One line that stays in the output: what was tried, and what of it each outcome met. */
export function tell(what: string, counts: ReadonlyMap<string, number>): void {
  const all = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  process.stdout.write(`fuzz: ${what}: ${all}\n`);
}

export class Tally {
  readonly counts = new Map<string, number>();

  add(outcome: string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }
}
