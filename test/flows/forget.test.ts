/** Tombstones in whole cycles: gone after 30 days, never while the pod is shown, the list is bad or the registry in doubt. */
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/duration.ts';
import { reap } from '../../src/flows/reap.ts';
import { endOf, settle } from '../domain/registry/record-maker.ts';
import { ours, put, reapOptions, type Stage, stage, verbs } from './stage.ts';

/** A pod that ended now, beside a foreign one that keeps the list from being empty. */
async function ended(): Promise<Stage> {
  const on = stage();
  await ours(on, 'old');
  put(on, 'foreign');
  on.provider.pods.delete('old');
  const end = endOf('terminated', { at: on.clock.now() });
  await on.world.registry.submit([settle('old', { at: on.clock.now(), end })]);
  await reap(on.world, reapOptions());
  return on;
}

const isThere = async (on: Stage): Promise<boolean> =>
  (await on.world.registry.read()).state.pods['runpod.old'] !== undefined;

describe('the tombstone of an ended pod', () => {
  it('is removed by the first cycle after 30 days, which the history tells', async () => {
    const on = await ended();
    on.clock.jump(29 * DAY_MS);
    await reap(on.world, reapOptions());
    expect(await isThere(on)).toBe(true);
    on.clock.jump(2 * DAY_MS);
    await reap(on.world, reapOptions());
    expect(await isThere(on)).toBe(false);
    expect((await verbs(on, 'old')).at(-1)).toBe('forget');
  });

  it('stays where the list says nothing of absence, or the registry is in doubt', async () => {
    const on = await ended();
    on.clock.jump(31 * DAY_MS);
    on.provider.pods.clear();
    await reap(on.world, reapOptions());
    expect(await isThere(on)).toBe(true);
    put(on, 'foreign');
    on.host.state = null;
    await reap(on.world, reapOptions());
    expect(await isThere(on)).toBe(true);
  });

  it('stays, and comes back to life, when the pod is shown again', async () => {
    const on = stage();
    await ours(on, 'old');
    const end = endOf('lost', { at: on.clock.now() });
    await on.world.registry.submit([settle('old', { at: on.clock.now(), end })]);
    on.clock.jump(31 * DAY_MS);
    await reap(on.world, reapOptions());
    expect(await verbs(on, 'old')).toContain('reopen');
    expect(await verbs(on, 'old')).not.toContain('forget');
  });
});
