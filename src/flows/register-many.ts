/** Enters the pods of a whole fan-out in one commit: each is checked by itself, and each has a result of its own. */
import { ConfigError, Refusal, WorldError } from '../domain/errors.ts';
import { judgeOwnership } from '../domain/owner.ts';
import { unseen } from '../domain/part.ts';
import { isLive, isSamePod, type PodRecord } from '../domain/pod.ts';
import { findRecord } from '../domain/registry/change.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { OpResult, Snapshot, World } from '../ports.ts';
import { softly } from './ask.ts';
import { reclaimOp, registerOp } from './entry/entry-ops.ts';
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
import { needsClaim } from './register.ts';

/** What became of one pod. `refused`: nothing of it was written, whatever became of the others. */
export type EnteredOne =
  | {
      readonly kind: 'registered' | 'reclaimed' | 'already-mine';
      readonly podId: string;
      readonly record: PodRecord;
      /** Kept outside the branch for now: the next writer or the reaper commits it. */
      readonly queued: boolean;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'refused';
      readonly podId: string;
      /** The gate, the input or the failure that speaks against it. */
      readonly reason: string;
      readonly says: string;
    };

export type EnteredMany = {
  readonly pods: readonly EnteredOne[];
  readonly version: string | null;
  readonly registryId: string;
  readonly warnings: readonly string[];
};

type Ready = {
  readonly kind: 'registered' | 'reclaimed' | 'already-mine';
  readonly podId: string;
  readonly op: RegistryOp | null;
  readonly record: PodRecord;
  readonly warnings: readonly string[];
};

/**
 * One read and one write for all of them. Throws ConfigError or Refusal where all are concerned (the key, the same id
 * twice), WorldError where the write fails: then none of them is entered. Otherwise look at each result.
 */
export async function registerMany(world: World, inputs: readonly RegisterInput[]): Promise<EnteredMany> {
  checkDistinct(inputs);
  const doubts = await checkKey(world);
  const snapshot = await world.registry.read();
  const looked = await Promise.all(
    inputs.map((input) => walledOff(input, () => prepare(world, input, snapshot))),
  );
  const ready = looked.filter((each): each is Ready => each.kind !== 'refused');
  const writes = ready.flatMap(({ podId, op }) => (op === null ? [] : [{ podId, op }]));
  const submitted = writes.length === 0 ? null : await world.registry.submit(writes.map(({ op }) => op));
  const results = new Map(writes.map(({ podId }, index) => [podId, submitted?.results[index]]));
  const state = submitted?.state ?? snapshot.state;
  const warnings = [...doubts, ...saysLateSweep(snapshot, world.clock.now())];
  return {
    pods: looked.map((each) =>
      each.kind === 'refused' ? each : outcome(each, findRecord(state, each.podId), results.get(each.podId)),
    ),
    version: submitted?.version ?? snapshot.version,
    registryId: state.meta.registryId,
    warnings,
  };
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

/** What speaks against one pod stops no other. */
async function walledOff(
  { podId }: RegisterInput,
  work: () => Promise<Ready>,
): Promise<Ready | Extract<EnteredOne, { kind: 'refused' }>> {
  return await work().catch((error: unknown) => {
    if (!(error instanceof Refusal || error instanceof ConfigError || error instanceof WorldError))
      throw error;
    return { kind: 'refused' as const, podId, reason: reasonOf(error), says: error.message };
  });
}

function reasonOf(error: Refusal | ConfigError | WorldError): string {
  if (error instanceof Refusal) return error.gate;
  return error instanceof ConfigError ? error.input : error.failure;
}

/** All checks of register, and the op that is still to be written. */
async function prepare(world: World, input: RegisterInput, snapshot: Snapshot): Promise<Ready> {
  checkArtifacts(input);
  const pod = await findPod(world, input.podId);
  checkRegistry(snapshot, pod, input);
  const existing = findRecord(snapshot.state, pod.id);
  if (existing !== null && isLive(existing) && isSamePod(existing, pod))
    return await prepareExisting(world, input, existing);
  const warnings = await checkTaking(world, input, pod, snapshot.state.meta.registryId);
  const op = await registerOp(world, input, pod);
  return { kind: 'registered', podId: pod.id, op, record: op.record, warnings };
}

async function prepareExisting(world: World, input: RegisterInput, record: PodRecord): Promise<Ready> {
  const answers = await softly(() => world.ci.liveness([record.owner]));
  const former = answers.kind === 'seen' ? (answers.value[0] ?? unseen('no answer')) : answers;
  const { kind } = judgeOwnership(record.owner, input.owner, former);
  if (kind !== 'mine' && kind !== 'reclaim') throw needsClaim(record, kind);
  checkNotEnding(record, world.clock.now());
  const of = { podId: record.id, record, warnings: [] };
  if (kind === 'mine') return { ...of, kind: 'already-mine', op: null };
  return { ...of, kind: 'reclaimed', op: reclaimOp(world, input, record) };
}

function outcome(ready: Ready, after: PodRecord | null, result: OpResult | undefined): EnteredOne {
  const { kind, podId, warnings } = ready;
  if (result?.kind === 'refused')
    return { kind: 'refused', podId, reason: result.because, says: `${podId}: ${result.detail}` };
  return { kind, podId, record: after ?? ready.record, queued: result?.kind === 'queued', warnings };
}
