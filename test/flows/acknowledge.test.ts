/** A person acknowledges an alarm: the reason stays in the history. */
import { describe, expect, it } from 'vitest';
import { acknowledge } from '../../src/flows/acknowledge.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { anOwner } from '../domain/build.ts';
import { ours, stage } from './stage.ts';

describe('acknowledge', () => {
  it('needs a registry, and leaves its reason in the history', async () => {
    const on = stage();
    const acting = actingOwner(anOwner({ uuid: 'u-a' }), null);
    const input = { acting, what: 'breaker' as const, tip: null, reason: 'really twelve' };
    await expect(acknowledge(on.world, input)).rejects.toMatchObject({
      name: 'ConfigError',
      input: 'registry',
    });
    await ours(on, 'a');
    await acknowledge(on.world, input);
    const { state } = await on.world.registry.read();
    expect(state.meta.acknowledged.breakerAt).toBe(on.clock.now());
    expect(on.host.commits.at(-1)?.message).toContain('really twelve');
  });
});
