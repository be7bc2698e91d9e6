/** Runs the whole switch table, prints it, and holds it to its word: no cell empty, none late, none refused for another reason. */
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { component } from '../components.ts';
import { makeCertificates } from '../on-pod/certificates.ts';
import { dropTools, mayUnshare } from './box.ts';
import { type Outcome, runCell } from './cell.ts';
import { type Filled, printed } from './print.ts';
import { seats } from './seats.ts';

/** They mostly wait: for their deadline, and between tries. */
const AT_ONCE = 40;
/** One turn of the watchdog, and as much again as a busy machine may take. */
const LATEST_S = 10;

const filled: Filled[] = [];
const may = mayUnshare();

async function runAll(): Promise<void> {
  const certificates = component('openssl') === null ? null : makeCertificates();
  const limit = pLimit(AT_ONCE);
  const no: Outcome = { kind: 'not-run', reason: 'needs root, and leave to give a pod its own mounts' };
  const ran = seats().map((seat) =>
    limit(async () => ({ seat, outcome: may ? await runCell(seat, certificates) : no })),
  );
  filled.push(...(await Promise.all(ran)));
}

const where = ({ seat }: Filled): string => `${seat.image.name}, ${seat.fault.name}, ${seat.shell}`;

describe('the switch table', () => {
  beforeAll(runAll, 600_000);
  afterAll(() => {
    process.stdout.write(`${printed(filled)}\n`);
    dropTools();
  });

  it('has an outcome in every cell', () => {
    expect(filled.map(where)).toEqual(
      seats().map((seat) => where({ seat, outcome: { kind: 'failed', what: '' } })),
    );
    expect(
      filled.filter(({ outcome }) => outcome.kind === 'failed').map((one) => [where(one), one.outcome]),
    ).toEqual([]);
  });

  it('fires soon after the deadline on every image that was armed, and refuses the others with their own reason', () => {
    const wrong = filled.filter(({ seat: { image }, outcome }) => {
      if (outcome.kind === 'not-run') return false;
      if (image.becomes === 'fires') return outcome.kind !== 'fired' || outcome.lateS > LATEST_S;
      return outcome.kind !== 'refused' || !image.becomes.refused.test(outcome.reason);
    });
    expect(wrong.map((one) => [where(one), one.outcome])).toEqual([]);
  });

  it('says of each cell that this machine could not run why not', () => {
    const left = filled.filter(({ outcome }) => outcome.kind === 'not-run');
    expect(left.length === 0 || !may || component('mksh') === null || component('openssl') === null).toBe(
      true,
    );
  });
});
