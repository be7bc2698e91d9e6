/** Results of which only a part came: kept where one can find them, called unverified, and never counted. */
import { describe, expect, it } from 'vitest';
import { WorldError } from '../../src/domain/errors.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import { reportCycle } from '../../src/domain/report.ts';
import type { World } from '../../src/ports.ts';
import { minutes } from '../domain/build.ts';
import { cycles, ended, ours, record, type Stage, stage } from './stage.ts';

const LEFT_AT = '/mirror/.podtrack-p/unverified';

/** A pod whose pull ran out of time after some files, and what was asked to be kept. */
async function halfPulled(leftAt: string | null, keeps = true): Promise<Stage & { kept: string[] }> {
  const on = stage();
  await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(60) } });
  const kept: string[] = [];
  const world: World = {
    ...on.world,
    mirror: {
      ...on.world.mirror,
      pull: () => {
        const told = { tried: 'Pull', cameBack: 'it was not done', state: 'Nothing counts', next: 'Again' };
        throw new WorldError('timed-out', told, { leftAt });
      },
    },
    keep: {
      keep: async ({ place, name }) => {
        kept.push(`${place} as ${name}`);
        return keeps ? seen(`artifact 7`) : unseen('no store');
      },
    },
  };
  return { ...on, world, kept };
}

const unverified = (on: Stage): string[] =>
  on.said.filter(({ line }) => line.includes('UNVERIFIED')).map(({ level, line }) => `${level}: ${line}`);
const parts = (kept: readonly string[]): string[] => kept.filter((line) => !line.endsWith('-evidence'));

describe('a pull that ran out of time', () => {
  it('leaves the pod up while anything can be won, says where the part lies, and keeps nothing as a copy', async () => {
    const on = await halfPulled(LEFT_AT);
    const cycle = await cycles(on, 4);
    expect(ended(on)).toEqual([]);
    expect(parts(on.kept)).toEqual([]);
    expect((await record(on, 'p')).lastMirror).toBeNull();
    const row = reportCycle(cycle).rows.find(({ pod }) => pod === 'p');
    expect([row?.grade, row?.troubles.join()]).toEqual(['red', expect.stringContaining('timed-out')]);
  });

  it('is kept under a name of its own when the absolute deadline ends the pod, and the end is not verified', async () => {
    const on = await halfPulled(LEFT_AT);
    on.clock.jump(minutes(61));
    const { outcomes } = await cycles(on, 1);
    expect((await record(on, 'p')).end).toMatchObject({ reason: 'absolute-deadline', verified: false });
    expect(parts(on.kept)).toEqual([`${LEFT_AT} as podtrack-p-1-unverified`]);
    expect(unverified(on)).toEqual([
      'warning: p: the part of its artifacts that came, UNVERIFIED: artifact 7',
    ]);
    const end = outcomes.find(({ order }) => order === 'teardown');
    expect(end?.says).toContain(
      `artifacts not saved (timed-out: it was not done; what came so far lies unverified in ${LEFT_AT})`,
    );
    expect(end?.detail).toMatchObject({ verified: false });
  });

  it('is named where it lies when no store takes it', async () => {
    const on = await halfPulled(LEFT_AT, false);
    on.clock.jump(minutes(61));
    await cycles(on, 1);
    expect(ended(on)).toEqual(['p']);
    expect(unverified(on)).toEqual([expect.stringContaining(`${LEFT_AT}, and nowhere else (no store)`)]);
  });

  it('of which nothing came leaves nothing to keep', async () => {
    const on = await halfPulled(null);
    on.clock.jump(minutes(61));
    await cycles(on, 1);
    expect(ended(on)).toEqual(['p']);
    expect([parts(on.kept), unverified(on)]).toEqual([[], []]);
  });
});

describe('results that came and are not verified', () => {
  it('are kept as such when the pod must end', async () => {
    const on = stage();
    await ours(on, 'p', { register: { killInMs: minutes(60), killAbsoluteMs: minutes(60) } });
    on.pulls.set('p', 'short');
    on.clock.jump(minutes(61));
    await cycles(on, 1);
    expect((await record(on, 'p')).end).toMatchObject({ verified: false });
    expect(unverified(on)).toEqual([expect.stringContaining('UNVERIFIED: /mirror/p')]);
  });
});
