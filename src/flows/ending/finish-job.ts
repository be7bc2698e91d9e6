/** What a job does with its pod when it ends: enter it if that was cut short, then end it, stop it, or keep it for a while. */
import { formatDuration } from '../../domain/duration.ts';
import { WorldError } from '../../domain/errors.ts';
import type { Ending } from '../../domain/job-end.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { type Owner, ownerName, sameOwner } from '../../domain/owner.ts';
import { isLive, type PodRecord } from '../../domain/pod.ts';
import { findRecord } from '../../domain/registry/change.ts';
import type { OpOf } from '../../domain/registry/ops.ts';
import type { RegistryState } from '../../domain/registry/state.ts';
import type { Snapshot, World } from '../../ports.ts';
import type { Acting } from '../acting.ts';
import { softly } from '../ask.ts';
import type { RegisterInput } from '../entry/register-checks.ts';
import { keepPod } from '../keep-pod.ts';
import { register } from '../register.ts';
import { settleBase } from '../watch/settle.ts';
import { endOwn } from './end-own.ts';
import { endUnfenced, type KnownPod } from './end-unfenced.ts';
import { releaseFence, renewFence } from './fence.ts';
import { stopOwn } from './stop-own.ts';
import { reopened } from './teardown-own.ts';

export type FinishInput = {
  /** What register was asked for, and under which owner. */
  readonly register: RegisterInput;
  /** Whether main knew that its record stands; false = it was cut before it could know. */
  readonly entered: boolean;
  readonly ending: Ending;
  readonly keepForMs: number;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  readonly waitMs: number;
  /** The record as main left it; null = main was cut before it stood. */
  readonly known: KnownPod | null;
};

/**
 * A registry that fails does not stop the end of the job's own pod: its mark then decides. One that answers and whose
 * every race was lost has not failed: another may hold the fence by then. Throws WorldError `conflict` for that.
 * `reading` = one look at the registry for all pods of the job.
 */
export async function finishJob(
  world: World,
  input: FinishInput,
  reading: Promise<Snapshot> = world.registry.read(),
): Promise<Outcome> {
  try {
    return await finishByRecord(world, input, (await reading).state);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const { known, ending, localPath, pullBudgetMs } = input;
    if (known === null || ending !== 'teardown' || error.failure === 'conflict') throw error;
    const { acting } = input.register;
    return await endUnfenced(world, { acting, known, localPath, pullBudgetMs, cause: error });
  }
}

/**
 * Throws Refusal or ConfigError when the record was never written and may not be written now, WorldError for
 * the registry: in each case the pod was left as it is.
 */
async function finishByRecord(world: World, input: FinishInput, state: RegistryState): Promise<Outcome> {
  const { acting, owner, podId } = input.register;
  const recorded = findRecord(state, podId) ?? undefined;
  if (recorded === undefined && (await isAway(world, podId))) {
    return quiet(podId, 'no-pod', 'it was never recorded, and the account has no such pod');
  }
  const cut = !input.entered && (recorded === undefined || isEarlierMine(recorded, owner));
  const found = recorded === undefined || cut ? await enterLate(world, input) : recorded;
  const record = found.status === 'lost' ? await backAgain(world, input, found) : found;
  if (!isLive(record)) {
    const how = record.end === null ? '' : `, because ${record.end.reason}`;
    return quiet(podId, 'already-ended', `it was ended before the job was: ${record.status}${how}`);
  }
  if (record.owner.uuid !== owner.uuid) {
    return quiet(podId, 'not-mine', `it belongs to ${ownerName(record.owner)} by now and was left to it`);
  }
  if (input.ending === 'keep') {
    const why = `the job ended and asked for ${formatDuration(input.keepForMs)} more`;
    return await keepPod(world, { acting, record, keepForMs: input.keepForMs, why });
  }
  const { localPath, pullBudgetMs, waitMs } = input;
  if (input.ending === 'stop') {
    const stopped = await stopOwn(world, { acting, record, localPath, pullBudgetMs });
    if (stopped !== null) return stopped;
  }
  const how = { reason: 'requested' as const, choice: null, skipPull: false };
  return await endOwn(world, { acting, record, localPath, pullBudgetMs, waitMs, ...how });
}

/** Register was cut before its commit: nobody else knows of this pod, so what was begun is done now. */
async function enterLate(world: World, input: FinishInput): Promise<PodRecord> {
  const { podId } = input.register;
  world.log.say(
    'warning',
    `${podId}: the job ended before its record was written; writing it now, to end it`,
  );
  // Whether anybody watches was a question for the job that was to come: now there is only its end.
  return (await register(world, { ...input.register, freshReaperMs: null })).record;
}

/** Nobody has ended a lost pod: it is asked for once more before the job leaves. */
async function backAgain(
  world: World,
  { register: { acting } }: FinishInput,
  lost: PodRecord,
): Promise<PodRecord> {
  const asked = await softly(() => reopened(world, acting, lost));
  return asked.kind === 'seen' ? asked.value : lost;
}

/** The same owner's record, under the uuid of a process that came before this one. */
function isEarlierMine(record: PodRecord, owner: Owner): boolean {
  return isLive(record) && record.owner.uuid !== owner.uuid && sameOwner(record.owner, owner);
}

async function isAway(world: World, podId: string): Promise<boolean> {
  return (await world.provider.get(podId)).kind === 'absent';
}

function quiet(pod: string, reason: string, says: string): Outcome {
  return { pod, order: 'teardown', kind: 'done', reason, says, detail: {} };
}

/** Says in the record that the time ran out, and lets whoever comes next take over at once. */
export async function handOver(world: World, input: FinishInput, why: string): Promise<Outcome> {
  const { acting, podId } = input.register;
  const { state } = await world.registry.read();
  const record = state.pods[`runpod.${podId}`];
  const says = `not finished: ${why}; its record says so, and the reaper goes on from there`;
  const told = { pod: podId, order: 'teardown' as const, kind: 'handed-over' as const, says, detail: {} };
  if (record === undefined || !isLive(record)) return { ...told, reason: 'out-of-time' };
  const learned = {
    ...settleBase(world, acting, record),
    note: `handed over by the post step: ${why}`.slice(0, 300),
  };
  if (record.fence?.holder !== acting.holder) await world.registry.submit([learned]);
  else await letLapse(world, acting, record, learned);
  return { ...told, reason: 'out-of-time' };
}

/** The end stays wanted by a fence that lapses; where that race is lost too, it is given back, which may be queued. */
async function letLapse(
  world: World,
  acting: Acting,
  record: PodRecord,
  learned: OpOf<'settle'>,
): Promise<void> {
  const step = record.fence?.step ?? 'fenced';
  const lapsed = await softly(() => renewFence(world, acting, record, { step, lapse: true, learned }));
  if (lapsed.kind === 'unseen') await releaseFence(world, acting, record, learned.note ?? '');
  if (lapsed.kind === 'unseen' || lapsed.value.kind === 'refused') await world.registry.submit([learned]);
}
