/** A bounded keep: the owner's word that a pod lives on for a while, in the record and on the pod's own switch. */
import { stopAt } from '../domain/deadlines.ts';
import { formatDuration } from '../domain/duration.ts';
import { Refusal } from '../domain/errors.ts';
import type { Outcome } from '../domain/outcome.ts';
import { type PodRecord, podKey } from '../domain/pod.ts';
import type { World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';
import { softly } from './ask.ts';
import { withSession } from './shown-pod.ts';
import { petUntil } from './switch/pet.ts';

export type KeepInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly keepForMs: number;
  readonly why: string;
};

/**
 * "Kept" is said only after the pod's own values were read back; otherwise the outcome is `failed` and names
 * when the switch fires. Throws Refusal when the record does not take the keep, WorldError for the registry.
 */
export async function keepPod(world: World, input: KeepInput): Promise<Outcome> {
  const { acting, record } = input;
  const untilAt = world.clock.now() + input.keepForMs;
  const op = { ...opBase(world, acting, 'keep'), op: 'keep' as const, pod: record.id, untilAt };
  const submitted = await world.registry.submit([{ ...op, reason: input.why.slice(0, 200) }]);
  const [result] = submitted.results;
  if (result?.kind === 'refused') {
    throw new Refusal(result.because, {
      tried: `Keeping ${record.id} for ${formatDuration(input.keepForMs)}`,
      cameBack: result.detail,
      state: 'Its deadlines are as they were',
      next: 'Look at its record with: podtrack list --all',
    });
  }
  return await tellSwitch(world, record, submitted.state.pods[podKey(record)] ?? record);
}

async function tellSwitch(world: World, before: PodRecord, kept: PodRecord): Promise<Outcome> {
  const stop = stopAt(kept.deadlines);
  const left = formatDuration(stop - world.clock.now());
  const told = { pod: kept.id, order: 'keep' as const, reason: 'kept', detail: { stopAt: stop } };
  if (kept.switch === null) {
    const says = `kept for ${left}, then ended by the reaper alone: it was never armed`;
    return { ...told, kind: 'done', says };
  }
  const petted = await softly(() =>
    withSession(world, kept, (session) => petUntil(world, session, kept, stop)),
  );
  const answer = petted.kind === 'seen' ? petted.value : petted;
  if (answer.kind === 'seen') {
    return { ...told, kind: 'done', says: `kept for ${left}; its own switch has taken the new stop` };
  }
  const fires = formatDuration(stopAt(before.deadlines) - world.clock.now());
  const says = `kept in the registry for ${left}, but its own switch still fires in ${fires}: ${answer.reason}`;
  return { ...told, kind: 'failed', says };
}
