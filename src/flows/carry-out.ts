/** Carries out one cycle's orders: every pod by itself, in parallel, so that none holds up or stops another. */
import { filesBefore, mirrorFactsOf, verify } from '../domain/artifacts.ts';
import { saysLeftOut } from '../domain/choice.ts';
import { stopAt } from '../domain/deadlines.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Order } from '../domain/policy/orders.ts';
import type { PodPlan } from '../domain/policy/plan.ts';
import { type EndReason, REASONS, type Verdict } from '../domain/policy/reasons.ts';
import { isNewMirror } from '../domain/registry/apply-end.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { ShellSession, World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';
import { type ArmKeys, arm } from './arm.ts';
import { endOf, settleOp } from './ending/end-pod.ts';
import { releaseFence } from './ending/fence.ts';
import { petUntil } from './switch/pet.ts';
import { teardown } from './teardown.ts';
import { walled } from './wall.ts';
import { verdictFacts } from './watch/learn.ts';
import { settleBase } from './watch/settle.ts';

export type CarryInput = {
  readonly acting: Acting;
  readonly pod: PodPlan;
  readonly session: ShellSession | null;
  readonly registryId: string;
  readonly keys: ArmKeys;
  readonly askAgain: (pod: PodPlan, session: ShellSession | null) => Promise<Verdict>;
  readonly mirror: boolean;
  readonly pullBudgetMs: number;
};

/** One pod's orders in sequence; a failed one is told and the next is tried. */
export async function carryOut(world: World, input: CarryInput): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const order of input.pod.orders) {
    if (order.kind === 'mirror' && !input.mirror) continue;
    outcomes.push(await walled(input.pod.record.id, order.kind, () => carryOne(world, input, order)));
  }
  return outcomes;
}

async function carryOne(world: World, input: CarryInput, order: Order): Promise<Outcome> {
  switch (order.kind) {
    case 'extend':
      return await extend(world, input);
    case 're-arm':
      return await rearm(world, input, order.why);
    case 'pet':
      return await pet(world, input);
    case 'mirror':
      return await mirror(world, input);
    case 'release':
      return await release(world, input);
    case 'teardown':
      return await end(world, input);
    case 'settle-gone':
      return await settleGone(world, input, order.how);
  }
}

function outcome(
  input: CarryInput,
  order: Outcome['order'],
  says: string,
  more: Partial<Outcome> = {},
): Outcome {
  return { pod: input.pod.record.id, order, kind: 'done', reason: order, says, detail: {}, ...more };
}

async function extend(world: World, input: CarryInput): Promise<Outcome> {
  const { record } = input.pod;
  const op: RegistryOp = {
    ...opBase(world, input.acting, 'extend'),
    op: 'extend',
    pod: record.id,
    ownerDeadlineAt: null,
  };
  const [result] = (await world.registry.submit([op])).results;
  if (result?.kind === 'refused') {
    return outcome(input, 'extend', `not extended: ${result.detail}`, {
      kind: 'failed',
      reason: result.because,
    });
  }
  return outcome(
    input,
    'extend',
    'its owner deadline passed with a fresh heartbeat: extended once, by pet-min',
  );
}

async function pet(world: World, input: CarryInput): Promise<Outcome> {
  const { session, pod } = input;
  if (session === null)
    return outcome(input, 'pet', 'not petted: no connection', { kind: 'failed', reason: 'no-session' });
  const latest = await latestRecord(world, pod);
  const petted = await petUntil(world, session, latest, stopAt(latest.deadlines));
  if (petted.kind === 'unseen') {
    return outcome(input, 'pet', `not petted: ${petted.reason}`, {
      kind: 'failed',
      reason: 'pet-not-acknowledged',
    });
  }
  return outcome(input, 'pet', 'petted', { detail: { stopInMs: petted.value.stopInMs } });
}

/** Only an extension of this very cycle makes the record newer than the plan's. */
async function latestRecord(world: World, pod: PodPlan): Promise<PodPlan['record']> {
  if (pod.verdict.reason !== 'extended') return pod.record;
  const { state } = await world.registry.read();
  return state.pods[`${pod.record.provider}.${pod.record.id}`] ?? pod.record;
}

async function rearm(world: World, input: CarryInput, why: string): Promise<Outcome> {
  const { session, pod, keys, acting } = input;
  if (session === null)
    return outcome(input, 're-arm', 'not armed again: no connection', {
      kind: 'failed',
      reason: 'no-session',
    });
  const record = await latestRecord(world, pod);
  const { provider } = pod.observation;
  if (provider.kind !== 'present')
    return outcome(input, 're-arm', 'not armed again: it is not shown', {
      kind: 'failed',
      reason: 'not-shown',
    });
  const petWindowMs = record.switch?.petWindowMs ?? null;
  const { registryId } = input;
  const armed = await arm(world, {
    acting,
    record,
    session,
    pod: provider.pod,
    registryId,
    keys,
    petWindowMs,
  });
  return outcome(input, 're-arm', `armed again (${why}), with the time left`, {
    detail: { credential: armed.facts.credential },
  });
}

