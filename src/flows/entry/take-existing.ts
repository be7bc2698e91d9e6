/** A pod that is recorded already: whose it is, and what its record goes on saying when it is taken. */
import { sameChoice, saysChoice } from '../../domain/choice.ts';
import { Refusal } from '../../domain/errors.ts';
import { ADOPTED } from '../../domain/new-record.ts';
import { judgeOwnership, type Owner, ownerName } from '../../domain/owner.ts';
import { unseen } from '../../domain/part.ts';
import type { PodRecord } from '../../domain/pod.ts';
import type { OpOf } from '../../domain/registry/ops.ts';
import { isLarge, type WriteSlot } from '../../domain/registry/write-slot.ts';
import type { World } from '../../ports.ts';
import { softly } from '../ask.ts';
import { settleBase } from '../watch/settle.ts';
import type { RegisterInput } from './register-checks.ts';

/** Mine, or to be reclaimed from an earlier process of mine. Throws a Refusal where it takes a claim. */
export async function ownershipOf(world: World, record: PodRecord, mine: Owner): Promise<'mine' | 'reclaim'> {
  const answers = await softly(() => world.ci.liveness([record.owner]));
  const former = answers.kind === 'seen' ? (answers.value[0] ?? unseen('no answer')) : answers;
  const { kind } = judgeOwnership(record.owner, mine, former);
  if (kind === 'mine' || kind === 'reclaim') return kind;
  throw needsClaim(record, kind);
}

function needsClaim(record: PodRecord, kind: 'sibling-alive' | 'other'): Refusal {
  const whose =
    kind === 'other'
      ? `it belongs to ${ownerName(record.owner)}`
      : 'a sibling of this job that may still run holds it';
  return new Refusal('needs-claim', {
    tried: `Registering ${record.id}`,
    cameBack: whose,
    state: 'The pod and its record were not touched',
    next: `If it should change hands, run: podtrack claim ${record.id}`,
  });
}

/** Where this run has written the record, it has proven that it may: the legs of a fan-out need no commit each. */
export function hasProven(slot: WriteSlot | null, { owner }: PodRecord, { key, attempt }: Owner): boolean {
  if (slot === null || !isLarge(slot)) return false;
  const same = owner.key?.runId === key?.runId && owner.key?.repositoryId === key?.repositoryId;
  return owner.key !== null && key !== null && same && owner.attempt === attempt;
}

/** What counts as verified is frozen with the first record: a later word must not make a half of it enough. */
export function saysOldChoice({ artifacts }: PodRecord, input: RegisterInput): readonly string[] {
  if (sameChoice(artifacts.choice, input.choice)) return [];
  const stands = saysChoice(artifacts.choice) ?? 'every file';
  return [
    `its record keeps what was chosen first: ${stands}; teardown takes another choice for its end alone`,
  ];
}

/** Said again with adopt after arming was refused over another registry's mark; null = there is nothing to note. */
export function adoptionOp(
  world: World,
  { acting, adopt }: RegisterInput,
  record: PodRecord,
): OpOf<'settle'> | null {
  if (!adopt || record.notes.includes(ADOPTED)) return null;
  return { ...settleBase(world, acting, record), note: ADOPTED };
}
