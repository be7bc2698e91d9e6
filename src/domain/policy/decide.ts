/** The policy: one total function from what is recorded and seen to a verdict, read top to bottom. */
import { ownerDeadlineAt, stopAt } from '../deadlines.ts';
import { isFresh } from '../heartbeat.ts';
import { fenceBinds } from '../pod.ts';
import type { ProviderPod } from '../provider-pod.ts';
import { ABSENCE_SPACING_MS, LINGER_MS } from '../rules.ts';
import { restsStopped } from '../stopped.ts';
import { KEY_REFUSED } from '../switch.ts';
import type { DecideInput } from './input.ts';
import { type EndReason, type Evidence, type Verdict, verdict } from './reasons.ts';
import { judgeVisit } from './visit.ts';

/** Total: every input gets exactly one verdict; the first rule that speaks decides. */
export function decide(input: DecideInput): Verdict {
  const { provider } = input.observation;
  if (isDone(input)) return verdict('terminated');
  if (heldByOther(input)) return verdict('fence-held', fenceEvidence(input));
  if (provider.kind === 'unseen') return verdict('provider-unseen', { why: provider.reason });
  if (provider.kind === 'absent') return judgeAbsence(input, provider.listedAway.kind === 'seen');
  if (provider.pod.status === 'TERMINATED') return verdict('provider-terminated');
  const judged = judgePresent(input, provider.pod);
  return judged.kind === 'keep' && isOnItsWayOut(input)
    ? verdict('still-shown', fenceEvidence(input))
    : judged;
}

function judgePresent(input: DecideInput, pod: ProviderPod): Verdict {
  return (
    judgeLimits(input, pod) ??
    judgeRequest(input) ??
    judgeOwnerDeadline(input, pod) ??
    (restsStopped(input.record, pod) ? null : judgeOwner(input)) ??
    judgeState(input, pod) ??
    judgeVisit(input, pod)
  );
}

/** Our DELETE was accepted and the pod is away: whoever looks concludes it, whoever holds the fence. */
function isDone({ record, observation: { provider } }: DecideInput): boolean {
  if (record.fence?.step !== 'deleted' && record.confirmed === null) return false;
  return provider.kind === 'absent' || (provider.kind === 'present' && provider.pod.status === 'TERMINATED');
}

/** A fence in force binds everybody but its holder; after `until` it binds nobody. */
function heldByOther({ record, now }: DecideInput): boolean {
  return record.status === 'terminating' && record.fence !== null && fenceBinds(record.fence, now);
}

/** A pod may be shown for a while after its end was accepted: it is not petted back to life for that. */
function isOnItsWayOut({ record: { fence }, now }: DecideInput): boolean {
  if (fence?.step !== 'deleted') return false;
  return fenceBinds(fence, now) || (fence.until <= now && now - fence.until < LINGER_MS);
}

function fenceEvidence({ record, now }: DecideInput): Evidence {
  return {
    holder: record.fence?.holder ?? null,
    fenceReason: record.fence?.reason ?? null,
    leftMs: (record.fence?.until ?? now) - now,
  };
}

/** An absence that nobody of ours asked for needs two spaced looks at both list and GET. */
function judgeAbsence({ record, sightings, rules, now }: DecideInput, listedAway: boolean): Verdict {
  const startedAt = record.startedAt ?? record.createdAt ?? record.registeredAt;
  const away = sightings.absent;
  const evidence = {
    listedAway,
    sightings: away?.count ?? 0,
    sinceMs: away === null ? 0 : now - away.firstAt,
  };
  if (now - startedAt < rules.startupGraceMs) return verdict('absent-counting', { ...evidence, young: true });
  const proven =
    listedAway && away !== null && away.count >= 2 && away.lastAt - away.firstAt >= ABSENCE_SPACING_MS;
  return verdict(proven ? 'lost-absent' : 'absent-counting', evidence);
}

