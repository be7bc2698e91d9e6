/** Logins for private image registries: names are unique, secrets go in and never come out. */
import { nextId } from './chance.ts';
import { done, notFound, type Outcome, refused, rule } from './outcome.ts';
import type { RegistryState, World } from './state.ts';

export function createRegistry(world: World, name: string): Outcome<RegistryState> {
  if ([...world.registries.values()].some((one) => one.name === name)) {
    return rule('Registry name must be unique');
  }
  const registry: RegistryState = { id: nextId(world.chance, 10), name, createdAt: world.now };
  world.registries.set(registry.id, registry);
  return done(registry);
}

/** Refused while a pod pulls with it; templates that name it silently lose it. */
export function deleteRegistry(world: World, id: string): Outcome<null> {
  if (!world.registries.has(id)) return notFound();
  const user = [...world.pods.values()].find((pod) => pod.registryId === id && pod.status !== 'TERMINATED');
  if (user !== undefined) {
    return refused('in-use', 'Registry credential is in use by a pod and cannot be deleted');
  }
  world.registries.delete(id);
  for (const template of world.templates.values()) {
    if (template.registryId === id) template.registryId = null;
  }
  return done(null);
}
