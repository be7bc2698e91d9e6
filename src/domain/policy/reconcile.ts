/** Sorts the account against the registry: ours, to reopen, stray or foreign; and who is missing. */
import { isLive, isSamePod, type PodRecord, podKey } from '../pod.ts';
import type { ProviderPod } from '../provider-pod.ts';
import { allRecords, type RegistryState } from '../registry/state.ts';
import { mintedFor, parseStamp, type Stamp } from '../stamp.ts';

export type Foreign = {
  readonly pod: ProviderPod;
  /** `no-stamp`, another registry's, a copied stamp, or a provider id that another pod had before. */
  readonly why: 'no-stamp' | 'other-registry' | 'copied-stamp' | 'id-reused';
};

export type Stray = { readonly pod: ProviderPod; readonly stamp: Stamp };

export type Reconciled = {
  /** Listed pods that a live record matches by id and createdAt, or an intent by exact name and nonce. */
  readonly ours: readonly { readonly record: PodRecord; readonly pod: ProviderPod }[];
  /** Listed although the record says terminated or lost. */
  readonly reopened: readonly { readonly record: PodRecord; readonly pod: ProviderPod }[];
  readonly strays: readonly Stray[];
  readonly foreign: readonly Foreign[];
  /** Live records that the list does not show. Each is asked by id before anything is concluded. */
  readonly missing: readonly PodRecord[];
  /** A missing record and a younger pod of the same name: told, never assumed. */
  readonly successors: readonly { readonly record: PodRecord; readonly pod: ProviderPod }[];
};

/** Total: every listed pod lands in exactly one of ours, reopened, strays, foreign. */
export function reconcile(state: RegistryState, listed: readonly ProviderPod[]): Reconciled {
  const records = allRecords(state);
  const byId = new Map(records.map((record) => [record.id, record]));
  const intents = records.filter((record) => record.status === 'intent');
  const nonces = countNonces(records, listed);
  const sorted = { ours: [], reopened: [], strays: [], foreign: [] } as {
    ours: { record: PodRecord; pod: ProviderPod }[];
    reopened: { record: PodRecord; pod: ProviderPod }[];
    strays: Stray[];
    foreign: Foreign[];
  };
  for (const pod of listed) {
    const record = byId.get(pod.id) ?? intents.find((intent) => fulfilledBy(intent, listed) === pod);
    if (record !== undefined && matches(record, pod)) {
      (isBack(record, pod) ? sorted.reopened : sorted.ours).push({ record, pod });
    } else if (record !== undefined) sorted.foreign.push({ pod, why: 'id-reused' });
    else sortUnrecorded(pod, { registryId: state.meta.registryId, nonces, sorted });
  }
  const shown = new Set([...sorted.ours, ...sorted.reopened].map(({ record }) => podKey(record)));
  const missing = records.filter((record) => isLive(record) && !shown.has(podKey(record)));
  return { ...sorted, missing, successors: successorsOf(missing, sorted) };
}

/** An intent is fulfilled by the exact name *and* the stamp's nonce, never by a part of a name. */
function fulfils(intent: PodRecord, pod: ProviderPod): boolean {
  return intent.name === pod.name && intent.nonce !== null && stampOf(pod)?.nonce === intent.nonce;
}

/** A pod that was copied with its name and stamp is younger than the one that was made for the intent. */
function fulfilledBy(intent: PodRecord, listed: readonly ProviderPod[]): ProviderPod | undefined {
  const able = listed.filter((pod) => fulfils(intent, pod));
  return able.toSorted((left, right) => (left.createdAt ?? 0) - (right.createdAt ?? 0))[0];
}

function matches(record: PodRecord, pod: ProviderPod): boolean {
  return record.status === 'intent' ? fulfils(record, pod) : isSamePod(record, pod);
}

/** An ended pod may be listed as TERMINATED for a while: that is its end, not its return. */
function isBack(record: PodRecord, pod: ProviderPod): boolean {
  return (record.status === 'terminated' || record.status === 'lost') && pod.status !== 'TERMINATED';
}

export function stampOf(pod: ProviderPod): Stamp | null {
  return pod.stamp === null ? null : parseStamp(pod.stamp);
}

/** How often each nonce is seen on pods and in records, tombstones included. */
function countNonces(
  records: readonly PodRecord[],
  listed: readonly ProviderPod[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const all = [...records.map((record) => record.nonce), ...listed.map((pod) => stampOf(pod)?.nonce ?? null)];
  for (const nonce of all) if (nonce !== null) counts.set(nonce, (counts.get(nonce) ?? 0) + 1);
  return counts;
}

type Sorting = {
  readonly registryId: string;
  readonly nonces: ReadonlyMap<string, number>;
  readonly sorted: { readonly strays: Stray[]; readonly foreign: Foreign[] };
};

/** A true stray carries this registry's stamp, minted for it, with a nonce that is nowhere else. */
function sortUnrecorded(pod: ProviderPod, { registryId, nonces, sorted }: Sorting): void {
  const stamp = stampOf(pod);
  if (stamp === null) sorted.foreign.push({ pod, why: 'no-stamp' });
  else if (stamp.registryId !== registryId) sorted.foreign.push({ pod, why: 'other-registry' });
  else if (isOwn(stamp, pod, nonces)) sorted.strays.push({ pod, stamp });
  else sorted.foreign.push({ pod, why: 'copied-stamp' });
}

function isOwn(stamp: Stamp, pod: ProviderPod, nonces: ReadonlyMap<string, number>): boolean {
  return nonces.get(stamp.nonce) === 1 && pod.createdAt !== null && mintedFor(stamp, pod.createdAt);
}

function successorsOf(
  missing: readonly PodRecord[],
  sorted: { readonly strays: readonly Stray[]; readonly foreign: readonly Foreign[] },
): Reconciled['successors'] {
  const unrecorded = [...sorted.strays, ...sorted.foreign].map(({ pod }) => pod);
  return missing.flatMap((record) =>
    unrecorded
      .filter(
        (pod) => pod.name === record.name && (pod.createdAt ?? 0) > (record.createdAt ?? record.registeredAt),
      )
      .map((pod) => ({ record, pod })),
  );
}
