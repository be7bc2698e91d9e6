/** How a record goes to its end and back: fence, release, confirm, settle, reopen. None moves a limit. */
import { formatInstant } from '../instant.ts';
import { fenceBinds, isLive, type PodRecord } from '../pod.ts';
import { FENCE_MS } from '../rules.ts';
import { addNote, DUPLICATE, type Refused, refused, type Step } from './change.ts';
import type { OpOf } from './ops.ts';
import { holdsFence, isHolder, mayJudge, otherOwner } from './rights.ts';

/** First fence at the verdict's rev, renewal by its holder, or takeover of a lapsed one. */
export function fence(record: PodRecord, op: OpOf<'fence'>): Step {
  if (!mayJudge(record, op.actor)) return otherOwner(record);
  if (!isLive(record)) return refused('not-active', `${record.id} is ${record.status}`);
  if (!isHolder(op.fence.holder, op.actor)) {
    return refused('not-my-fence', `${op.fence.holder} is not who asks for the fence`);
  }
  // A fence that ran for longer could not be taken over by anybody: a lock that stays.
  const bounded = { ...op.fence, until: Math.min(op.fence.until, op.at + FENCE_MS) };
  const held = record.status === 'terminating' ? record.fence : null;
  const renews = held !== null && held.rev === op.fence.rev && held.holder === op.fence.holder;
  if (!renews) {
    if (held !== null && fenceBinds(held, op.at)) {
      return refused(
        'fence-held',
        `${held.holder} holds it (${held.reason}) until ${formatInstant(held.until)}`,
      );
    }
    if (op.fence.rev !== op.rev) return refused('rev-moved', `The verdict was made at rev ${op.fence.rev}`);
  }
  return {
    kind: 'change',
    patch: { status: 'terminating', fence: bounded, confirmed: renews ? record.confirmed : null },
    says: renews ? `: still ${op.fence.reason}, ${op.fence.step},` : `: ${op.fence.reason},`,
    detail: { reason: op.fence.reason, step: op.fence.step, inferred: op.fence.inferred, renewed: renews },
  };
}

function notMine(record: PodRecord, fenceRev: number): Refused {
  const held = record.fence === null ? 'nobody' : `${record.fence.holder} since rev ${record.fence.rev}`;
  return refused('not-my-fence', `The fence of rev ${fenceRev} is not yours: ${held} holds it`);
}

/** A lapsed fence binds nobody, so that whoever may judge the pod may also give it back. */
function mayRelease(record: PodRecord, op: OpOf<'release'>): boolean {
  if (holdsFence(record.fence, op.actor, op.fenceRev)) return true;
  const { fence } = record;
  return (
    fence !== null && fence.rev === op.fenceRev && !fenceBinds(fence, op.at) && mayJudge(record, op.actor)
  );
}

/** A changed verdict, a failed pull, the owner's extend or keep: the pod lives on. */
export function release(record: PodRecord, op: OpOf<'release'>): Step {
  if (record.status !== 'terminating') return refused('not-terminating', `${record.id} is ${record.status}`);
  if (!mayRelease(record, op)) return notMine(record, op.fenceRev);
  return {
    kind: 'change',
    patch: {
      status: 'active',
      fence: null,
      confirmed: null,
      notes: [...addNote(record, `released: ${op.reason}`)],
    },
    says: `: ${op.reason},`,
    detail: { reason: op.reason },
  };
}

/** Our DELETE was answered and a GET has said absent. */
export function confirm(record: PodRecord, op: OpOf<'confirm'>): Step {
  if (record.status !== 'terminating') return refused('not-terminating', `${record.id} is ${record.status}`);
  if (!holdsFence(record.fence, op.actor, op.fenceRev)) return notMine(record, op.fenceRev);
  if (record.confirmed !== null) return DUPLICATE;
  return {
    kind: 'change',
    patch: { confirmed: { at: op.at, proof: op.proof } },
    says: `: ${op.proof},`,
    detail: { proof: op.proof },
  };
}

/** What stands against closing the record as `end` says. */
function barredEnd(
  record: PodRecord,
  end: NonNullable<PodRecord['end']>,
  op: OpOf<'settle'>,
): Refused | null {
  if (!mayJudge(record, op.actor)) return otherOwner(record);
  if (record.status === 'terminated' || (record.status === 'lost' && end.how === 'lost')) {
    return refused('already-ended', `${record.id} is ${record.status} already`);
  }
  if (record.status === 'intent' && end.how === 'terminated') {
    return refused('not-active', `${record.id} was only intended`);
  }
  const byOther = record.fence !== null && !isHolder(record.fence.holder, op.actor);
  if (end.how === 'terminated' && byOther && op.actor.kind !== 'reaper') {
    return notMine(record, record.fence?.rev ?? 0);
  }
  return null;
}

