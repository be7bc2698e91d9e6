/** Teardown on request: only over verified artifacts unless forced, only by the owner, and from whatever state it is in. */
import { describe, expect, it } from 'vitest';
import { actingOwner } from '../../src/flows/acting.ts';
import { teardownOwn } from '../../src/flows/ending/teardown-own.ts';
import type { OwnerAct } from '../../src/flows/move-deadline.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { ended, ours, put, record, type Stage, stage, verbs } from './stage.ts';

const act = (id: string): OwnerAct => {
  const owner = anOwner({ uuid: `u-${id}` });
  return { acting: actingOwner(owner, null), owner, podId: id };
};

/** Another process of nobody's: its uuid is in no record. */
const stranger = (id: string): OwnerAct => ({ ...act('somebody-else'), podId: id });

function end(on: Stage, by: OwnerAct, of: { force?: string; skipPull?: boolean } = {}) {
  return teardownOwn(on.world, {
    ...by,
    forcedBecause: of.force ?? null,
    skipPull: of.skipPull ?? false,
    choice: null,
    localPath: null,
    pullBudgetMs: minutes(5),
    waitMs: 0,
  });
}

describe('teardown on request', () => {
  it('does not end a pod whose artifacts cannot be verified; by force it does', async () => {
    const on = stage();
    await ours(on, 'a');
    on.pulls.set('a', 'short');
    expect(await end(on, act('a'))).toMatchObject({ kind: 'released', reason: 'not-saved' });
    expect(ended(on)).toEqual([]);
    expect(await end(on, act('a'), { force: 'nothing of worth' })).toMatchObject({ kind: 'done' });
    expect(ended(on)).toEqual(['a']);
    expect(await record(on, 'a')).toMatchObject({
      status: 'terminated',
      end: { reason: 'forced', verified: false },
    });
  });

  it('reopens a record that says terminated when the provider shows the pod, and then ends it', async () => {
    const on = stage();
    await ours(on, 'a');
    await end(on, act('a'));
    put(on, 'a', { createdAt: (await record(on, 'a')).createdAt });
    expect(await end(on, act('a'), { skipPull: true })).toMatchObject({
      kind: 'done',
      reason: 'pull-skipped',
    });
    expect(await verbs(on, 'a')).toContain('reopen');
    expect(ended(on)).toEqual(['a', 'a']);
  });

  it('says of a pod that is gone that there is nothing to do', async () => {
    const on = stage();
    await ours(on, 'a');
    await end(on, act('a'));
    expect(await end(on, act('a'))).toMatchObject({ kind: 'done', reason: 'already-ended' });
    expect(ended(on)).toEqual(['a']);
  });

  it('is refused to everybody but the owner, and nothing is sent or written', async () => {
    const on = stage();
    await ours(on, 'a');
    const before = await verbs(on, 'a');
    const calls = on.shell.calls.length;
    await expect(end(on, stranger('a'), { force: 'mine now', skipPull: true })).rejects.toMatchObject({
      name: 'Refusal',
      gate: 'other-owner',
    });
    expect(await verbs(on, 'a')).toEqual(before);
    expect(on.shell.calls.length).toBe(calls);
    expect(ended(on)).toEqual([]);
  });
});
