/** The end of a job with several pods: side by side in one budget, by what the rows say, and never a sibling's pod. */
import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/duration.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import type { FinishInput } from '../../src/flows/ending/finish-job.ts';
import { type FinishPodsInput, finishPods } from '../../src/flows/ending/finish-pods.ts';
import { keepPod } from '../../src/flows/keep-pod.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { worldError } from '../fakes/scripted-provider.ts';
import { cycles, ended, ours, type PodWish, record, registerInput, type Stage, stage } from './stage.ts';

const mine = anOwner({ uuid: 'u-job', matrix: '{"n":1}' });
const BUDGET_MS = 240 * SECOND_MS;

const finishing = (id: string, of: Partial<FinishInput> = {}): FinishInput => ({
  register: registerInput(id, {}, mine),
  entered: true,
  ending: 'teardown',
  keepForMs: minutes(30),
  localPath: null,
  pullBudgetMs: minutes(2),
  waitMs: minutes(2),
  known: null,
  ...of,
});

const podsInput = (ids: readonly string[], of: Partial<FinishPodsInput> = {}): FinishPodsInput => ({
  pods: ids.map((id) => finishing(id)),
  unnamed: (id) => finishing(id),
  elsewhere: new Set(),
  budgetMs: BUDGET_MS,
  handOverMs: 20 * SECOND_MS,
  ...of,
});

/** Registered and armed under this job's owner, with changes of it. */
async function held(on: Stage, id: string, wish: PodWish = {}): Promise<void> {
  await ours(on, id, { ...wish, owner: { ...mine, ...wish.owner } });
}

const kinds = (outcomes: readonly Outcome[]): Record<string, string> =>
  Object.fromEntries(outcomes.map(({ pod, kind }) => [pod, kind]));

/** Pulls of this pod never come to an end. */
function endlessPull(on: Stage, endless: string): World {
  const { mirror, clock } = on.world;
  return {
    ...on.world,
    mirror: {
      ...mirror,
      pull: async (session, spec) => {
        if (session.podId === endless) await clock.sleep(600 * MINUTE_MS);
        return await mirror.pull(session, spec);
      },
    },
  };
}

describe('three pods of one job', () => {
  it('end side by side: one endless pull is handed over when the budget is used, and the others are long gone', async () => {
    const on = stage();
    for (const id of ['a', 'b', 'c']) await held(on, id);
    const began = on.clock.now();
    const { outcomes } = await finishPods(endlessPull(on, 'a'), podsInput(['a', 'b', 'c']));
    expect(kinds(outcomes)).toEqual({ a: 'handed-over', b: 'done', c: 'done' });
    expect(ended(on)).toEqual(['b', 'c']);
    expect((await record(on, 'c')).end?.at).toBeLessThan(began + BUDGET_MS / 2);
    expect(on.clock.now() - began).toBeLessThanOrEqual(BUDGET_MS);
    expect(await record(on, 'a')).toMatchObject({
      end: null,
      notes: [expect.stringContaining('handed over by the post step: the post step has used its budget')],
    });
    expect((await record(on, 'a')).fence?.until).toBeLessThanOrEqual(on.clock.now());
  });

  it('are each handed over for themselves where none can be finished', async () => {
    const on = stage();
    for (const id of ['a', 'b']) await held(on, id);
    const { mirror, clock } = on.world;
    const pull: World['mirror']['pull'] = async (session, spec) => {
      await clock.sleep(600 * MINUTE_MS);
      return await mirror.pull(session, spec);
    };
    const { outcomes } = await finishPods(
      { ...on.world, mirror: { ...mirror, pull } },
      podsInput(['a', 'b']),
    );
    expect(kinds(outcomes)).toEqual({ a: 'handed-over', b: 'handed-over' });
    for (const id of ['a', 'b']) expect((await record(on, id)).notes.at(-1)).toMatch(/handed over/);
    expect(ended(on)).toEqual([]);
  });

  it('keep apart: one that is away, one whose pull fails, and one that ends well', async () => {
    const on = stage();
    for (const id of ['a', 'b', 'c']) await held(on, id);
    on.provider.pods.delete('a');
    on.pulls.set('b', 'stalls');
    const { outcomes } = await finishPods(on.world, podsInput(['a', 'b', 'c']));
    expect(outcomes.map(({ pod }) => pod)).toEqual(['a', 'b', 'c']);
    expect(kinds(outcomes)).toMatchObject({ b: 'released', c: 'done' });
    // Of the one that is away the DELETE is the proof.
    expect(ended(on).toSorted()).toEqual(['a', 'c']);
  });

  it('are one look at the registry to begin with, and the late reaper is told once (case C22)', async () => {
    const on = stage();
    for (const id of ['a', 'b', 'c']) await held(on, id);
    await cycles(on, 1);
    on.clock.jump(minutes(110));
    await on.world.registry.read();
    on.clock.jump(minutes(11));
    await finishPods(on.world, podsInput(['a', 'b', 'c'], { pods: [finishing('a', { ending: 'keep' })] }));
    const late = on.said.filter(({ line }) => /last sweep of the reaper was 2 h 1 min ago/.test(line));
    expect(late).toHaveLength(1);
  });
});

