/** A person acknowledges an alarm: the reason stays in the history. */
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { acknowledge } from '../../src/flows/acknowledge.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import type { World } from '../../src/ports.ts';
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

  it('starts a copied registry on purpose, names the pods that it leaves, and never one that is at home', async () => {
    const on = stage();
    const [home, copy] = ['1', '2'].map((id) => ({ server: 'https://forge.example', id }));
    const within = (repository: typeof home): World => ({
      ...on.world,
      registry: memoryRegistry({ ...on.world, repository: repository ?? null, host: on.host }),
    });
    await ours({ ...on, world: within(home) }, 'a');
    const before = (await within(home).registry.read()).state.meta.registryId;
    const acting = actingOwner(anOwner({ uuid: 'u-a' }), null);
    const input = { acting, what: 'copied' as const, tip: null, reason: 'our own now' };
    const refused = { name: 'Refusal', gate: 'not-copied' };
    await expect(acknowledge(within(home), { ...input, here: home ?? null })).rejects.toMatchObject(refused);
    await expect(acknowledge(within(copy), input)).rejects.toMatchObject(refused);
    const started = await acknowledge(within(copy), { ...input, here: copy ?? null });
    expect(started).toMatchObject({ tip: null, left: ['a'] });
    const { state, caution } = await within(copy).registry.read();
    expect([state.meta.registryId, state.pods]).toEqual([started.registryId, {}]);
    expect(state.meta.registryId).not.toBe(before);
    expect(caution.map(({ code }) => code)).not.toContain('foreign-repository');
  });
});
