/** The pods of a job when it ends, side by side in one budget: none waits for another, and what is not done is handed over. */
import { SECOND_MS } from '../../domain/duration.ts';
import { Refusal, WorldError } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Owner } from '../../domain/owner.ts';
import { isLive, type PodRecord } from '../../domain/pod.ts';
import { allRecords, type RegistryState } from '../../domain/registry/state.ts';
import type { Snapshot, World } from '../../ports.ts';
import { inTime } from '../ask.ts';
import { saysLateSweep } from '../entry/register-checks.ts';
import { inLanes } from '../lanes.ts';
import { apart, walled } from '../wall.ts';
import { type FinishInput, finishJob, handOver } from './finish-job.ts';

/** As many logins as are open at the same time. */
const LANES = 32;

export type FinishPodsInput = {
  /** What the job was asked to look after, each once; not empty, under one owner. */
  readonly pods: readonly FinishInput[];
  /** What is done with a pod that only the registry names. */
  readonly unnamed: (podId: string) => FinishInput;
  /** Ids that another step of the same job was asked for: theirs to end. */
  readonly elsewhere: ReadonlySet<string>;
  /** For all of them together. */
  readonly budgetMs: number;
  /** The last part of it, kept for handing over. */
  readonly handOverMs: number;
};

export type Finished = {
  /** In the order of `pods`, then what only the registry named. */
  readonly outcomes: readonly Outcome[];
  /** Whether the registry could be read at all. */
  readonly isRead: boolean;
};

/** Never throws for one pod: what stands against its end is its outcome. The rows say what is held, not the job's memory. */
export async function finishPods(world: World, input: FinishPodsInput): Promise<Finished> {
  const { budgetMs, handOverMs } = input;
  const overAt = world.clock.now() + budgetMs - handOverMs;
  const reading = world.registry.read();
  const finish = async (pod: FinishInput): Promise<Outcome> =>
    await walled(pod.register.podId, 'teardown', () =>
      inBudget(world, { pod, reading, overAt, budgetMs, handOverMs }),
    );
  const beside = async (): Promise<Finished> => {
    const read = await apart(() => inTime(world, budgetMs - handOverMs, () => reading));
    if (read.kind === 'failed' || read.value.kind === 'unseen') return { outcomes: [], isRead: false };
    const ids = unnamedIds(world, input, read.value.value);
    const outcomes = await inLanes(LANES, ids, (id) => finish(input.unnamed(id)));
    return { outcomes, isRead: true };
  };
  const [named, others] = await Promise.all([Promise.all(input.pods.map(finish)), beside()]);
  return { outcomes: [...named, ...others.outcomes], isRead: others.isRead };
}

/** Rows of this very job that it does not remember: its memory was cut short, or a command of it has made them. */
function unnamedIds(
  world: World,
  { pods, elsewhere }: FinishPodsInput,
  snapshot: Snapshot,
): readonly string[] {
  const now = world.clock.now();
  for (const line of saysLateSweep(snapshot, now)) world.log.say('warning', line);
  const [first] = pods;
  if (first === undefined) return [];
  const named = new Set(pods.map(({ register: { podId } }) => podId));
  const held = heldByJob(snapshot.state, first.register.owner, now).map(({ id }) => id);
  const left = held.filter((id) => !named.has(id) && !elsewhere.has(id));
  for (const id of left)
    world.log.say('notice', `${id}: its record is this job's, although this step was not asked for it`);
  return left;
}

/** By the process and by the leg: a uuid may have been given to several legs at once. Kept and stopped ones are settled. */
function heldByJob(state: RegistryState, mine: Owner, now: number): readonly PodRecord[] {
  return allRecords(state).filter(
    (record) =>
      isLive(record) &&
      record.owner.uuid === mine.uuid &&
      isSameLeg(record.owner, mine) &&
      record.stopped === undefined &&
      (record.deadlines.keepUntilAt ?? 0) <= now,
  );
}

function isSameLeg(record: Owner, mine: Owner): boolean {
  const sameRun = record.key?.runId === mine.key?.runId && record.attempt === mine.attempt;
  const otherJob =
    record.checkRunId !== null && mine.checkRunId !== null && record.checkRunId !== mine.checkRunId;
  return sameRun && record.job === mine.job && record.matrix === mine.matrix && !otherJob;
}

type Within = Pick<FinishPodsInput, 'budgetMs' | 'handOverMs'> & {
  readonly pod: FinishInput;
  readonly reading: Promise<Snapshot>;
  /** When the work must have come to its end. */
  readonly overAt: number;
};

async function inBudget(world: World, { pod, reading, overAt, ...of }: Within): Promise<Outcome> {
  const enough = new AbortController();
  const leftMs = Math.max(0, overAt - world.clock.now());
  const spent = `the post step has used its budget of ${Math.round(of.budgetMs / SECOND_MS)} s`;
  const over = world.clock.sleep(leftMs, enough.signal).then(() => spent);
  const work = finishJob(world, pod, reading).catch(
    (error: unknown) => lostRaces(error, spent) ?? leftToOther(error, pod),
  );
  const outcome = await Promise.race([work, over]).finally(() => enough.abort());
  if (typeof outcome !== 'string') return outcome;
  world.log.say('warning', `${pod.register.podId}: ${outcome}`);
  const late = world.clock.sleep(of.handOverMs).then(() => null);
  return (await Promise.race([handOver(world, pod, outcome), late])) ?? unheard(pod, outcome);
}

/** Races are run again until the budget ends: who has lost the last of them has no time left. null = it is none. */
function lostRaces(error: unknown, spent: string): string | null {
  if (!(error instanceof WorldError) || error.failure !== 'conflict') return null;
  return `every race for the registry was lost (${error.told.cameBack}), and ${spent}`;
}

/** What main was cut before finding out, and what is no fault of this job: the pod is another owner's. */
function leftToOther(error: unknown, { register }: FinishInput): Outcome {
  if (!(error instanceof Refusal) || error.gate !== 'needs-claim') throw error;
  const told = { pod: register.podId, order: 'teardown' as const, kind: 'done' as const, detail: {} };
  return { ...told, reason: 'not-mine', says: `${error.told.cameBack}; it was left alone` };
}

function unheard({ register }: FinishInput, why: string): Outcome {
  const says = `not finished: ${why}, and the registry could not be told; its fence lapses by itself, and the reaper goes on`;
  return {
    pod: register.podId,
    order: 'teardown',
    kind: 'handed-over',
    reason: 'out-of-time',
    says,
    detail: {},
  };
}
