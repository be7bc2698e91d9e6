/** What a cycle learned of a pod, as at most one op: a changed verdict, first contact, a start, a host key. */
import { formatDuration } from '../../domain/duration.ts';
import { pinOnceShown } from '../../domain/host-key.ts';
import type { HostKeyPin, VerdictFacts } from '../../domain/pod.ts';
import type { PodPlan } from '../../domain/policy/plan.ts';
import { recordedVerdict } from '../../domain/policy/replay.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import { HEARTBEAT_SKEW_MS } from '../../domain/rules.ts';
import type { World } from '../../ports.ts';
import type { Acting } from '../acting.ts';
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
    verdict: isNew ? verdictFacts(pod) : null,
    reachedAt: reached,
    startedAt: startedAt !== null && startedAt !== record.startedAt ? startedAt : null,
    hostKey: newPin(pod),
    note: oddity(pod),
  };
  if (op.note !== null) world.log.say('warning', `${record.id}: ${op.note}`);
  const news = [op.verdict, op.reachedAt, op.startedAt, op.hostKey, op.note];
  return news.every((part) => part === null) ? [] : [op];
}

/** What decides nothing and is worth one line, once: a clock that is off, a heartbeat that says two times. */
function oddity({ record, observation }: PodPlan): string | null {
  if (observation.visit.kind === 'unseen') return null;
  const { podNow, heartbeat } = observation.visit.value;
  const told = (start: string): boolean => record.notes.some((note) => note.startsWith(start));
  const skewMs = podNow.kind === 'seen' ? podNow.value - observation.at : 0;
  if (Math.abs(skewMs) > HEARTBEAT_SKEW_MS && !told(SKEWED)) {
    const how = `${formatDuration(Math.abs(skewMs))} ${skewMs < 0 ? 'slow' : 'fast'}`;
    return `${SKEWED} ${how}: every age is taken on the pod, by its own clock alone`;
  }
  const disagree =
    heartbeat.kind === 'seen' && heartbeat.value.state === 'beating' && heartbeat.value.disagreement;
  return disagree && !told(DISAGREE) ? `${DISAGREE}: the newer counts` : null;
}

const SKEWED = 'its clock is';
const DISAGREE = 'content and file time of its heartbeat disagree';

/** A verdict with what it rests on, as the record holds it. */
export function verdictFacts({ verdict, judgedAt, basis }: PodPlan): VerdictFacts {
  return { ...recordedVerdict(verdict, judgedAt), basis };
}

/** The key that was shown and accepted, when the record does not hold it yet, or holds it from before a restart. */
function newPin({ record, observation }: PodPlan): HostKeyPin | null {
  const { provider, visit } = observation;
  if (visit.kind === 'unseen' || provider.kind !== 'present') return null;
  return pinOnceShown(record, provider.pod, visit.value.hostKey, observation.at);
}
