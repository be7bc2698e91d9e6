/** What a cycle learned of a pod, as at most one op: a changed verdict, first contact, a start, a host key. */
import type { HostKeyPin, VerdictFacts } from '../domain/pod.ts';
import type { PodPlan } from '../domain/policy/plan.ts';
import type { Verdict } from '../domain/policy/reasons.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { World } from '../ports.ts';
import type { Acting } from './acting.ts';
import { settleBase } from './settle.ts';

/** Empty when nothing changed: a quiet pod makes no commit. `livesOn` = it was not ended, whatever was ordered. */
export function learn(world: World, acting: Acting, pod: PodPlan, livesOn: boolean): RegistryOp[] {
  const { record, verdict, observation } = pod;
  if (!livesOn || verdict.kind === 'gone') return [];
  // An end commits its verdict with the fence.
  const isNew =
    verdict.kind === 'keep' &&
    (record.lastVerdict?.kind !== verdict.kind || record.lastVerdict.reason !== verdict.reason);
  const base = settleBase(world, acting, record);
  const at = observation.at;
  const startedAt = observation.provider.kind === 'present' ? observation.provider.pod.startedAt : null;
  const reached = observation.visit.kind === 'seen' && record.reachedAt === null ? at : null;
  const op = {
    ...base,
    verdict: isNew ? verdictFacts(verdict, at) : null,
    reachedAt: reached,
    startedAt: startedAt !== null && startedAt !== record.startedAt ? startedAt : null,
    hostKey: newPin(pod),
  };
  const nothing =
    op.verdict === null && op.reachedAt === null && op.startedAt === null && op.hostKey === null;
  return nothing ? [] : [op];
}

/** A verdict as the record holds it. */
export function verdictFacts(of: Verdict, at: number): VerdictFacts {
  return { at, kind: of.kind, reason: of.reason, evidence: { ...of.evidence } };
}

/** The key that was shown and accepted, when the record does not hold it yet. */
function newPin({ record, observation }: PodPlan): HostKeyPin | null {
  if (observation.visit.kind === 'unseen') return null;
  const fingerprint = observation.visit.value.hostKey;
  if (record.hostKey?.fingerprint === fingerprint) return null;
  const startedAt = observation.provider.kind === 'present' ? observation.provider.pod.startedAt : null;
  return {
    fingerprint,
    seenAt: observation.at,
    startedAt,
    from: record.hostKey === null ? 'first-use' : 'restart',
  };
}
