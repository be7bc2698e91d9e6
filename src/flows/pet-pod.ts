/** Pet one pod by hand: a sign of life, and a stop that lies at least so far ahead. */
import { stopAt } from '../domain/deadlines.ts';
import { Refusal } from '../domain/errors.ts';
import type { Part } from '../domain/part.ts';
import type { PodRecord } from '../domain/pod.ts';
import type { SwitchDeadlines } from '../domain/switch.ts';
import type { World } from '../ports.ts';
import { findRecord, mustOwn } from './find-record.ts';
import type { OwnerAct } from './move-deadline.ts';
import { withSession } from './shown-pod.ts';
import { petUntil } from './switch/pet.ts';

export type Petted = {
  readonly record: PodRecord;
  /** When the switch fires if the pet did not take. */
  readonly stopBefore: number;
  readonly petted: Part<SwitchDeadlines>;
};

/** Moves no deadline of the record. Throws a Refusal when no switch was ever armed. */
export async function petPod(world: World, act: OwnerAct & { readonly byMs: number }): Promise<Petted> {
  const { record } = await findRecord(world, act.podId);
  mustOwn(record, act.owner, 'Petting');
  if (record.switch === null) {
    throw new Refusal('not-armed', {
      tried: `Petting ${record.id}`,
      cameBack: 'no switch has been armed on it',
      state: 'Nothing was changed; the reaper alone watches it',
      next: `Arm it: podtrack arm ${record.id}`,
    });
  }
  const until = world.clock.now() + act.byMs;
  const petted = await withSession(world, record, (session) => petUntil(world, session, record, until));
  return { record, stopBefore: stopAt(record.deadlines), petted };
}
