/** The list of pods for people: what the registry says, beside what the provider shows of the same pods now. */
import { costOf, rateOf } from '../cost.ts';
import { ownerDeadlineAt } from '../deadlines.ts';
import type { ExitCode } from '../errors.ts';
import { type Owner, ownerName, sameOwner } from '../owner.ts';
import { type Part, unseen } from '../part.ts';
import { isLive, type PodRecord, podKey } from '../pod.ts';
import { reconcile } from '../policy/reconcile.ts';
import type { Listing, ProviderPod } from '../provider-pod.ts';
import { allRecords, type RegistryState } from '../registry/state.ts';

/** `live`: every owner's live pods and promises; `all`: ended and foreign ones as well. */
export type ListScope = 'live' | 'all' | 'mine' | 'others';

export type ListRow = {
  readonly pod: string;
  readonly name: string;
  readonly account: string | null;
  /** The record's status; `foreign` for a pod without one. */
  readonly status: PodRecord['status'] | 'foreign' | 'stray';
  /** The provider's own word, or why it is not known. */
  readonly shown: Part<string>;
  readonly gpu: string | null;
  readonly owner: string | null;
  readonly mine: boolean;
  /** Busiest GPU, per cent, by the provider's telemetry. */
  readonly util: Part<number>;
  readonly ownerDeadlineAt: number | null;
  readonly absoluteDeadlineAt: number | null;
  readonly keepUntilAt: number | null;
  readonly armed: boolean;
  /** Why its file cannot be read; it counts as its last valid version. null = it can. */
  readonly damaged: string | null;
  readonly lastVerdict: string | null;
  readonly costMicroUsd: number | null;
  readonly costPerHourMicroUsd: number | null;
};

export type ListInput = {
  readonly state: RegistryState;
  readonly listing: Part<Listing>;
  readonly me: Owner;
  readonly scope: ListScope;
  readonly now: number;
};

export function listRows(input: ListInput): readonly ListRow[] {
  const { state, listing, scope } = input;
  const sorted = reconcile(state, listing.kind === 'seen' ? listing.value.pods : []);
  const shown = new Map([...sorted.ours, ...sorted.reopened].map((each) => [podKey(each.record), each.pod]));
  const problems = new Map(
    state.quarantined.flatMap(({ lastValid, problem }) =>
      lastValid === null ? [] : [[podKey(lastValid), problem]],
    ),
  );
  const ours = allRecords(state)
    .filter((record) => inScope(record, input))
    .map((record) => ({
      ...ourRow(record, shown.get(podKey(record)) ?? null, input),
      damaged: problems.get(podKey(record)) ?? null,
    }))
    .sort((left, right) => rank(left) - rank(right) || (left.pod < right.pod ? -1 : 1));
  if (scope === 'mine' || scope === 'others') return ours;
  const strays = sorted.strays.map(({ pod }) => bareRow(pod, 'stray'));
  return scope === 'live'
    ? [...ours, ...strays]
    : [...ours, ...strays, ...sorted.foreign.map(({ pod }) => bareRow(pod, 'foreign'))];
}

/** My own process, or the same owner by label or key: an unlabelled owner is only ever himself. */
export function isMine(record: PodRecord, me: Owner): boolean {
  return record.owner.uuid === me.uuid || sameOwner(record.owner, me);
}

function inScope(record: PodRecord, { scope, me }: ListInput): boolean {
  if (scope === 'all') return true;
  if (!isLive(record) && record.status !== 'intent') return false;
  return scope === 'live' || isMine(record, me) === (scope === 'mine');
}

const RANK: Readonly<Record<ListRow['status'], number>> = {
  terminating: 0,
  active: 1,
  intent: 2,
  stray: 3,
  lost: 4,
  terminated: 5,
  foreign: 6,
};

function rank(row: ListRow): number {
  return RANK[row.status];
}

function ourRow(record: PodRecord, pod: ProviderPod | null, { me, listing, now }: ListInput): ListRow {
  const away: Part<never> = listing.kind === 'unseen' ? listing : unseen('not in the list');
  return {
    pod: record.id,
    name: record.name,
    account: record.account,
    status: record.status,
    shown: pod === null ? away : { kind: 'seen', value: pod.statusText },
    gpu: record.gpu,
    owner: ownerName(record.owner),
    mine: isMine(record, me),
    util: pod === null ? away : utilOf(pod),
    ownerDeadlineAt: ownerDeadlineAt(record.deadlines),
    absoluteDeadlineAt: record.deadlines.absoluteDeadlineAt,
    keepUntilAt: record.deadlines.keepUntilAt,
    armed: record.switch !== null,
    damaged: null,
    lastVerdict: record.end?.reason ?? record.lastVerdict?.reason ?? null,
    costMicroUsd: costOf(record, now, pod?.status ?? null),
    costPerHourMicroUsd: rateOf(record, pod?.status ?? null),
  };
}

function utilOf(pod: ProviderPod): Part<number> {
  if (pod.telemetry.kind === 'unseen') return pod.telemetry;
  const utils = pod.telemetry.value.gpus.flatMap(({ util }) => (util === null ? [] : [util]));
  return utils.length === 0 ? unseen('no GPU figure') : { kind: 'seen', value: Math.max(...utils) };
}

function bareRow(pod: ProviderPod, status: 'stray' | 'foreign'): ListRow {
  return {
    pod: pod.id,
    name: pod.name,
    account: null,
    status,
    shown: { kind: 'seen', value: pod.statusText },
    gpu: pod.gpu === null ? null : `${pod.gpu.count} x ${pod.gpu.type}`,
    owner: null,
    mine: false,
    util: utilOf(pod),
    ownerDeadlineAt: null,
    absoluteDeadlineAt: null,
    keepUntilAt: null,
    armed: false,
    damaged: null,
    lastVerdict: null,
    costMicroUsd: null,
    costPerHourMicroUsd: pod.costPerHourMicroUsd,
  };
}

/** A list that the provider did not answer is no whole list: 1 beside live pods of ours, else 4. */
export function exitOfList(rows: readonly ListRow[], listing: Part<Listing>): ExitCode {
  if (listing.kind === 'seen') return listing.value.malformed.length > 0 ? 1 : 0;
  return rows.some((row) => row.status === 'active' || row.status === 'terminating') ? 1 : 4;
}
