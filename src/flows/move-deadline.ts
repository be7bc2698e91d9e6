/** Extend and keep: the explicit acts of an owner on his own pod's limits, told to its switch and read back. */
import { ownerDeadlineAt, stopAt } from '../domain/deadlines.ts';
import { formatDuration } from '../domain/duration.ts';
import { Refusal } from '../domain/errors.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Owner } from '../domain/owner.ts';
import { type Part, unseen } from '../domain/part.ts';
import { type PodRecord, podKey } from '../domain/pod.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { SwitchDeadlines } from '../domain/switch.ts';
import type { World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';
import { softly } from './ask.ts';
import { findRecord, mustOwn } from './find-record.ts';
import { keepPod } from './keep-pod.ts';
import { withSession } from './shown-pod.ts';
import { petUntil } from './switch/pet.ts';

export type OwnerAct = {
  readonly acting: Acting;
  readonly owner: Owner;
  readonly podId: string;
};

export type Moved = {
  readonly record: PodRecord;
  /** When the switch would have fired before this act. */
  readonly stopBefore: number;
  /** What the pod read back; null = there is no switch on it. Unseen = the switch is as it was. */
  readonly petted: Part<SwitchDeadlines> | null;
};

/** Moves the owner deadline `byMs` further, or that far from now where it has passed. */
export async function extendBy(world: World, act: OwnerAct & { readonly byMs: number }): Promise<Moved> {
  const { record } = await findRecord(world, act.podId);
  mustOwn(record, act.owner, 'Extending');
  const from = Math.max(ownerDeadlineAt(record.deadlines), world.clock.now());
  const op: RegistryOp = {
    ...opBase(world, act.acting, 'extend'),
    op: 'extend',
    pod: record.id,
    ownerDeadlineAt: from + act.byMs,
  };
  return await moveAndPet(world, record, op);
}

/** Keeps the owner's own pod for `forMs`, at most until its absolute deadline. */
export async function keepFor(
  world: World,
  act: OwnerAct & { readonly forMs: number; readonly reason: string },
): Promise<Outcome> {
  const { record } = await findRecord(world, act.podId);
  mustOwn(record, act.owner, 'Keeping');
  const why = act.reason.slice(0, 200);
  return await keepPod(world, { acting: act.acting, record, keepForMs: act.forMs, why });
}

/** The record first: what the pod is told is only ever what the registry says. */
async function moveAndPet(world: World, before: PodRecord, op: RegistryOp): Promise<Moved> {
  const submitted = await world.registry.submit([op]);
  const [result] = submitted.results;
  const record = submitted.state.pods[podKey(before)];
  if (result?.kind === 'refused' || record === undefined) {
    throw refusedAct(world, { record: before, act: op.op }, result?.kind === 'refused' ? result : null);
  }
  const stopBefore = stopAt(before.deadlines);
  if (record.switch === null) return { record, stopBefore, petted: null };
  const petted = await softly(async () => {
    const until = stopAt(record.deadlines);
    return await withSession(world, record, (session) => petUntil(world, session, record, until));
  });
  return { record, stopBefore, petted: petted.kind === 'seen' ? petted.value : unseen(petted.reason) };
}

function refusedAct(
  { clock }: World,
  { record, act }: { readonly record: PodRecord; readonly act: string },
  refused: { readonly because: string; readonly detail: string } | null,
): Refusal {
  const left = formatDuration(record.deadlines.absoluteDeadlineAt - clock.now());
  return new Refusal(refused?.because ?? 'not-found', {
    tried: `The act "${act}" on ${record.id}`,
    cameBack: refused?.detail ?? 'its record is gone',
    state: `The deadlines are as they were; ${left} are left to the absolute one`,
    next: `Look at them: podtrack explain ${record.id}`,
  });
}
