/** One repository of the GitHub server: its names, its objects and refs, and what every handler needs of it. */
import { type Objects, openObjects } from './objects.ts';
import { openRefs, type Refs } from './refs.ts';
import type { Switches } from './switches.ts';

export type Repository = {
  readonly folder: string;
  /** `owner/name` as it is now. */
  name: string;
  readonly id: number;
  readonly nodeId: string;
  readonly objects: Objects;
  readonly refs: Refs;
  readonly switches: Switches;
  now(): number;
};

export function openRepository(
  folder: string,
  about: { readonly name: string; readonly id: number; readonly switches: Switches; now(): number },
): Repository {
  const objects = openObjects(folder);
  return {
    ...about,
    folder,
    nodeId: `R_${about.id}`,
    objects,
    refs: openRefs(folder, objects, () => about.switches.staleReads),
  };
}

export async function isEmpty(repository: Repository): Promise<boolean> {
  return (await repository.refs.below('refs/')).length === 0;
}

export function isGuarded(repository: Repository, ref: string): 'rules' | 'mute' | 'classic' | null {
  const { guarded } = repository.switches;
  return guarded?.refs.test(ref) === true ? guarded.how : null;
}
