/** Acts of owners: reclaim, claim, arm, heartbeat, extend, keep. Only these move a limit. */
import { type Deadlines, grantExtension, ownerDeadlineAt, setKeep, setOwnerDeadline } from '../deadlines.ts';
import { MINUTE_MS } from '../duration.ts';
import { formatInstant } from '../instant.ts';
import { sameOwner } from '../owner.ts';
import { fenceBinds, isLive, type PodRecord } from '../pod.ts';
import { addNote, DUPLICATE, type Refused, refused, type Step } from './change.ts';
import type { OpOf } from './ops.ts';
import { mayJudge, otherOwner, ownsRecord } from './rights.ts';

/** One heartbeat in the history per pod and this long; the file on the pod makes no commit. */
export const HEARTBEAT_SPACING_MS = 5 * MINUTE_MS;

function notLive(record: PodRecord): Refused {
  return refused('not-active', `${record.id} is ${record.status}`);
}

/** The deadlines after an explicit act, or the refusal that `setOwnerDeadline` would throw. */
function moved(of: Deadlines, nextAt: number): Deadlines | Refused {
  if (of.absoluteGiven && nextAt > of.absoluteDeadlineAt) {
    return refused(
      'beyond-absolute',
      `${formatInstant(nextAt)} lies past the absolute deadline ${formatInstant(of.absoluteDeadlineAt)}, which was given and does not move`,
    );
  }
  return setOwnerDeadline(of, nextAt, nextAt);
}

/** The first given cap replaces the default one; a second, or one before the owner deadline, is refused. */
function capped(of: Deadlines, absoluteAt: number): Deadlines | Refused {
  if (of.absoluteGiven && absoluteAt !== of.absoluteDeadlineAt) {
    return refused(
      'beyond-absolute',
      `The absolute deadline ${formatInstant(of.absoluteDeadlineAt)} was given and does not move`,
    );
  }
  if (absoluteAt < of.ownerSetAt) {
    return refused(
      'beyond-absolute',
      `The owner deadline ${formatInstant(of.ownerSetAt)} lies past ${formatInstant(absoluteAt)}: give a nearer kill-in`,
    );
  }
  const keepUntilAt = of.keepUntilAt === null ? null : Math.min(of.keepUntilAt, absoluteAt);
  return { ...of, absoluteDeadlineAt: absoluteAt, absoluteGiven: true, keepUntilAt };
}

/** A keep waits for whoever takes the pod over; once taken, its own deadline counts, unless that has passed. */
function withoutKeep(of: Deadlines, now: number): Deadlines {
  return ownerDeadlineAt(of) > now ? { ...of, keepUntilAt: null } : of;
}

/** An owner who moves a limit has changed his mind about an end that nobody is carrying out any more. */
function backToLife(record: PodRecord, now: number): Partial<PodRecord> {
  const lapsed = record.fence !== null && !fenceBinds(record.fence, now) && record.fence.step !== 'deleted';
  return lapsed ? { status: 'active', fence: null, confirmed: null } : {};
}

/** Reclaim and claim alike: a fence that still runs is not broken, a lapsed one falls with its holder. */
function handOver(record: PodRecord, op: OpOf<'reclaim' | 'claim'>): Step {
  if (!isLive(record)) return notLive(record);
  if (op.actor.uuid !== op.owner.uuid) {
    return refused('other-owner', 'A pod is taken over by the owner who will hold it');
  }
  if (record.fence !== null && fenceBinds(record.fence, op.at)) {
    return refused(
      'fence-held',
      `${record.fence.holder} is ending it (${record.fence.reason}) until ${formatInstant(record.fence.until)}`,
    );
  }
  const next = op.ownerDeadlineAt === null ? record.deadlines : moved(record.deadlines, op.ownerDeadlineAt);
  if ('because' in next) return next;
  const cap = op.op === 'claim' ? op.absoluteDeadlineAt : undefined;
  const limits = cap === undefined ? next : capped(next, cap);
  if ('because' in limits) return limits;
  const deadlines = op.owner.uuid === record.owner.uuid ? limits : withoutKeep(limits, op.at);
  const patch = { owner: op.owner, deadlines, status: 'active' as const, fence: null };
  return { kind: 'change', patch, detail: { from: record.owner.label, to: op.owner.label } };
}

