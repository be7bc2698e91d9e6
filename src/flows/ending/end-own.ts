/** Ends one pod on its owner's word, whatever state it is found in: alive, away, or being ended by somebody else. */
import type { Choice } from '../../domain/choice.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { fenceBinds, isLive, isSamePod, type PodRecord, podKey } from '../../domain/pod.ts';
import type { EndReason } from '../../domain/policy/reasons.ts';
import type { ShellSession, World } from '../../ports.ts';
import type { Acting } from '../acting.ts';
import { softly } from '../ask.ts';
import { teardown } from '../teardown.ts';
import { openPod } from '../watch/visit.ts';
import { endAway, endOutcome, endUnseen } from './end-away.ts';

/** How often somebody else's fence is looked at while we wait for him. */
const FENCE_LOOK_MS = 10 * SECOND_MS;

export type EndOwnInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly reason: EndReason;
  /** Another choice of files than the record's, for this end alone; null = the record's. */
  readonly choice: Choice | null;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  readonly skipPull: boolean;
  /** How long another's fence may be waited for before the end is left to him. */
  readonly waitMs: number;
};

/** A mirror or a verdict of the reaper may move the record between our look and our fence. */
const MOST_TRIES = 3;
const MOVED: ReadonlySet<string> = new Set(['fence-rev-moved', 'fence-fence-held']);

/** Never throws for the pod: what stands against its end is the outcome. Throws WorldError for the registry. */
export async function endOwn(world: World, input: EndOwnInput): Promise<Outcome> {
  const until = world.clock.now() + input.waitMs;
  let { record } = input;
  for (let attempt = 1; ; attempt += 1) {
    record = await pastOtherFence(world, input, { record, until });
    const outcome = await endOnce(world, { ...input, record });
    if (attempt >= MOST_TRIES || !MOVED.has(outcome.reason)) return outcome;
    record = await latestOf(world, record);
    if (record.owner.uuid !== input.record.owner.uuid) return outcome;
  }
}

async function endOnce(world: World, input: EndOwnInput): Promise<Outcome> {
  const { record } = input;
  if (!isLive(record)) return ended(record);
  if (isHeldByOther(world, input, record)) return leftToHolder(record);
  const look = await softly(() => world.provider.get(record.id));
  if (look.kind === 'unseen') return await endUnseen(world, input, look.reason);
  if (look.value.kind === 'absent' || look.value.pod.status === 'TERMINATED')
    return await endAway(world, input, look.value);
  const { pod } = look.value;
  if (!isSamePod(record, pod)) return notThisPod(record);
  const wanted = !input.skipPull && !record.artifacts.none;
  const opened = wanted ? await softly(() => openPod(world, record, pod)) : null;
  const session = opened?.kind === 'seen' ? opened.value : null;
  const noSession = opened?.kind === 'unseen' ? opened.reason : 'no pull was wanted';
  const { acting, reason, localPath, pullBudgetMs, skipPull } = input;
  const choice = input.choice ?? record.artifacts.choice;
  const order = { acting, record, reason, choice, localPath, pullBudgetMs, skipPull, session, noSession };
  return await closing(session, () => teardown(world, { ...order, verdict: null, askAgain: null }));
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
    fenceBinds(fence, world.clock.now()) &&
    fence.holder !== input.acting.holder
  );
}

/** The record once nobody else ends the pod any more, or as it is when the patience is over. */
async function pastOtherFence(
  world: World,
  input: EndOwnInput,
  wait: { readonly record: PodRecord; readonly until: number },
): Promise<PodRecord> {
  let { record } = wait;
  while (isHeldByOther(world, input, record) && world.clock.now() < wait.until) {
    world.log.say('info', `${record.id}: ${record.fence?.holder ?? 'somebody'} is ending it; waiting`);
    await world.clock.sleep(Math.min(FENCE_LOOK_MS, wait.until - world.clock.now()));
    record = await latestOf(world, record);
  }
  return record;
}

async function latestOf(world: World, record: PodRecord): Promise<PodRecord> {
  const { state } = await world.registry.read();
  return state.pods[podKey(record)] ?? record;
}

function ended(record: PodRecord): Outcome {
  return endOutcome(record, 'done', 'already-ended', `its record says ${record.status} already`);
}

function leftToHolder(record: PodRecord): Outcome {
  const holder = record.fence?.holder ?? 'somebody else';
  return endOutcome(record, 'handed-over', 'fence-held', `${holder} is ending it and was left to do so`);
}

function notThisPod(record: PodRecord): Outcome {
  const says = 'another pod bears its id now and was not touched; a later cycle settles the record';
  return endOutcome(record, 'failed', 'id-reused', says);
}
