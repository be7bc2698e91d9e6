/** Enters a running pod into the registry: every check before the write, and the record before anything else. */
import { formatDuration } from '../domain/duration.ts';
import { Refusal, WorldError } from '../domain/errors.ts';
import { ownerName } from '../domain/owner.ts';
import { isLive, isSamePod, type PodRecord, podKey } from '../domain/pod.ts';
import { stampOf } from '../domain/policy/reconcile.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import { findRecord } from '../domain/registry/change.ts';
import type { WriteSlot } from '../domain/registry/write-slot.ts';
import type { Snapshot, World } from '../ports.ts';
import { reclaimOp, registerOp } from './entry/entry-ops.ts';
import { notRecorded } from './entry/not-recorded.ts';
import {
  checkArtifacts,
  checkKey,
  checkNotEnding,
  checkRegistry,
  checkTaking,
  findPod,
  type RegisterInput,
  saysLateSweep,
} from './entry/register-checks.ts';
import { adoptionOp, hasProven, ownershipOf, saysOldChoice } from './entry/take-existing.ts';
import { checkReaper, saysDeaf } from './entry/watchers.ts';
import { readInTurn } from './entry/write-slot.ts';

export type Registered = {
  readonly record: PodRecord;
  readonly version: string | null;
  /** Of the registry that holds the record. */
  readonly registryId: string;
  readonly how: 'registered' | 'reclaimed' | 'already-mine';
  readonly warnings: readonly string[];
};

/** Throws ConfigError or Refusal and leaves the pod untouched; the record stands when this returns. */
export async function register(
  world: World,
  input: RegisterInput,
  slot: WriteSlot | null = null,
): Promise<Registered> {
  checkArtifacts(input);
  const doubts = await checkKey(world);
  const deaf = saysDeaf(world, input.owner);
  const pod = await findPod(world, input.podId);
  const snapshot = await readInTurn(world, { pods: [pod], owner: input.owner, slot });
  checkRegistry(snapshot, pod, input);
  const now = world.clock.now();
  checkReaper(snapshot, input, now);
  const warnings = [...doubts, ...saysLateSweep(snapshot, now), ...(await deaf)];
  const existing = findRecord(snapshot.state, pod.id);
  if (existing !== null && isLive(existing) && isSamePod(existing, pod)) {
    return await takeExisting(world, input, { record: existing, snapshot, warnings, slot });
  }
  const more = await checkTaking(world, input, pod, snapshot.state.meta.registryId);
  return await enter(world, input, pod, [...warnings, ...more]);
}

type Existing = {
  readonly record: PodRecord;
  readonly snapshot: Snapshot;
  readonly warnings: readonly string[];
  readonly slot: WriteSlot | null;
};

/** A record is there already: mine, to be reclaimed, or another owner's. */
async function takeExisting(
  world: World,
  input: RegisterInput,
  { record, snapshot, warnings, slot }: Existing,
): Promise<Registered> {
  const ownership = await ownershipOf(world, record, input.owner);
  if (ownership === 'mine') {
    checkNotEnding(record, world.clock.now());
    if (!hasProven(slot, record, input.owner)) await world.registry.probeWrite();
    const mine = await noteAdoption(world, input, record);
    const told = [...warnings, ...saysOldChoice(mine, input)];
    const { registryId } = snapshot.state.meta;
    return { record: mine, version: snapshot.version, registryId, how: 'already-mine', warnings: told };
  }
  const op = reclaimOp(world, input, record);
  const submitted = await world.registry.submit([op]);
  const [result] = submitted.results;
  const after = submitted.state.pods[podKey(record)];
  if (result?.kind === 'refused' || after === undefined) {
    throw refusedByRegistry(record.id, result?.kind === 'refused' ? result.detail : 'the record is gone');
  }
  const mine = await noteAdoption(world, input, after);
  world.log.say('notice', `${record.id}: reclaimed from an earlier process of ${ownerName(input.owner)}`);
  const told = [...warnings, ...saysOldChoice(mine, input)];
  const { registryId } = submitted.state.meta;
  return { record: mine, version: submitted.version, registryId, how: 'reclaimed', warnings: told };
}

async function noteAdoption(world: World, input: RegisterInput, record: PodRecord): Promise<PodRecord> {
  const op = adoptionOp(world, input, record);
  if (op === null) return record;
  const { state } = await world.registry.submit([op]);
  return state.pods[podKey(record)] ?? record;
}

export function refusedByRegistry(podId: string, detail: string, gate = 'registry-refused'): Refusal {
  return new Refusal(gate, {
    tried: `Writing the record of ${podId}`,
    cameBack: detail,
    state: 'The pod was not touched and is not registered by this job',
    next: 'Look at its record with: podtrack list --all',
  });
}

async function enter(
  world: World,
  input: RegisterInput,
  pod: ProviderPod,
  warnings: readonly string[],
): Promise<Registered> {
  const op = await registerOp(world, input, pod);
  const { record } = op;
  try {
    const submitted = await world.registry.submit([op]);
    const [result] = submitted.results;
    const after = submitted.state.pods[podKey(record)];
    if (result?.kind === 'refused' || after === undefined) {
      throw refusedByRegistry(pod.id, result?.kind === 'refused' ? result.detail : 'the record is missing');
    }
    const { registryId } = submitted.state.meta;
    return { record: after, version: submitted.version, registryId, how: 'registered', warnings };
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const own = input.ownNonce !== null && stampOf(pod)?.nonce === input.ownNonce;
    throw await notRecorded(world, record, own, error);
  }
}

/** What register says about the limits it has set. */
export function saysDeadlines(record: PodRecord, now: number): string {
  const { ownerSetAt, absoluteDeadlineAt } = record.deadlines;
  return `ends in ${formatDuration(ownerSetAt - now)}, at the latest in ${formatDuration(absoluteDeadlineAt - now)}`;
}