export function reclaim(record: PodRecord, op: OpOf<'reclaim'>): Step {
  return sameOwner(record.owner, op.owner) ? handOver(record, op) : otherOwner(record);
}

/** By force only with a reason, which stays in the record. */
export function claim(record: PodRecord, op: OpOf<'claim'>): Step {
  const step = handOver(record, op);
  if (step.kind !== 'change' || op.forcedBecause === null) return step;
  const notes = [...addNote(record, `claimed by force: ${op.forcedBecause}`)];
  return {
    ...step,
    patch: { ...step.patch, notes },
    says: ` by force (${op.forcedBecause})`,
    detail: { ...step.detail, forcedBecause: op.forcedBecause },
  };
}

/** Arming needs a login, so it also says when the pod was first reached. */
export function arm(record: PodRecord, op: OpOf<'arm'>): Step {
  if (!mayJudge(record, op.actor)) return otherOwner(record);
  if (!isLive(record)) return notLive(record);
  const patch = {
    switch: op.facts,
    hostKey: op.hostKey ?? record.hostKey,
    reachedAt: record.reachedAt ?? op.at,
  };
  return { kind: 'change', patch, detail: { credential: op.facts.credential } };
}

export function heartbeat(record: PodRecord, op: OpOf<'heartbeat'>): Step {
  if (!ownsRecord(record, op.actor)) return otherOwner(record);
  if (!isLive(record)) return notLive(record);
  const due = record.heartbeatAt === null || op.at - record.heartbeatAt >= HEARTBEAT_SPACING_MS;
  return due ? { kind: 'change', patch: { heartbeatAt: op.at } } : DUPLICATE;
}

export function extend(record: PodRecord, op: OpOf<'extend'>): Step {
  return op.ownerDeadlineAt === null ? extendByItself(record, op) : extendTo(record, op, op.ownerDeadlineAt);
}

/** Whoever grants it, it is the same single extension: the record counts it. */
function extendByItself(record: PodRecord, op: OpOf<'extend'>): Step {
  if (!mayJudge(record, op.actor)) return otherOwner(record);
  if (!isLive(record)) return notLive(record);
  const next = grantExtension(record.deadlines);
  if (next === null) return refused('no-extension-left', `${record.id} has had its automatic extensions`);
  const until = formatInstant(ownerDeadlineAt(next));
  return {
    kind: 'change',
    patch: { deadlines: next },
    says: ` to ${until}, automatic,`,
    detail: { automatic: true },
  };
}

function extendTo(record: PodRecord, op: OpOf<'extend'>, nextAt: number): Step {
  if (!ownsRecord(record, op.actor)) return otherOwner(record);
  if (!isLive(record)) return notLive(record);
  const inForce = ownerDeadlineAt(record.deadlines);
  if (nextAt <= inForce)
    return refused('not-later', `The owner deadline is ${formatInstant(inForce)} already`);
  const next = moved(record.deadlines, nextAt);
  if ('because' in next) return next;
  return {
    kind: 'change',
    patch: { deadlines: next, ...backToLife(record, op.at) },
    says: ` to ${formatInstant(nextAt)}`,
    detail: { automatic: false },
  };
}

/** Bounded: what reaches past the absolute deadline is cut, and the event says so. */
export function keep(record: PodRecord, op: OpOf<'keep'>): Step {
  if (!ownsRecord(record, op.actor)) return otherOwner(record);
  if (!isLive(record)) return notLive(record);
  const { deadlines, cut } = setKeep(record.deadlines, op.untilAt);
  if (deadlines.keepUntilAt === record.deadlines.keepUntilAt) return DUPLICATE;
  const until = formatInstant(deadlines.keepUntilAt ?? op.untilAt);
  const notes = [...addNote(record, `kept until ${until}: ${op.reason}`)];
  return {
    kind: 'change',
    patch: { deadlines, notes, ...backToLife(record, op.at) },
    says: ` until ${until}`,
    detail: { cut, reason: op.reason },
  };
}
