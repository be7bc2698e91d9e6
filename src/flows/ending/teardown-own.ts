/** Teardown on request: finds the owner's own pod, reopens a record that the provider contradicts, and ends it. */
import type { Choice } from '../../domain/choice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Owner } from '../../domain/owner.ts';
import { isLive, isSamePod, type PodRecord, podKey } from '../../domain/pod.ts';
import type { EndReason } from '../../domain/policy/reasons.ts';
import type { World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';
import { findRecord, mustOwn } from '../find-record.ts';
import { endOwn } from './end-own.ts';

export type TeardownOwnInput = {
  readonly acting: Acting;
  readonly owner: Owner;
  readonly podId: string;
  /** A reason; then the end may come before the artifacts are verified. */
  readonly forcedBecause: string | null;
  readonly skipPull: boolean;
  /** Instead of the record's choice of files; null = the record's. */
  readonly choice: Choice | null;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  /** How long another's fence may be waited for. */
  readonly waitMs: number;
};

/** Force does not break ownership: another owner's pod needs `claim` first. Throws Refusal and ConfigError. */
export async function teardownOwn(world: World, input: TeardownOwnInput): Promise<Outcome> {
  const { record: found } = await findRecord(world, input.podId);
  mustOwn(found, input.owner, 'Tearing down');
  const record = isLive(found) ? found : await reopened(world, input.acting, found);
  if (input.forcedBecause !== null) {
    world.log.say('warning', `${record.id}: forced, because: ${input.forcedBecause}`);
  }
  const { acting, choice, localPath, pullBudgetMs, skipPull, waitMs } = input;
  const reason = reasonOf(input);
  return await endOwn(world, { acting, record, reason, choice, localPath, pullBudgetMs, skipPull, waitMs });
}

function reasonOf({ forcedBecause, skipPull }: TeardownOwnInput): EndReason {
  if (forcedBecause !== null) return 'forced';
  return skipPull ? 'pull-skipped' : 'requested';
}

/** A pod that is shown although its record has ended goes on; one that is away stays as the record says. */
export async function reopened(world: World, acting: Acting, ended: PodRecord): Promise<PodRecord> {
  const lookup = await world.provider.get(ended.id);
  if (lookup.kind === 'absent' || lookup.pod.status === 'TERMINATED') return ended;
  if (!isSamePod(ended, lookup.pod)) return ended;
  const reason = `shown by the provider although ${ended.status}`;
  const op = { ...opBase(world, acting, 'reopen'), op: 'reopen' as const, pod: ended.id, reason };
  const { state } = await world.registry.submit([op]);
  return state.pods[podKey(ended)] ?? ended;
}
