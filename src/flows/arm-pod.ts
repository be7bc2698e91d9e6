/** Arm from outside a cycle: the owner's own pod, over a connection of its own. */
import { Refusal, WorldError } from '../domain/errors.ts';
import { isFresh } from '../domain/heartbeat.ts';
import { isLive, type PodRecord } from '../domain/pod.ts';
import { probeCall, readProbe } from '../domain/switch/probe.ts';
import type { ShellSession, World } from '../ports.ts';
import type { Acting } from './acting.ts';
import { type Armed, type ArmKeys, arm } from './arm.ts';
import { findRecord, mustOwn } from './find-record.ts';
import type { OwnerAct } from './move-deadline.ts';
import { shownPod, withSession } from './shown-pod.ts';
import { type LimitsWish, setLimits } from './switch/set-limits.ts';

export type ArmWish = {
  readonly keys: ArmKeys;
  /** null = the switch does not mind how long nobody petted. */
  readonly petWindowMs: number | null;
};

/** New limits are committed before the switch is planted with them. Throws Refusal, ConfigError and WorldError. */
export async function armPod(world: World, act: OwnerAct, wish: ArmWish & LimitsWish): Promise<Armed> {
  const { record: found, snapshot } = await findRecord(world, act.podId);
  mustOwn(found, act.owner, 'Arming');
  if (!isLive(found)) {
    throw new Refusal('not-active', {
      tried: `Arming ${found.id}`,
      cameBack: `its record says ${found.status}`,
      state: 'Nothing was changed',
      next: 'Register a pod that runs',
    });
  }
  await shownPod(world, found);
  const record = await setLimits(world, act, found, wish);
  return await armRecord(
    world,
    { record, acting: act.acting, registryId: snapshot.state.meta.registryId },
    wish,
  );
}

/** Arms a record that was just read or written. */
export async function armRecord(
  world: World,
  of: { readonly record: PodRecord; readonly acting: Acting; readonly registryId: string },
  wish: ArmWish,
): Promise<Armed> {
  return await withSession(world, of.record, async (session, pod) => {
    if (wish.petWindowMs !== null) await mustBeat(session, of.record);
    const armed = await arm(world, { ...of, session, pod, keys: wish.keys, petWindowMs: wish.petWindowMs });
    await mustCopy(world, session, of.record);
    return armed;
  });
}

/** A pod whose image lacks what a pull needs: told before the job runs, not when its results wait. */
async function mustCopy(world: World, session: ShellSession, record: PodRecord): Promise<void> {
  if (record.artifacts.none) return;
  try {
    await world.mirror.ready(session);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const { cameBack } = error.told;
    if (error.failure !== 'unexpected-answer') {
      world.log.say('warning', `${record.id}: whether its results can be copied is not known: ${cameBack}`);
      return;
    }
    throw new Refusal('no-way-to-copy', {
      tried: `Making sure that the results of ${record.id} can be copied`,
      cameBack,
      state: 'It is registered and armed, and ends at its deadline; no results of it could be saved',
      next: 'Install what is missing in the image, or register with no-artifacts',
      cause: error,
    });
  }
}

/** A pet window without anything that pets would end a healthy pod. */
async function mustBeat(session: ShellSession, record: PodRecord): Promise<void> {
  const { heartbeat } = readProbe(await session.run(probeCall({ samples: 1 })));
  if (isFresh(heartbeat, record.rules.hbGraceMs)) return;
  throw new Refusal('pet-window', {
    tried: `Arming ${record.id} with a pet window`,
    cameBack: 'the pod shows no fresh heartbeat, so nothing would keep it alive',
    state: 'No switch was planted or changed',
    next: 'Start the heartbeat first (podtrack-job, or job-heartbeat), or leave the pet window out',
  });
}