/** Limits come first: no state of anything else cancels a deadline. */
function judgeLimits(input: DecideInput, pod: ProviderPod): Verdict | null {
  const { record, now, observation } = input;
  const { deadlines } = record;
  if (now >= deadlines.absoluteDeadlineAt) {
    return verdict('absolute-deadline', { lateMs: now - deadlines.absoluteDeadlineAt });
  }
  const boot = deadlines.bootDeadlineAt;
  if (boot !== null && record.reachedAt === null && observation.visit.kind === 'unseen' && now >= boot) {
    return verdict('boot-deadline', { lateMs: now - boot, status: pod.statusText });
  }
  if (pod.locked) return verdict('locked');
  if (deadlines.keepUntilAt !== null) {
    const leftMs = deadlines.keepUntilAt - now;
    return leftMs > 0
      ? verdict('kept', { leftMs })
      : verdict('keep-ended', { lateMs: now - deadlines.keepUntilAt });
  }
  return null;
}

const EXPLICIT: readonly EndReason[] = ['requested', 'forced', 'pull-skipped'];

/** Its owner asked for its end and nobody could finish it: that word stands until he takes it back. */
function judgeRequest({ record, now }: DecideInput): Verdict | null {
  const { fence, owner, status } = record;
  if (status !== 'terminating' || fence === null) return null;
  // A reaper fences with these words only on its owner's behalf.
  if (fence.holder !== owner.uuid && !/^reaper(:|$)/.test(fence.holder)) return null;
  const asked = EXPLICIT.find((reason) => reason === fence.reason);
  return asked === undefined ? null : verdict(asked, { askedAgoMs: now - fence.at });
}

/** The owner deadline, and the single extension that a fresh heartbeat earns. */
function judgeOwnerDeadline(input: DecideInput, pod: ProviderPod): Verdict | null {
  const { record, now, rules, observation } = input;
  const { deadlines } = record;
  const lateMs = now - ownerDeadlineAt(deadlines);
  if (lateMs < 0) return null;
  const left = deadlines.maxExtensions - deadlines.extensions;
  const fresh =
    observation.visit.kind === 'seen' && isFresh(observation.visit.value.heartbeat, rules.hbGraceMs);
  const ownerOver = observation.owner.kind === 'seen' && observation.owner.value.state === 'completed';
  if (fresh && left > 0 && !ownerOver && pod.status === 'RUNNING')
    return verdict('extended', { lateMs, left });
  return verdict('owner-deadline', { lateMs, heartbeatFresh: fresh, extensionsLeft: left });
}

/** The owner's process, asked by id. Unknown concludes nothing. */
function judgeOwner({ observation, sightings, rules, now }: DecideInput): Verdict | null {
  const { owner } = observation;
  if (owner.kind === 'unseen' || owner.value.state === 'in-progress') return null;
  if (owner.value.state === 'completed') {
    const agoMs = now - owner.value.completedAt;
    const evidence = { agoMs, conclusion: owner.value.conclusion };
    return verdict(agoMs >= rules.orphanGraceMs ? 'orphan' : 'orphan-soon', evidence);
  }
  const missing = sightings.ownerless;
  const evidence = { sightings: missing?.count ?? 0 };
  const proven =
    missing !== null && missing.count >= 3 && missing.lastAt - missing.firstAt >= 2 * ABSENCE_SPACING_MS;
  return proven ? verdict('owner-missing', evidence) : null;
}

/** What the provider says of the pod's state; nothing here is idle and nothing is unreachable. */
function judgeState(input: DecideInput, pod: ProviderPod): Verdict | null {
  const { sightings, rules, now } = input;
  if (pod.status === 'EXITED') {
    const sinceMs = sightings.exited === null ? 0 : now - sightings.exited.firstAt;
    const over = sinceMs >= rules.exitedGraceMs;
    return verdict(over ? 'exited-grace' : 'exited-counting', { sinceMs });
  }
  if (pod.status === 'ERROR') return verdict('error-state', { status: pod.statusText });
  if (pod.status !== 'RUNNING' || pod.telemetry.kind === 'unseen') {
    return verdict('not-ready', { status: pod.statusText });
  }
  return judgeRearm(input);
}

/** A switch that was armed and is gone can only be armed again with the time left. */
function judgeRearm({ record, observation, now }: DecideInput): Verdict | null {
  if (record.switch === null || observation.visit.kind === 'unseen') return null;
  const status = observation.visit.value.switch;
  if (status.kind === 'unseen' || status.value.armed || status.value.reason === KEY_REFUSED) return null;
  const leftMs = stopAt(record.deadlines) - now;
  return leftMs < record.deadlines.pullMarginMs ? verdict('rearm-too-late', { leftMs }) : null;
}
