/** What follows from a verdict: orders, in the sequence in which they are carried out. */
import { MINUTE_MS } from '../duration.ts';
import type { Observation } from '../observation.ts';
import type { Part } from '../part.ts';
import { fenceBinds, type PodRecord } from '../pod.ts';
import { KEY_REFUSED, type SwitchStatus } from '../switch.ts';
import { rowOf, type Verdict } from './reasons.ts';

export type Order =
  /** Grant the single automatic extension in the record. */
  | { readonly kind: 'extend' }
  /** Plant the switch again, with the same absolute deadline and the time left. */
  | { readonly kind: 're-arm'; readonly why: string }
  /** A sign of life and the newest stop, read back. */
  | { readonly kind: 'pet' }
  /** Pull what changed. */
  | { readonly kind: 'mirror' }
  /** Give back a fence whose time is up and whose verdict no longer stands. */
  | { readonly kind: 'release' }
  | { readonly kind: 'teardown'; readonly beforeVerified: boolean; readonly inferred: boolean }
  | { readonly kind: 'settle-gone'; readonly how: 'terminated' | 'lost' };

export type Ordered = {
  readonly record: PodRecord;
  readonly observation: Observation;
  readonly verdict: Verdict;
};

/** Pets come before transfers; nothing is sent to a pod that this cycle has not reached. */
export function ordersFor({ record, observation, verdict }: Ordered, now: number): readonly Order[] {
  if (verdict.kind === 'gone') {
    return [{ kind: 'settle-gone', how: verdict.reason === 'terminated' ? 'terminated' : 'lost' }];
  }
  if (verdict.kind === 'end') {
    const { beforeVerified, inferred } = rowOf(verdict);
    return [{ kind: 'teardown', beforeVerified, inferred }];
  }
  if (UNTOUCHED.has(verdict.reason)) return [];
  const orders: Order[] = [];
  const shown = observation.provider.kind === 'present';
  // A pod that is not shown has not changed anybody's mind.
  if (shown && record.status === 'terminating' && record.fence !== null && !fenceBinds(record.fence, now)) {
    orders.push({ kind: 'release' });
  }
  if (verdict.reason === 'extended') orders.push({ kind: 'extend' });
  return [...orders, ...visitOrders(record, observation, now)];
}

/** Verdicts under which the account is in doubt or somebody else is at work: nothing is written on the pod. */
const UNTOUCHED: ReadonlySet<string> = new Set([
  'fence-held',
  'still-shown',
  'other-account',
  'account-unknown',
  'all-absent',
]);

/** How long the arm step of the job itself is left alone before the reaper arms in its place. */
const ARM_STEP_MS = 5 * MINUTE_MS;

/** After a claim: the mark alone decides when the registry cannot be asked, and it would turn the new owner away. */
function isFormerOwners({ owner }: PodRecord, { mark }: SwitchStatus): boolean {
  return mark.kind === 'seen' && mark.value.ownerUuid !== owner.uuid;
}

function whyNotArmed(status: Part<SwitchStatus>): string {
  if (status.kind === 'unseen') return status.reason;
  if (status.value.armed) return 'its mark names a former owner';
  if (status.value.reason !== KEY_REFUSED) return 'the switch is not armed';
  return 'the provider no longer takes the key on the pod';
}

function visitOrders(record: PodRecord, { visit }: Observation, now: number): readonly Order[] {
  if (visit.kind === 'unseen') return [];
  const orders: Order[] = [];
  const status = visit.value.switch;
  if (status.kind === 'seen' && status.value.armed && !isFormerOwners(record, status.value)) {
    orders.push({ kind: 'pet' });
  } else if (record.switch !== null || now - record.registeredAt >= ARM_STEP_MS) {
    orders.push({ kind: 're-arm', why: whyNotArmed(status) });
  }
  if (!record.artifacts.none && record.artifacts.remotePath !== null) orders.push({ kind: 'mirror' });
  return orders;
}
