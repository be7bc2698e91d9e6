/** Brings into the registry what the list proves to be ours: fulfilled intents, and ended pods seen again. */
import type { Part } from '../domain/part.ts';
import { reconcile } from '../domain/policy/reconcile.ts';
import type { Listing } from '../domain/provider-pod.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { RegistryState } from '../domain/registry/state.ts';
import type { World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';

/** The state after; the same state where there was nothing to enter. */
export async function enterListed(
  world: World,
  acting: Acting,
  state: RegistryState,
  listing: Part<Listing>,
): Promise<RegistryState> {
  if (listing.kind === 'unseen') return state;
  const sorted = reconcile(state, listing.value.pods);
  const reopened = sorted.reopened.map(({ record }): RegistryOp => {
    world.log.say(
      'warning',
      `${record.id}: the record says ${record.status}, but the provider lists it: reopened`,
    );
    const reason = `listed again although ${record.status}`;
    return { ...opBase(world, acting, 'reopen'), op: 'reopen', pod: record.id, reason };
  });
  const fulfilled = sorted.ours
    .filter(({ record }) => record.status === 'intent')
    .map(({ record, pod }): RegistryOp => {
      const { createdAt, startedAt } = pod;
      const entered = { ...record, id: pod.id, status: 'active' as const, createdAt, startedAt };
      return {
        ...opBase(world, acting, 'register'),
        op: 'register',
        pod: pod.id,
        record: entered,
        fulfils: record.id,
      };
    });
  const ops = [...reopened, ...fulfilled];
  if (ops.length === 0) return state;
  return (await world.registry.submit(ops)).state;
}
