/** The ops by which a pod becomes this job's: a record of its own, or an earlier process's taken on. */
import { setDeadlines } from '../../domain/deadlines.ts';
import { ADOPTED, gpuText, newRecord } from '../../domain/new-record.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { stampOf } from '../../domain/policy/reconcile.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import type { OpOf } from '../../domain/registry/ops.ts';
import type { World } from '../../ports.ts';
import { opBase } from '../acting.ts';
import { softly } from '../ask.ts';
import { pinFromLog } from './pin.ts';
import type { RegisterInput } from './register-checks.ts';

export async function registerOp(
  world: World,
  input: RegisterInput,
  pod: ProviderPod,
): Promise<OpOf<'register'>> {
  const record = await recordOf(world, input, pod);
  const key = `${input.acting.holder}/register/${pod.id}/${record.registeredAt}`;
  return {
    ...opBase(world, input.acting, 'register'),
    key,
    op: 'register',
    pod: pod.id,
    record,
    fulfils: null,
  };
}

export function reclaimOp(world: World, input: RegisterInput, record: PodRecord): OpOf<'reclaim'> {
  const ownerDeadlineAt = input.killInGiven ? world.clock.now() + input.killInMs : null;
  return {
    ...opBase(world, input.acting, 'reclaim'),
    op: 'reclaim',
    pod: record.id,
    rev: record.rev,
    owner: input.owner,
    ownerDeadlineAt,
  };
}

async function recordOf(world: World, input: RegisterInput, pod: ProviderPod): Promise<PodRecord> {
  const now = world.clock.now();
  const account = await softly(() => world.provider.account());
  const { rules } = input;
  return newRecord({
    pod,
    owner: input.owner,
    account: account.kind === 'seen' && account.value.kind === 'seen' ? account.value.value.id : null,
    nonce: stampOf(pod)?.nonce ?? null,
    gpu: input.gpu ?? gpuText(pod),
    costPerHourMicroUsd: priceOf(pod, input.costPerHourMicroUsd),
    deadlines: setDeadlines({
      now,
      killInMs: input.killInMs,
      killAbsoluteMs: input.killAbsoluteMs,
      maxExtensions: rules.maxExtensions,
      petMinMs: rules.petMinMs,
      pullMarginMs: rules.pullMarginMs,
    }),
    rules,
    artifacts: {
      remotePath: input.remotePath,
      none: input.noArtifacts,
      allowEmpty: input.allowEmpty,
      choice: input.choice,
    },
    hostKey: await pinFromLog(world, pod),
    now,
    note: input.adopt ? ADOPTED : null,
  });
}

/** The figure reads 0 while a pod is stopped, although its disk bills: that is no price. */
function priceOf(pod: ProviderPod, given: number | null): number | null {
  return pod.costPerHourMicroUsd === 0 && pod.status !== 'RUNNING'
    ? given
    : (pod.costPerHourMicroUsd ?? given);
}
