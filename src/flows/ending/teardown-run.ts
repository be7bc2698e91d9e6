/** Teardown of several pods: those that were named, or all that a run still holds, also what was left by jobs that are over. */
import { formatInstant } from '../../domain/instant.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { legName, type Owner, sameOwner } from '../../domain/owner.ts';
import { isLive, type PodRecord } from '../../domain/pod.ts';
import { findRecord } from '../../domain/registry/change.ts';
import { allRecords, type RegistryState } from '../../domain/registry/state.ts';
import type { World } from '../../ports.ts';
import { softly } from '../ask.ts';
import { claim } from '../claim.ts';
import { inLanes } from '../lanes.ts';
import { walled } from '../wall.ts';
import { type TeardownOwnInput, teardownOwn } from './teardown-own.ts';

/** Connections and pulls at the same time; a commit is shared by whoever waits for one. */
const LANES = 16;

export type TeardownRunInput = Omit<TeardownOwnInput, 'podId' | 'localPath'> & {
  /** Where the copy of each pod goes; null = below the mirror root. */
  readonly placeOf: (podId: string) => string | null;
};

/** What lives under this name: of this run in all its attempts, or of the given label. */
export function heldBy(state: RegistryState, owner: Owner): readonly PodRecord[] {
  return allRecords(state).filter((record) => isLive(record) && sameOwner(record.owner, owner));
}

/** Several at once, each behind its own wall; an empty list = nothing of this owner lives. Throws WorldError for the registry. */
export async function teardownRun(world: World, input: TeardownRunInput): Promise<readonly Outcome[]> {
  const { state } = await world.registry.read();
  return await inLanes(LANES, heldBy(state, input.owner), async (record) => {
    const outcome = await walled(record.id, 'teardown', () => endOne(world, input, record));
    return { ...outcome, detail: { ...outcome.detail, leg: legName(record.owner) } };
  });
}

/** Those that were named: each by itself, and each with an outcome, also where there is no record of it. */
export async function teardownListed(
  world: World,
  input: TeardownRunInput,
  podIds: readonly string[],
): Promise<readonly Outcome[]> {
  const { state } = await world.registry.read();
  const { acting, owner, forcedBecause } = input;
  return await inLanes(LANES, podIds, async (podId) => {
    const outcome = await walled(podId, 'teardown', async () => {
      if (forcedBecause !== null) await claim(world, { acting, owner, podId, killInMs: null, forcedBecause });
      return await teardownOwn(world, { ...input, podId, localPath: input.placeOf(podId) });
    });
    const record = findRecord(state, podId);
    const leg = record === null ? 'no record' : legName(record.owner);
    return { ...outcome, detail: { ...outcome.detail, leg } };
  });
}

async function endOne(world: World, input: TeardownRunInput, record: PodRecord): Promise<Outcome> {
  const { acting, owner, forcedBecause } = input;
  const podId = record.id;
  const because = forcedBecause === null ? await leaveIt(world, input, record) : null;
  if (because !== null) return left(podId, because);
  if (record.owner.uuid !== owner.uuid)
    await claim(world, { acting, owner, podId, killInMs: null, forcedBecause });
  return await teardownOwn(world, { ...input, podId, localPath: input.placeOf(podId) });
}

type Because = Pick<Outcome, 'reason' | 'says'>;

/** Why nothing is to be done here; of an owner of whom nothing is known `claim` says what to do. */
async function leaveIt(
  world: World,
  { owner }: Pick<TeardownOwnInput, 'owner'>,
  record: PodRecord,
): Promise<Because | null> {
  const { keepUntilAt } = record.deadlines;
  if (keepUntilAt !== null && keepUntilAt > world.clock.now())
    return { reason: 'kept', says: `it is kept until ${formatInstant(keepUntilAt)} and was left up` };
  // Nobody's yet, or mine: no process has to be asked about.
  if (record.owner.uuid === owner.uuid || record.owner.job === null) return null;
  const answers = await softly(() => world.ci.liveness([record.owner]));
  const former = answers.kind === 'seen' ? answers.value[0] : undefined;
  if (former?.kind !== 'seen' || former.value.state !== 'in-progress') return null;
  return { reason: 'not-mine', says: `its job ${record.owner.job} still runs and was left to end it` };
}

function left(pod: string, because: Because): Outcome {
  return { pod, order: 'teardown', kind: 'done', ...because, detail: { left: true } };
}
