/** Teardown of all that a run still holds: whose pods are ended, and whose are left alone. */
import { expect, it } from 'vitest';
import { forTheRun, type Owner } from '../../src/domain/owner.ts';
import { seen } from '../../src/domain/part.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { teardownRun } from '../../src/flows/ending/teardown-run.ts';
import { inLanes } from '../../src/flows/lanes.ts';
import { keepFor } from '../../src/flows/move-deadline.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { ended, ours, record, type Stage, stage } from './stage.ts';

const me = anOwner({ uuid: 'u-me', job: 'clean', checkRunId: '99' });
const acting = actingOwner(me, null);
const OVER = seen({ state: 'completed' as const, completedAt: NOW, conclusion: 'failure' });
const RUNNING = seen({ state: 'in-progress' as const });

const leg = (name: string): Owner =>
  anOwner({ uuid: `u-${name}`, job: 'train', matrix: `{"pod":"${name}"}`, checkRunId: '7' });

const inputOf = (forcedBecause: string | null) => ({
  ...{ acting, owner: me, forcedBecause, skipPull: false, choice: null, placeOf: () => null },
  ...{ pullBudgetMs: minutes(5), waitMs: 0 },
});

async function endRun(on: Stage, forcedBecause: string | null = null): Promise<Record<string, string>> {
  const outcomes = await teardownRun(on.world, inputOf(forcedBecause));
  return Object.fromEntries(outcomes.map(({ pod, kind, reason }) => [pod, `${kind}: ${reason}`]));
}

it('C66: ends what nobody took on, what jobs that are over left, and its own; other runs are no matter of it', async () => {
  const on = stage();
  await ours(on, 'nobodys', { owner: forTheRun(leg('nobodys')) });
  await ours(on, 'left', { owner: leg('left') });
  await ours(on, 'mine', { owner: me });
  await ours(on, 'foreign', { owner: anOwner({ key: null, label: 'laptop', uuid: 'u-foreign' }) });
  on.owners.set('u-left', OVER);
  expect(await endRun(on)).toEqual({
    left: 'done: requested',
    mine: 'done: requested',
    nobodys: 'done: requested',
  });
  expect(ended(on).sort()).toEqual(['left', 'mine', 'nobodys']);
  expect((await record(on, 'left')).owner).toMatchObject({ uuid: 'u-me', job: 'clean' });
  expect(await endRun(on)).toEqual({});
});

it('leaves a job that still runs its pod, and a kept one its time; force with a reason takes both', async () => {
  const on = stage();
  await ours(on, 'busy', { owner: leg('busy') });
  const kept = await ours(on, 'kept', { owner: leg('kept') });
  on.owners.set('u-busy', RUNNING).set('u-kept', OVER);
  const keeper = { acting: actingOwner(kept.owner, null), owner: kept.owner, podId: 'kept' };
  await keepFor(on.world, { ...keeper, forMs: minutes(20), reason: 'look at the crash' });
  expect(await endRun(on)).toEqual({ busy: 'done: not-mine', kept: 'done: kept' });
  expect(ended(on)).toEqual([]);
  expect(await endRun(on, 'the budget is used up')).toEqual({ busy: 'done: forced', kept: 'done: forced' });
});

it('where nothing is known of the job that owns a pod, the pod is left and that is an open end', async () => {
  const on = stage();
  await ours(on, 'unknown', { owner: leg('unknown') });
  await ours(on, 'left', { owner: leg('left') });
  on.owners.set('u-left', OVER);
  expect(await endRun(on)).toEqual({ left: 'done: requested', unknown: 'failed: not-claimable' });
  expect(ended(on)).toEqual(['left']);
});

it('C66: each row says whose leg the pod was, also of one that could not be ended', async () => {
  const on = stage();
  await ours(on, 'nobodys', { owner: forTheRun(leg('nobodys')) });
  await ours(on, 'left', { owner: leg('left') });
  await ours(on, 'unknown', { owner: leg('unknown') });
  on.owners.set('u-left', OVER);
  const outcomes = await teardownRun(on.world, inputOf(null));
  expect(Object.fromEntries(outcomes.map(({ pod, detail }) => [pod, detail['leg']]))).toEqual({
    left: 'train {"pod":"left"}',
    nobodys: 'no job yet',
    unknown: 'train {"pod":"unknown"}',
  });
});

it('forty pods end sixteen at a time, and one whose end goes wrong stops no other', async () => {
  const on = stage();
  const names = Array.from({ length: 40 }, (_, index) => `pod${String(index).padStart(2, '0')}`);
  for (const name of names) await ours(on, name, { owner: me });
  let [now, most] = [0, 0];
  const { provider } = on.world;
  const world = {
    ...on.world,
    provider: {
      ...provider,
      terminate: async (podId: string) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((done) => setImmediate(done));
        now -= 1;
        if (podId === 'pod07') throw new Error('a mistake in the program');
        return await provider.terminate(podId);
      },
    },
  };
  const outcomes = await teardownRun(world, inputOf(null));
  expect(outcomes.map(({ pod }) => pod)).toEqual(names);
  expect(outcomes.filter(({ kind }) => kind !== 'done').map(({ pod, reason }) => [pod, reason])).toEqual([
    ['pod07', 'unexpected-error'],
  ]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(16);
  expect(ended(on)).toHaveLength(39);
});

it('lanes take no more at once than they are many, and give results in the order of the items', async () => {
  let [now, most] = [0, 0];
  const results = await inLanes(3, [5, 1, 4, 2, 3], async (turns) => {
    now += 1;
    most = Math.max(most, now);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    now -= 1;
    return turns * 10;
  });
  expect([results, most]).toEqual([[50, 10, 40, 20, 30], 3]);
  expect(await inLanes(3, [], async () => 1)).toEqual([]);
});
