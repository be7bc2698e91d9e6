/** Ends strays: each is entered first, so that it is ended under a fence like every other pod. */

import { gpuText, newRecord } from '../../domain/new-record.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { podKey } from '../../domain/pod.ts';
import type { StrayPlan } from '../../domain/policy/plan.ts';
import { type EndReason, type Verdict, verdict } from '../../domain/policy/reasons.ts';
import { recordedVerdict } from '../../domain/policy/replay.ts';
import { judgeStray, stampOwner } from '../../domain/policy/stray.ts';
import type { ReaperRules } from '../../domain/rules.ts';
import type { World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';
import { softly } from '../ask.ts';
import { teardown } from '../teardown.ts';
import { walled } from '../wall.ts';

export type StrayOptions = {
  readonly acting: Acting;
  readonly rules: ReaperRules;
  readonly pullBudgetMs: number;
};

export async function endStrays(
  world: World,
  options: StrayOptions,
  strays: readonly StrayPlan[],
): Promise<readonly Outcome[]> {
  const doomed = strays.filter((stray) => stray.verdict.kind === 'end');
  return await Promise.all(
    doomed.map(
      async (stray) => await walled(stray.pod.id, 'teardown', () => endStray(world, options, stray)),
    ),
  );
}

async function endStray(world: World, options: StrayOptions, stray: StrayPlan): Promise<Outcome> {
  const record = recordOf(world, options, stray);
  const op = {
    ...opBase(world, options.acting, 'register'),
    op: 'register' as const,
    pod: record.id,
    record,
  };
  const entered = await world.registry.submit([{ ...op, fulfils: null }]);
  const [result] = entered.results;
  const ours = entered.state.pods[podKey(record)];
  if (result?.kind === 'refused' || ours === undefined) {
    const says = `a stray could not be entered: ${result?.kind === 'refused' ? result.detail : 'it is not in the registry'}`;
    return { pod: record.id, order: 'teardown', kind: 'failed', reason: 'not-entered', says, detail: {} };
  }
  return await teardown(world, {
    acting: options.acting,
    record: ours,
    reason: stray.verdict.reason as EndReason,
    verdict: recordedVerdict(stray.verdict, world.clock.now()),
    session: null,
    noSession: 'a stray is not visited',
    choice: null,
    askAgain: () => askAgain(world, stray, options.rules, entered.state.meta.repository?.server ?? '-'),
    localPath: null,
    pullBudgetMs: options.pullBudgetMs,
    skipPull: false,
  });
}

/** By id and by its run; its stamp must still be the one that was judged. */
async function askAgain(
  world: World,
  stray: StrayPlan,
  rules: ReaperRules,
  server: string,
): Promise<Verdict> {
  const lookup = await softly(() => world.provider.get(stray.pod.id));
  if (lookup.kind === 'unseen') return verdict('provider-unseen', { why: lookup.reason });
  if (lookup.value.kind === 'absent') return verdict('absent-counting');
  const { pod } = lookup.value;
  if (pod.stamp !== stray.pod.stamp) return verdict('stray-waiting', { stamp: 'changed' });
  const owners = await softly(() => world.ci.liveness([stampOwner(stray.stamp, server)]));
  const owner = owners.kind === 'seen' ? (owners.value[0] ?? stray.owner) : owners;
  return judgeStray({ ...stray, pod, owner }, rules, world.clock.now());
}

/** A stray never came to register, where artifacts are declared: there is nothing that could be verified. */
function recordOf(world: World, { rules, acting }: StrayOptions, { pod, stamp }: StrayPlan): PodRecord {
  return newRecord({
    pod,
    owner: { ...stampOwner(stamp, '-'), key: null, uuid: acting.actor.uuid ?? stamp.nonce },
    account: null,
    nonce: stamp.nonce,
    gpu: gpuText(pod),
    costPerHourMicroUsd: pod.costPerHourMicroUsd,
    deadlines: {
      bootDeadlineAt: null,
      ownerSetAt: stamp.ttlAt,
      extensions: 0,
      maxExtensions: 0,
      petMinMs: rules.petMinMs,
      pullMarginMs: rules.pullMarginMs,
      absoluteDeadlineAt: stamp.ttlAt,
      absoluteGiven: true,
      keepUntilAt: null,
    },
    rules,
    artifacts: { remotePath: null, none: true, allowEmpty: true, choice: null },
    hostKey: null,
    now: world.clock.now(),
    note: 'a stray: it carries this registry’s stamp and was never registered',
  });
}
