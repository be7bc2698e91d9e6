/** A heart that beats beside a GPU at rest while no result changes: somebody is told, and nothing is ended. */
import { describe, expect, it } from 'vitest';
import { seen } from '../../src/domain/part.ts';
import { reportCycle } from '../../src/domain/report.ts';
import type { Cycle } from '../../src/flows/reap.ts';
import { reap } from '../../src/flows/reap.ts';
import { minutes } from '../domain/build.ts';
import { cycles, ended, ours, reapOptions, type Stage, stage, verdicts } from './stage.ts';

const told = (cycle: Cycle): string[] =>
  reportCycle({
    plan: cycle.plan,
    outcomes: cycle.outcomes,
    listing: seen({ pods: [], malformed: [] }),
    balance: seen({ id: 'user_1', balanceMicroUsd: 0, spendPerHourMicroUsd: 0 }),
    dryRun: false,
    swept: true,
    lastSweepBefore: null,
  }).rows.flatMap((row) =>
    row.troubles.filter((one) => one.startsWith('hollow-heartbeat')).map(() => row.grade),
  );

async function beating(util = '0'): Promise<Stage> {
  const on = stage();
  await ours(on, 'p', { switched: { heartbeatAgeS: 60, util } });
  return on;
}

describe('a fresh heartbeat', () => {
  it('with a GPU at rest and results that have not changed for the idle window warns, and ends nothing', async () => {
    const on = await beating();
    expect(told(await cycles(on, 3))).toEqual([]);
    on.clock.jump(minutes(5));
    const cycle = await cycles(on, 1);
    expect(verdicts(cycle)).toEqual({ p: 'heartbeat-fresh' });
    expect(cycle.plan.pods[0]?.verdict.evidence).toEqual({ gpu: 'idle' });
    expect(told(cycle)).toEqual(['warn']);
    on.clock.jump(minutes(5));
    expect(told(await cycles(on, 6))).toEqual(['warn']);
    expect(ended(on)).toEqual([]);
  });

  it('is not doubted while its results grow (case C20)', async () => {
    const on = await beating();
    for (let cycle = 0; cycle < 6; cycle += 1) {
      on.files.set('p', { 'model.bin': 'x'.repeat(100 * (cycle + 1)) });
      expect(told(await reap(on.world, reapOptions()))).toEqual([]);
      on.clock.jump(minutes(5));
    }
  });

  it('is not doubted while the GPU works, nor where nobody looks at the results', async () => {
    expect(told(await cycles(await beating('97'), 6))).toEqual([]);
    expect(told(await cycles(await beating(), 6, minutes(5), { mirror: false }))).toEqual([]);
  });
});
