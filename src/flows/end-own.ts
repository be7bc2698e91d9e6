/** Ends one pod on its owner's word, whatever state it is found in: alive, away, or being ended by somebody else. */
import { SECOND_MS } from '../domain/duration.ts';
import { WorldError } from '../domain/errors.ts';
import type { Outcome } from '../domain/outcome.ts';
import { isLive, type PodRecord, podKey } from '../domain/pod.ts';
import type { EndReason } from '../domain/policy/reasons.ts';
import type { ShellSession, World } from '../ports.ts';
import type { Acting } from './acting.ts';
import { softly } from './ask.ts';
import { settleEnd, terminateAndConfirm } from './end-pod.ts';
import { renewFence, takeFence } from './fence.ts';
import { teardown } from './teardown.ts';
import { openPod } from './visit.ts';

/** How often somebody else's fence is looked at while we wait for him. */
const FENCE_LOOK_MS = 10 * SECOND_MS;

export type EndOwnInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly reason: EndReason;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  readonly skipPull: boolean;
  /** How long another's fence may be waited for before the end is left to him. */
  readonly waitMs: number;
};

/** Never throws for the pod: what stands against its end is the outcome. Throws WorldError for the registry. */
export async function endOwn(world: World, input: EndOwnInput): Promise<Outcome> {
  const record = await pastOtherFence(world, input);
  if (!isLive(record)) return ended(record);
  if (isHeldByOther(world, input, record)) return leftToHolder(record);
  const look = await softly(() => world.provider.get(record.id));
  if (look.kind === 'seen' && look.value.kind === 'absent') return await endAbsent(world, input, record);
  const pod = look.kind === 'seen' && look.value.kind === 'present' ? look.value.pod : null;
  const wanted = pod !== null && !input.skipPull && !record.artifacts.none;
  const opened = wanted ? await softly(() => openPod(world, record, pod)) : null;
  const session = opened?.kind === 'seen' ? opened.value : null;
  const noSession =
    look.kind === 'unseen' ? look.reason : opened?.kind === 'unseen' ? opened.reason : 'no pull was wanted';
  return await closing(session, () =>
    teardown(world, {
      acting: input.acting,
      record,
      reason: input.reason,
      verdict: null,
      session,
      noSession,
      askAgain: null,
      localPath: input.localPath,
      pullBudgetMs: input.pullBudgetMs,
      skipPull: input.skipPull,
    }),
  );
}

async function closing<T>(session: ShellSession | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await session?.close();
  }
}

function isHeldByOther(world: World, input: EndOwnInput, record: PodRecord): boolean {
  const { fence } = record;
  return (
    record.status === 'terminating' &&
    fence !== null &&
    fence.holder !== input.acting.holder &&
    fence.until > world.clock.now()
  );
}

/** The record once nobody else ends the pod any more, or as it is when the patience is over. */
async function pastOtherFence(world: World, input: EndOwnInput): Promise<PodRecord> {
  const until = world.clock.now() + input.waitMs;
  let { record } = input;
  while (isHeldByOther(world, input, record) && world.clock.now() < until) {
    world.log.say('info', `${record.id}: ${record.fence?.holder ?? 'somebody'} is ending it; waiting`);
    await world.clock.sleep(Math.min(FENCE_LOOK_MS, until - world.clock.now()));
    const { state } = await world.registry.read();
    record = state.pods[podKey(record)] ?? record;
  }
  return record;
}

function outcome(record: PodRecord, kind: Outcome['kind'], reason: string, says: string): Outcome {
  return { pod: record.id, order: 'teardown', kind, reason, says, detail: {} };
}

function ended(record: PodRecord): Outcome {
  return outcome(record, 'done', 'already-ended', `its record says ${record.status} already`);
}

function leftToHolder(record: PodRecord): Outcome {
  const holder = record.fence?.holder ?? 'somebody else';
  return outcome(record, 'handed-over', 'fence-held', `${holder} is ending it and was left to do so`);
}

/** Nothing can be pulled from a pod that is away; DELETE, GET and a good list together may prove that it is. */
async function endAbsent(world: World, input: EndOwnInput, record: PodRecord): Promise<Outcome> {
  const why = { reason: input.reason, inferred: false };
  const fenced = await takeFence(world, input.acting, record, { ...why, verdict: null });
  if (fenced.kind === 'refused') {
    return outcome(record, 'handed-over', `fence-${fenced.because}`, `not ended: ${fenced.detail}`);
  }
  const held = fenced.record;
  const verified = held.artifacts.none ? null : (held.lastMirror?.verified ?? false);
  const ending = await terminateAndConfirm(world, held);
  if (ending.kind === 'failed' || ending.kind === 'pending') {
    await renewFence(world, input.acting, held, { step: 'deleted', lapse: true });
    return outcome(
      held,
      'pending',
      'not-confirmed',
      `the provider shows no such pod, but ${ending.why}; a later cycle settles it`,
    );
  }
  const how = ending.kind === 'gone' ? ('terminated' as const) : ('lost' as const);
  const facts = { reason: input.reason, inferred: false, verified, proof: ending.proof, how };
  try {
    await settleEnd(world, input.acting, held, facts);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    world.log.say('warning', `${held.id}: it is gone, but the registry could not be told: ${error.message}`);
  }
  const files =
    verified === false ? '; its artifacts were never verified here' : '; its artifacts were verified before';
  const says = `it was gone already (${ending.proof})${verified === null ? '' : files}`;
  return { ...outcome(held, 'done', input.reason, says), detail: { why: input.reason, how, verified } };
}
