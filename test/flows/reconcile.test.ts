/** Reconcile looks at everything and ends nothing, but for strays that a person has asked to be ended. */
import { describe, expect, it } from 'vitest';
import { formatStamp } from '../../src/domain/stamp.ts';
import { actingReaper } from '../../src/flows/acting.ts';
import { reconcileAccount } from '../../src/flows/reconcile.ts';
import { minutes, NOW } from '../domain/build.ts';
import { ended, ours, put, reapOptions, type Stage, stage } from './stage.ts';

describe('reconcile', () => {
  async function withStray(): Promise<Stage> {
    const on = stage();
    await ours(on, 'mine', { switched: { util: '97' } });
    const { registryId } = (await on.world.registry.read()).state.meta;
    const stamp = { registryId, repositoryId: null, runId: null, mintedAt: NOW - minutes(61), ttlAt: NOW };
    put(on, 'stray', { stamp: formatStamp({ ...stamp, nonce: 'aabbccddeeff0011' }) });
    put(on, 'foreign', { createdAt: NOW - minutes(60 * 24 * 9) });
    return on;
  }
  const options = (terminateStrays: boolean) => ({
    ...reapOptions({ acting: actingReaper('person', null) }),
    terminateStrays,
  });

  it('only looks, whatever it finds', async () => {
    const on = await withStray();
    const before = on.host.commits.length;
    const cycle = await reconcileAccount(on.world, options(false));
    expect(cycle.plan.strays.map((stray) => stray.pod.id)).toEqual(['stray']);
    expect(cycle.plan.foreign.map((foreign) => foreign.pod.id)).toEqual(['foreign']);
    expect(on.host.commits.length).toBe(before);
    expect(ended(on)).toEqual([]);
  });

  it('ends a stray on request after two spaced looks of its own, and nothing else', async () => {
    const on = await withStray();
    await reconcileAccount(on.world, options(true));
    expect(ended(on)).toEqual([]);
    on.clock.jump(minutes(11));
    await reconcileAccount(on.world, options(true));
    expect(ended(on)).toEqual(['stray']);
  });
});
