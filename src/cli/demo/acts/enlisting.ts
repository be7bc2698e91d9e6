/** Act: the three pods of ours are entered into the registry, and a dead-man switch is planted on each. */
import { formatDuration } from '../../../domain/duration.ts';
import type { Owner } from '../../../domain/owner.ts';
import type { PodRecord } from '../../../domain/pod.ts';
import { actingOwner } from '../../../flows/acting.ts';
import type { Armed } from '../../../flows/arm.ts';
import { armPod } from '../../../flows/arm-pod.ts';
import { register } from '../../../flows/register.ts';
import { BUSY, killInMs, OURS, PET_WINDOW_MS, RESULTS } from '../cast.ts';
import type { Narrator } from '../narrator.ts';
import type { Scene } from '../scene.ts';
import { guardOf } from '../watch.ts';

export async function enlisting(scene: Scene, tell: Narrator): Promise<void> {
  tell.act(
    'Register and arm',
    'First each pod gets a record in the registry, a branch in git: whose it is and when it must end. Then a switch is ' +
      'planted on the pod itself over SSH, which ends the pod on its own should everybody else forget it.',
  );
  const owner = demoOwner(scene.world.chance.uuid());
  const records = await allOf(OURS.map((pod) => enter(scene, owner, pod)));
  for (const { name, deadlines, registeredAt } of records) {
    const left = formatDuration(deadlines.ownerSetAt - registeredAt);
    tell.tell(`registered: ends in ${left} unless its owner says otherwise`, {}, name);
  }
  const armed = await allOf(OURS.map((pod) => plant(scene, owner, pod)));
  for (const { record, facts, status } of armed) tellArmed(tell, record, { facts, status });
  await checkGuards(scene, tell, armed);
}

/** Like Promise.all, but nothing is under way any more when it rejects. */
async function allOf<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works);
  return await Promise.all(works);
}

function demoOwner(uuid: string): Owner {
  const nobody = { attempt: null, job: null, matrix: null, checkRunId: null, repository: null };
  return { label: 'demo/train', labelGiven: true, key: null, uuid, ...nobody };
}

async function enter(scene: Scene, owner: Owner, podId: string): Promise<PodRecord> {
  const registered = await register(scene.world, {
    acting: actingOwner(owner, null),
    owner,
    podId,
    remotePath: RESULTS,
    choice: null,
    noArtifacts: false,
    allowEmpty: false,
    killInMs: killInMs(podId),
    killInGiven: true,
    killAbsoluteMs: null,
    rules: scene.rules,
    gpu: null,
    costPerHourMicroUsd: null,
    volumeId: null,
    expectedAddress: { host: null, port: null },
    adopt: false,
    runStartedAt: null,
    freshReaperMs: null,
    ownNonce: null,
  });
  return registered.record;
}

async function plant(scene: Scene, owner: Owner, podId: string): Promise<Armed> {
  const act = { acting: actingOwner(owner, null), owner, podId };
  // Only a pod whose job beats may be ended for want of a sign of life.
  const petWindowMs = podId === BUSY ? PET_WINDOW_MS : null;
  return await armPod(scene.world, act, {
    keys: scene.keys,
    petWindowMs,
    killInMs: null,
    killAbsoluteMs: null,
  });
}

function tellArmed(tell: Narrator, record: PodRecord, { facts, status }: Omit<Armed, 'record'>): void {
  const stop = status.deadlines.kind === 'seen' ? formatDuration(status.deadlines.value.stopInMs) : 'unknown';
  const window =
    facts.petWindowMs === null
      ? ''
      : `, or ${formatDuration(facts.petWindowMs)} after the last sign of life of its job or its keeper`;
  const key = facts.credential === 'injected' ? 'the key that RunPod gave this pod alone' : facts.credential;
  tell.tell(`armed with ${key}; fires in ${stop}${window}`, { credential: facts.credential }, record.name);
}

async function checkGuards(scene: Scene, tell: Narrator, armed: readonly Armed[]): Promise<void> {
  const guards = await Promise.all(
    OURS.map(async (pod) => [await guardOf(scene, pod, 'watchdog'), await guardOf(scene, pod, 'supervisor')]),
  );
  const pids = guards.flat();
  tell.check(
    armed.every(({ status }) => status.armed) && pids.every((pid) => pid !== null),
    'On each of the three pods a watchdog lives, and a supervisor that minds it.',
    { processes: pids.join(' ') },
  );
}
