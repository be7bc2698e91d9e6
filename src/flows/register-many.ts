/** Enters several pods in one commit: those of a fan-out each by itself, those of one job all together or none. */
import { ConfigError, Refusal, WorldError } from '../domain/errors.ts';
import { ownerName } from '../domain/owner.ts';
import { isLive, isSamePod, type PodRecord } from '../domain/pod.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import { applyAll } from '../domain/registry/apply.ts';
import { findRecord } from '../domain/registry/change.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { WriteSlot } from '../domain/registry/write-slot.ts';
import type { OpResult, Snapshot, World } from '../ports.ts';
import { reclaimOp, registerOp } from './entry/entry-ops.ts';
import { refusedTogether } from './entry/refused-together.ts';
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
import { refusedByRegistry } from './register.ts';

/** What became of one pod that stands in the registry as this owner's. */
export type Entered = {
  readonly kind: 'registered' | 'reclaimed' | 'already-mine';
  readonly podId: string;
  readonly record: PodRecord;
  /** Kept outside the branch for now: the next writer or the reaper commits it. */
  readonly queued: boolean;
  readonly warnings: readonly string[];
};

/** Nothing of it was written, whatever became of the others. */
export type RefusedOne = {
  readonly kind: 'refused';
  readonly podId: string;
  /** The gate, the input or the failure that speaks against it. */
  readonly reason: string;
  readonly says: string;
  readonly error: Refusal | ConfigError | WorldError;
};
export type EnteredOne = Entered | RefusedOne;

export type EnteredMany = {
  readonly pods: readonly EnteredOne[];
  readonly version: string | null;
  readonly registryId: string;
  readonly warnings: readonly string[];
};

type Ready = {
  readonly kind: Entered['kind'];
  readonly input: RegisterInput;
  readonly ops: readonly RegistryOp[];
  readonly record: PodRecord;
  readonly warnings: readonly string[];
};

/** Everything is looked at, and nothing is written yet. */
type Looked = {
  readonly snapshot: Snapshot;
  readonly pods: readonly (Ready | RefusedOne)[];
  readonly warnings: readonly string[];
};

/**
 * One read and one write for all of them. Throws ConfigError or Refusal where all are concerned (the key, the same id
 * twice), WorldError where the write fails: then none of them is entered. Otherwise look at each result.
 */
export async function registerMany(world: World, inputs: readonly RegisterInput[]): Promise<EnteredMany> {
  return await enter(world, await lookAt(world, inputs, null));
}

/**
 * The pods of one job: what speaks against one of them is thrown before any is entered. A pod that was taken by
 * somebody else between the look and the commit is `refused` beside those that were entered.
 */
export async function registerTogether(
  world: World,
  inputs: readonly RegisterInput[],
  slot: WriteSlot | null,
): Promise<EnteredMany> {
  for (const input of inputs.slice(0, 1)) checkArtifacts(input);
  const looked = await lookAt(world, inputs, slot);
  const refused = [...looked.pods.filter((each) => each.kind === 'refused'), ...refusedByRules(looked)];
  const none = `None of the ${inputs.length} pods was touched or registered`;
  if (refused.length > 0) throw refusedTogether(refused, none);
  const ready = readyOf(looked);
  const isProven = ready.every(({ record, input }) => hasProven(slot, record, input.owner));
  if (ready.every(({ ops }) => ops.length === 0) && !isProven) await world.registry.probeWrite();
  const entered = await enterOrTell(world, looked);
  for (const each of entered.pods) {
    if (each.kind !== 'reclaimed') continue;
    const { record, podId } = each;
    world.log.say('notice', `${podId}: reclaimed from an earlier process of ${ownerName(record.owner)}`);
  }
  return entered;
}

async function lookAt(
  world: World,
  inputs: readonly RegisterInput[],
  slot: WriteSlot | null,
): Promise<Looked> {
  checkDistinct(inputs);
  const [first] = inputs;
  if (first === undefined) throw new Error('no pod to register');
  const doubts = await checkKey(world);
  const deaf = saysDeaf(world, first.owner);
  const found = await Promise.all(
    inputs.map((input) =>
      walledOff(
        input,
        async () => ({ kind: 'found', input, pod: await findPod(world, input.podId) }) as const,
      ),
    ),
  );
  const there = found.filter((each) => each.kind === 'found').map(({ pod }) => pod);
  const snapshot = await readInTurn(world, { pods: there, owner: first.owner, slot });
  const now = world.clock.now();
  checkReaper(snapshot, { ...first, podId: inputs.map(({ podId }) => podId).join(', ') }, now);
  const pods = await Promise.all(
    found.map(async (each) =>
      each.kind === 'refused' ? each : await walledOff(each.input, () => prepare(world, each, snapshot)),
    ),
  );
  return { snapshot, pods, warnings: [...doubts, ...saysLateSweep(snapshot, now), ...(await deaf)] };
}

const readyOf = ({ pods }: Pick<Looked, 'pods'>): readonly Ready[] =>
  pods.filter((each) => each.kind !== 'refused');