/** The fields of a settle that say something the record does not say yet. */
function learned(record: PodRecord, op: OpOf<'settle'>): Partial<PodRecord> {
  const { verdict, mirror, startedAt, hostKey, note } = op;
  const patch: Partial<PodRecord> = {};
  if (
    verdict !== null &&
    (verdict.kind !== record.lastVerdict?.kind || verdict.reason !== record.lastVerdict.reason)
  ) {
    patch.lastVerdict = verdict;
  }
  if (mirror !== null && isNewMirror(record, mirror)) patch.lastMirror = { ...mirror, at: op.at };
  if (op.reachedAt !== null && record.reachedAt === null) patch.reachedAt = op.reachedAt;
  if (startedAt !== null && startedAt !== record.startedAt) patch.startedAt = startedAt;
  const pinned = record.hostKey;
  if (
    hostKey !== null &&
    (hostKey.fingerprint !== pinned?.fingerprint ||
      hostKey.startedAt !== pinned.startedAt ||
      pinned.others !== undefined)
  ) {
    patch.hostKey = hostKey;
  }
  if (op.stopped !== undefined) patch.stopped = op.stopped;
  if (note !== null && note !== record.notes.at(-1)) patch.notes = [...addNote(record, note)];
  return patch;
}

/** An unverified smaller pull does not replace a verified one: the next pull is measured against the good one. */
export function isNewMirror(record: PodRecord, next: NonNullable<OpOf<'settle'>['mirror']>): boolean {
  const last = record.lastMirror;
  if (last === null) return true;
  if (last.verified && !next.verified && next.files < last.files) return false;
  return (
    last.digest !== next.digest ||
    last.verified !== next.verified ||
    last.files !== next.files ||
    last.moving !== next.moving
  );
}

/** What a cycle learned, and the end if there was one. Nothing new is no commit. */
export function settle(record: PodRecord, op: OpOf<'settle'>): Step {
  // A person may add a note or a host key to any record; verdicts and ends need a right to judge.
  if (op.verdict !== null && !mayJudge(record, op.actor)) return otherOwner(record);
  if (op.actor.kind === 'owner' && !mayJudge(record, op.actor)) return otherOwner(record);
  const barred = op.end === null ? null : barredEnd(record, op.end, op);
  if (barred !== null) return barred;
  const patch = learned(record, op);
  if (op.end !== null) {
    const ended = { ...patch, status: op.end.how, end: op.end, fence: null };
    // The ledger row is written from these, since a later op of the same commit may reopen the record.
    const { how, reason, verified, costMicroUsd, inferred, at: endedAt } = op.end;
    const detail = { how, reason, verified, costMicroUsd, inferred, endedAt };
    return { kind: 'change', patch: ended, says: `: ${op.end.how}, ${op.end.reason},`, detail };
  }
  if (Object.keys(patch).length === 0) return DUPLICATE;
  const reason = patch.lastVerdict?.reason ?? null;
  return {
    kind: 'change',
    patch,
    says: reason === null ? saysLearned(patch) : `: ${reason},`,
    detail: { learned: Object.keys(patch).join(' ') },
  };
}

/** What a person reads in the log of a settle without a new verdict. */
function saysLearned(patch: Partial<PodRecord>): string {
  if (patch.stopped !== undefined) return ': stopped by its owner,';
  const { lastMirror } = patch;
  if (lastMirror !== undefined && lastMirror !== null) {
    const state = lastMirror.verified ? 'verified' : 'not verified';
    return `: mirrored ${lastMirror.files} file(s), ${state},`;
  }
  if (patch.hostKey?.from === 'container-log') return ': its host key was shown,';
  if (patch.hostKey !== undefined) return ': new host key,';
  if (patch.startedAt !== undefined) return ': it has started,';
  if (patch.reachedAt !== undefined) return ': first reached,';
  return ': a note,';
}

/** A pod that was ended in the books is listed again: its old deadlines count. */
export function reopen(record: PodRecord, op: OpOf<'reopen'>): Step {
  if (op.actor.kind === 'owner' && !mayJudge(record, op.actor)) return otherOwner(record);
  if (record.status !== 'terminated' && record.status !== 'lost') return DUPLICATE;
  const notes = [...addNote(record, `reopened after ${record.end?.how ?? record.status}: ${op.reason}`)];
  const patch = { status: 'active' as const, end: null, fence: null, confirmed: null, notes };
  return { kind: 'change', patch, says: `: ${op.reason},`, detail: { reason: op.reason } };
}
