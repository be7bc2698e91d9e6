/** Heartbeats: the pod's own in the registry, and the job's as a file on the pod. */
import { Refusal, WorldError } from '../domain/errors.ts';
import { type PodRecord, podKey } from '../domain/pod.ts';
import { beatCall } from '../domain/switch/calls.ts';
import { refusedBecause } from '../domain/switch.ts';
import type { World } from '../ports.ts';
import { opBase } from './acting.ts';
import { findRecord, mustOwn } from './find-record.ts';
import type { OwnerAct } from './move-deadline.ts';
import { withSession } from './shown-pod.ts';

export type Beaten = {
  readonly record: PodRecord;
  /** False: the last one is younger than 5 min, and no commit was made. */
  readonly committed: boolean;
};

/** Pod-level keepalive: at most one commit per pod and 5 min. It moves no deadline and feeds no switch. */
export async function heartbeat(world: World, act: OwnerAct): Promise<Beaten> {
  const { record } = await findRecord(world, act.podId);
  mustOwn(record, act.owner, 'The heartbeat of');
  const op = { ...opBase(world, act.acting, 'heartbeat'), op: 'heartbeat' as const, pod: record.id };
  const submitted = await world.registry.submit([op]);
  const [result] = submitted.results;
  if (result?.kind === 'refused') {
    throw new Refusal(result.because, {
      tried: `The heartbeat of ${record.id}`,
      cameBack: result.detail,
      state: 'The record is as it was',
      next: `Look at it: podtrack explain ${record.id}`,
    });
  }
  return { record: submitted.state.pods[podKey(record)] ?? record, committed: result?.kind === 'applied' };
}

/** Writes the job's heartbeat file on the pod once, by the pod's own clock; makes no commit. */
export async function jobHeartbeat(world: World, act: OwnerAct): Promise<PodRecord> {
  const { record } = await findRecord(world, act.podId);
  mustOwn(record, act.owner, 'The heartbeat of');
  const refused = await withSession(world, record, async (session) =>
    refusedBecause(await session.run(beatCall())),
  );
  if (refused === null) return record;
  throw new WorldError('incomplete-answer', {
    tried: `Writing the job heartbeat on ${record.id}`,
    cameBack: `the pod refused it: ${refused}`,
    state: 'No fresh heartbeat stands on the pod',
    next: 'Look at it: podtrack probe',
  });
}
