/** Claim: the explicit hand-over of a pod's ownership, and nothing else. */
import { ownerDeadlineAt } from '../domain/deadlines.ts';
import { formatDuration } from '../domain/duration.ts';
import { Refusal } from '../domain/errors.ts';
import { judgeOwnership, type Owner, ownerName } from '../domain/owner.ts';
import { unseen } from '../domain/part.ts';
import { isLive, type PodRecord, podKey } from '../domain/pod.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';
import { softly } from './ask.ts';
import { findRecord } from './find-record.ts';

export type ClaimInput = {
  readonly acting: Acting;
  readonly owner: Owner;
  readonly podId: string;
  /** null = the deadlines stay as they are. */
  readonly killInMs: number | null;
  /** A reason; needed to take a pod whose owner may still be alive. */
  readonly forcedBecause: string | null;
};

/** A pod in a keep (handed over) or with a finished owner may be claimed; a live owner's only by force. */
export async function claim(world: World, input: ClaimInput): Promise<PodRecord> {
  const { record } = await findRecord(world, input.podId);
  if (!isLive(record))
    throw notClaimable(record, `its record says ${record.status}`, 'There is nothing left to claim');
  if (record.owner.uuid === input.owner.uuid) return record;
  const free = record.deadlines.keepUntilAt !== null || (await isOver(world, record, input.owner));
  if (!free && input.forcedBecause === null) {
    throw notClaimable(
      record,
      `its owner ${ownerName(record.owner)} may still be at work`,
      'Ask the owner for a hand-over (keep), or claim with --force and a reason',
    );
  }
  const now = world.clock.now();
  const op: RegistryOp = {
    ...opBase(world, input.acting, 'claim'),
    op: 'claim',
    pod: record.id,
    rev: record.rev,
    owner: input.owner,
    ownerDeadlineAt: input.killInMs === null ? null : now + input.killInMs,
    forcedBecause: free ? null : input.forcedBecause,
  };
  const submitted = await world.registry.submit([op]);
  const [result] = submitted.results;
  const after = submitted.state.pods[podKey(record)];
  if (result?.kind === 'refused' || after === undefined) {
    throw notClaimable(
      record,
      result?.kind === 'refused' ? result.detail : 'the record is gone',
      'Look again and repeat',
    );
  }
  world.log.say('notice', `${record.id}: claimed from ${ownerName(record.owner)}`);
  tellLimit(world, after);
  return after;
}

/** A claim moves no limit by itself: one that has passed already is said, before the pod ends over it. */
function tellLimit(world: World, { id, deadlines }: PodRecord): void {
  const now = world.clock.now();
  if (ownerDeadlineAt(deadlines) > now) return;
  const left = formatDuration(Math.max(0, (deadlines.keepUntilAt ?? now) - now));
  world.log.say(
    'warning',
    `${id}: its owner deadline has passed; it lives for ${left} more unless kill-in is given`,
  );
}

/** The owner is provably over; an owner of whom nothing is known is not, unless he is a former me. */
async function isOver(world: World, record: PodRecord, mine: Owner): Promise<boolean> {
  const answers = await softly(() => world.ci.liveness([record.owner]));
  const former = answers.kind === 'seen' ? (answers.value[0] ?? unseen('no answer')) : answers;
  if (former.kind === 'seen' && former.value.state === 'completed') return true;
  return judgeOwnership(record.owner, mine, former).kind === 'reclaim';
}

function notClaimable(record: PodRecord, cameBack: string, next: string): Refusal {
  return new Refusal('not-claimable', {
    tried: `Claiming ${record.id}`,
    cameBack,
    state: 'The pod and its record are as they were',
    next,
  });
}