/** What the registry's own rules have against it, asked of the state that was read: its one way to change is pure. */
function refusedByRules(looked: Looked): readonly RefusedOne[] {
  const ready = readyOf(looked);
  const { results } = applyAll(
    looked.snapshot.state,
    ready.flatMap(({ ops }) => ops),
  );
  return outcomes(ready, results).flatMap(({ of, refusal }) =>
    refusal === null ? [] : [asRefused(of.input, refusal)],
  );
}

async function enter(world: World, looked: Looked): Promise<EnteredMany> {
  const ready = readyOf(looked);
  const ops = ready.flatMap((each) => each.ops);
  const submitted = ops.length === 0 ? null : await world.registry.submit(ops);
  const state = submitted?.state ?? looked.snapshot.state;
  const became = new Map(outcomes(ready, submitted?.results ?? []).map((each) => [each.of, each] as const));
  return {
    pods: looked.pods.map((each) => {
      if (each.kind === 'refused') return each;
      const { input, kind, warnings } = each;
      const { refusal, queued } = became.get(each) ?? { refusal: null, queued: false };
      if (refusal !== null) return asRefused(input, refusal);
      const record = findRecord(state, input.podId) ?? each.record;
      return { kind, podId: input.podId, record, queued, warnings };
    }),
    version: submitted?.version ?? looked.snapshot.version,
    registryId: state.meta.registryId,
    warnings: looked.warnings,
  };
}

/** None of them is of this job's making, so none is ended over a registry that fails. */
async function enterOrTell(world: World, looked: Looked): Promise<EnteredMany> {
  try {
    return await enter(world, looked);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const ids = readyOf(looked).map(({ input }) => input.podId);
    const state = `${ids.join(', ')} were left running, and none of them is known to be registered`;
    const { status, retryable } = error;
    throw new WorldError(error.failure, { ...error.told, state, cause: error }, { status, retryable });
  }
}

type Became = { readonly of: Ready; readonly refusal: Refusal | null; readonly queued: boolean };

/** `results` = one per op of all of them, in order. */
function outcomes(ready: readonly Ready[], results: readonly OpResult[]): readonly Became[] {
  let from = 0;
  return ready.map((of) => {
    const own = results.slice(from, from + of.ops.length);
    from += of.ops.length;
    const no = own.find((result) => result.kind === 'refused');
    const refusal = no === undefined ? null : refusedByRegistry(of.input.podId, no.detail, no.because);
    return { of, refusal, queued: own.some(({ kind }) => kind === 'queued') };
  });
}

function checkDistinct(inputs: readonly RegisterInput[]): void {
  const seen = new Set<string>();
  for (const { podId } of inputs) {
    if (!seen.has(podId)) seen.add(podId);
    else
      throw new ConfigError('pod-id', {
        tried: `Registering ${inputs.length} pods`,
        cameBack: `${podId} is named twice`,
        state: 'Nothing was registered',
        next: 'Name every pod once',
      });
  }
}

/** What speaks against one pod stops no other from being looked at. */
async function walledOff<T>(input: RegisterInput, work: () => Promise<T>): Promise<T | RefusedOne> {
  return await work().catch((error: unknown) => {
    if (!(error instanceof Refusal || error instanceof ConfigError || error instanceof WorldError))
      throw error;
    return asRefused(input, error);
  });
}

function asRefused({ podId }: RegisterInput, error: RefusedOne['error']): RefusedOne {
  return { kind: 'refused', podId, reason: reasonOf(error), says: error.message, error };
}

function reasonOf(error: RefusedOne['error']): string {
  if (error instanceof Refusal) return error.gate;
  return error instanceof ConfigError ? error.input : error.failure;
}

type Found = { readonly input: RegisterInput; readonly pod: ProviderPod };

/** All checks of register, and the ops that are still to be written. */
async function prepare(world: World, { input, pod }: Found, snapshot: Snapshot): Promise<Ready> {
  checkArtifacts(input);
  checkRegistry(snapshot, pod, input);
  const existing = findRecord(snapshot.state, pod.id);
  if (existing !== null && isLive(existing) && isSamePod(existing, pod))
    return await prepareExisting(world, input, existing);
  const warnings = await checkTaking(world, input, pod, snapshot.state.meta.registryId);
  const op = await registerOp(world, input, pod);
  return { kind: 'registered', input, ops: [op], record: op.record, warnings };
}

async function prepareExisting(world: World, input: RegisterInput, record: PodRecord): Promise<Ready> {
  const ownership = await ownershipOf(world, record, input.owner);
  checkNotEnding(record, world.clock.now());
  const adoption = adoptionOp(world, input, record);
  const noted = adoption === null ? [] : [adoption];
  const of = { input, record, warnings: saysOldChoice(record, input) };
  if (ownership === 'mine') return { ...of, kind: 'already-mine', ops: noted };
  return { ...of, kind: 'reclaimed', ops: [reclaimOp(world, input, record), ...noted] };
}