describe('C66: the rows say what this job holds, not its memory', () => {
  it('a row that the job does not remember is ended as its own, and one that it remembers and does not hold is left', async () => {
    const on = stage();
    for (const id of ['a', 'more']) await held(on, id);
    await held(on, 'lostit', { owner: { uuid: 'heir' } });
    const { outcomes } = await finishPods(on.world, podsInput(['a', 'lostit']));
    expect(ended(on).toSorted()).toEqual(['a', 'more']);
    expect(outcomes.map(({ pod, reason }) => [pod, reason])).toEqual([
      ['a', 'requested'],
      ['lostit', 'not-mine'],
      ['more', 'requested'],
    ]);
  });

  it.each([
    ['another leg that was given the same uuid', { matrix: '{"n":2}' }],
    ['another job of the run', { job: 'evaluate' }],
    ['no leg yet, as register-many enters it', { job: null, matrix: null }],
    ['an earlier attempt', { attempt: 7 }],
    ['another run', { key: { server: 'https://github.com', repositoryId: '501', runId: '8' } }],
    ['a process of its own', { uuid: 'somebody' }],
  ])('a row of %s is left alone', async (_whose, owner) => {
    const on = stage();
    await held(on, 'a');
    await held(on, 'theirs', { owner });
    const { outcomes } = await finishPods(on.world, podsInput(['a']));
    expect([ended(on), outcomes.map(({ pod }) => pod)]).toEqual([['a'], ['a']]);
  });

  it('what another step of this job was asked for is left to its own post, and what is kept to its keep', async () => {
    const on = stage();
    for (const id of ['a', 'otherstep', 'kept']) await held(on, id);
    const kept = await record(on, 'kept');
    const acting = actingOwner(mine, null);
    await keepPod(on.world, { acting, record: kept, keepForMs: minutes(30), why: 'a look at it' });
    const elsewhere = new Set(['otherstep']);
    await finishPods(on.world, podsInput(['a'], { elsewhere }));
    expect(ended(on)).toEqual(['a']);
  });

  it('a registry that does not answer ends what the job remembers by its mark, and is not asked for more', async () => {
    const on = stage();
    for (const id of ['a', 'b', 'more']) await held(on, id);
    const known = new Map(
      await Promise.all(['a', 'b'].map(async (id) => [id, await record(on, id)] as const)),
    );
    const { registryId } = (await on.world.registry.read()).state.meta;
    const dead = async (): Promise<never> => {
      throw worldError('unauthorized');
    };
    const registry = { ...on.world.registry, read: dead, submit: dead };
    const pods = ['a', 'b'].map((id) => {
      const found = known.get(id);
      return finishing(id, { known: found === undefined ? null : { record: found, registryId } });
    });
    const finished = await finishPods({ ...on.world, registry }, podsInput([], { pods }));
    expect(finished.isRead).toBe(false);
    expect(ended(on).toSorted()).toEqual(['a', 'b']);
    expect(finished.outcomes.map(({ detail }) => detail['rowLeft'])).toEqual([true, true]);
  });
});
