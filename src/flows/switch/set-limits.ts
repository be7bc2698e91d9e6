/** New limits on one's own pod, given when it is armed: the record first, and the switch only by the record. */
import { Refusal } from '../../domain/errors.ts';
import { type PodRecord, podKey } from '../../domain/pod.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import type { World } from '../../ports.ts';
import { opBase } from '../acting.ts';
import type { OwnerAct } from '../move-deadline.ts';

/** From now; null = as it is. */
export type LimitsWish = { readonly killInMs: number | null; readonly killAbsoluteMs: number | null };

/**
 * An owner's word, in either direction, is a claim of what is his already: the one act that may set both limits.
 * Throws a Refusal when the record takes them not; it is then as it was.
 */
export async function setLimits(
  world: World,
  act: OwnerAct,
  record: PodRecord,
  wish: LimitsWish,
): Promise<PodRecord> {
  const { killInMs, killAbsoluteMs } = wish;
  if (killInMs === null && killAbsoluteMs === null) return record;
  const now = world.clock.now();
  const op: RegistryOp = {
    ...opBase(world, act.acting, 'claim'),
    op: 'claim',
    pod: record.id,
    rev: record.rev,
    owner: record.owner,
    ownerDeadlineAt: killInMs === null ? null : now + killInMs,
    ...(killAbsoluteMs === null ? {} : { absoluteDeadlineAt: now + killAbsoluteMs }),
    forcedBecause: null,
  };
  const submitted = await world.registry.submit([op]);
  const [result] = submitted.results;
  const after = submitted.state.pods[podKey(record)];
  if (result?.kind !== 'refused' && after !== undefined) return after;
  throw new Refusal(result?.kind === 'refused' ? result.because : 'not-found', {
    tried: `Setting the limits of ${record.id}`,
    cameBack: result?.kind === 'refused' ? result.detail : 'its record is gone',
    state: 'The limits are as they were, and no switch was planted or changed',
    next: `Look at them: podtrack explain ${record.id}`,
  });
}
