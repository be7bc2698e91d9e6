/** The settle op of a cycle: what was learned of a pod, with nothing in it that moves a limit. */
import type { PodRecord } from '../../domain/pod.ts';
import type { OpOf } from '../../domain/registry/ops.ts';
import type { World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';

/** A settle that says nothing yet; the caller adds what it learned. */
export function settleBase(world: World, acting: Acting, record: PodRecord): OpOf<'settle'> {
  return {
    ...opBase(world, acting, 'settle'),
    op: 'settle',
    pod: record.id,
    verdict: null,
    mirror: null,
    reachedAt: null,
    startedAt: null,
    hostKey: null,
    note: null,
    end: null,
  };
}
