/** Enters a running pod into the registry: every check before the write, and the record before anything else. */
import { sameChoice, saysChoice } from '../domain/choice.ts';
import { formatDuration } from '../domain/duration.ts';
import { Refusal, WorldError } from '../domain/errors.ts';
import { ADOPTED } from '../domain/new-record.ts';
import { judgeOwnership, ownerName } from '../domain/owner.ts';
import { unseen } from '../domain/part.ts';
import { isLive, isSamePod, type PodRecord, podKey } from '../domain/pod.ts';
import { stampOf } from '../domain/policy/reconcile.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import { findRecord } from '../domain/registry/change.ts';
import { isLarge, type WriteSlot } from '../domain/registry/write-slot.ts';
import type { Snapshot, World } from '../ports.ts';
import { softly } from './ask.ts';
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
import { checkReaper, saysDeaf } from './entry/watchers.ts';
import { readInTurn } from './entry/write-slot.ts';
import { settleBase } from './watch/settle.ts';

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
  const snapshot = await readInTurn(world, { pod, owner: input.owner, slot });
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
  const answers = await softly(() => world.ci.liveness([record.owner]));
  const former = answers.kind === 'seen' ? (answers.value[0] ?? unseen('no answer')) : answers;
  const ownership = judgeOwnership(record.owner, input.owner, former);
  if (ownership.kind === 'mine') {
    checkNotEnding(record, world.clock.now());
    // Where this run has written the record, it has proven that it may: the legs of a fan-out need no commit each.
    if (!(slot !== null && isLarge(slot) && isOfThisRun(record, input.owner)))
      await world.registry.probeWrite();
    const mine = await noteAdoption(world, input, record);
    const told = [...warnings, ...saysOldChoice(mine, input)];
    const { registryId } = snapshot.state.meta;
    return { record: mine, version: snapshot.version, registryId, how: 'already-mine', warnings: told };
  }
  if (ownership.kind !== 'reclaim') throw needsClaim(record, ownership.kind);
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

function isOfThisRun({ owner }: PodRecord, { key, attempt }: RegisterInput['owner']): boolean {
  const same = owner.key?.runId === key?.runId && owner.key?.repositoryId === key?.repositoryId;
  return owner.key !== null && key !== null && same && owner.attempt === attempt;
}

/** What counts as verified is frozen with the first record: a later word must not make a half of it enough. */
function saysOldChoice({ artifacts }: PodRecord, input: RegisterInput): string[] {
  if (sameChoice(artifacts.choice, input.choice)) return [];
  const stands = saysChoice(artifacts.choice) ?? 'every file';
  return [
    `its record keeps what was chosen first: ${stands}; teardown takes another choice for its end alone`,
  ];
}

/** Said again with adopt after arming was refused over another registry's mark. */
async function noteAdoption(
  world: World,
  { acting, adopt }: RegisterInput,
  record: PodRecord,
): Promise<PodRecord> {
  if (!adopt || record.notes.includes(ADOPTED)) return record;
  const { state } = await world.registry.submit([{ ...settleBase(world, acting, record), note: ADOPTED }]);
  return state.pods[podKey(record)] ?? record;
}

export function needsClaim(record: PodRecord, kind: 'sibling-alive' | 'other'): Refusal {
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

export function refusedByRegistry(podId: string, detail: string): Refusal {
  return new Refusal('registry-refused', {
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