/** A mirror between kills: a good one is recorded, a bad one is loud every cycle. */
async function mirror(world: World, input: CarryInput): Promise<Outcome> {
  const { session, pod } = input;
  const { record } = pod;
  const { remotePath, choice } = record.artifacts;
  if (session === null || remotePath === null) {
    return outcome(input, 'mirror', 'not mirrored: no connection', { kind: 'failed', reason: 'no-session' });
  }
  const pulled = await world.mirror.pull(session, {
    podId: record.id,
    remotePath,
    choice,
    localPath: null,
    budgetMs: input.pullBudgetMs,
  });
  const before = filesBefore(record.lastMirror, choice);
  const judged = verify({ pulled, later: pulled.remote, before, allowEmpty: record.artifacts.allowEmpty });
  const facts = mirrorFactsOf(pulled, judged.kind === 'verified', choice);
  const isNew = isNewMirror(record, facts);
  // What the results were at the last change, they still are: with a beating heart and a GPU at rest that is worth a word.
  const unchangedMs = isNew || record.lastMirror === null ? 0 : world.clock.now() - record.lastMirror.at;
  if (isNew) {
    await world.registry.submit([{ ...settleBase(world, input.acting, record), mirror: facts }]);
  }
  // A folder without results is nothing to be loud about before the end, and nothing that counts as a good mirror.
  const nothingYet = judged.kind === 'unverified' && EMPTY.has(judged.reason) && !pulled.refused.length;
  if (judged.kind === 'unverified' && !nothingYet) {
    return outcome(input, 'mirror', `mirrored, but not verified: ${judged.reason}`, {
      kind: 'failed',
      reason: judged.reason,
      detail: { files: pulled.files, bytes: pulled.bytes },
    });
  }
  return outcome(input, 'mirror', `mirrored ${pulled.files} file(s)${saysLeftOut(pulled.leftOut)}`, {
    detail: { files: pulled.files, bytes: pulled.bytes, leftOut: pulled.leftOut, unchangedMs },
  });
}

const EMPTY: ReadonlySet<string> = new Set(['nothing-there', 'only-empty-files']);

async function release(world: World, input: CarryInput): Promise<Outcome> {
  const { record, verdict } = input.pod;
  const why = `the fence lapsed and the verdict is ${verdict.reason}`;
  const refused = await releaseFence(world, input.acting, record, why);
  if (refused !== null)
    return outcome(input, 'release', `not released: ${refused}`, { kind: 'failed', reason: 'not-released' });
  return outcome(input, 'release', `the lapsed fence of ${record.fence?.holder ?? 'nobody'} was released`);
}

async function end(world: World, input: CarryInput): Promise<Outcome> {
  const { pod, session } = input;
  const { visit } = pod.observation;
  const ended = await teardown(world, {
    acting: input.acting,
    record: pod.record,
    // The plan orders a teardown for verdicts of kind `end` only.
    reason: pod.verdict.reason as EndReason,
    verdict: verdictFacts(pod),
    session,
    noSession: visit.kind === 'unseen' ? visit.reason : 'no connection',
    choice: pod.record.artifacts.choice,
    askAgain: () => input.askAgain(pod, session),
    localPath: null,
    pullBudgetMs: input.pullBudgetMs,
    skipPull: false,
  });
  return { ...ended, says: `${ended.says}${saysMemory(pod.verdict)}` };
}

/** Held memory alone neither saves nor kills; whoever reads of an idle end should know of it. */
function saysMemory({ reason, evidence }: Verdict): string {
  const held = evidence['residentMemoryMib'];
  if (reason !== 'idle' || typeof held !== 'number' || held === 0) return '';
  return `; ${held} MiB of GPU memory were held, which decides nothing`;
}

async function settleGone(world: World, input: CarryInput, how: 'terminated' | 'lost'): Promise<Outcome> {
  const { record, verdict } = input.pod;
  const { reason } = verdict;
  const op = settleOp(world, input.acting, record, { ...endOf(record, reason), how });
  const [result] = (await world.registry.submit([op])).results;
  if (result?.kind === 'refused') {
    return outcome(input, 'settle-gone', `not settled: ${result.detail}`, {
      kind: 'failed',
      reason: result.because,
    });
  }
  return outcome(input, 'settle-gone', `settled as ${how}: ${REASONS[reason].says}`, { reason });
}
