/** Which tombstones a cycle removes: old ones, of pods that a good list does not show, while nothing is in doubt. */
import type { Part } from '../../domain/part.ts';
import { absenceConclusive, type Listing } from '../../domain/provider-pod.ts';
import { isForgettable } from '../../domain/registry/apply-removal.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import type { Snapshot, World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';

/** Per cycle: what is left over waits for the next one. */
const MOST = 100;

export function forgets(
  world: World,
  acting: Acting,
  { state, caution, listing }: Pick<Snapshot, 'state' | 'caution'> & { readonly listing: Part<Listing> },
): readonly RegistryOp[] {
  const shown = absenceConclusive(listing);
  if (shown.kind === 'unseen' || caution.length > 0) return [];
  const now = world.clock.now();
  return Object.values(state.pods)
    .filter((record) => isForgettable(record, now) && !shown.value.has(record.id))
    .slice(0, MOST)
    .map((record) => ({ ...opBase(world, acting, 'forget'), op: 'forget' as const, pod: record.id }));
}
