/** Everything one cycle saw of one pod; each part is seen with its value or unseen with its reason. */

import type { GpuReading } from './gpu.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { OwnerLiveness } from './owner.ts';
import { mapPart, type Part } from './part.ts';
import type { Lookup, ProviderPod } from './provider-pod.ts';
import type { SwitchStatus } from './switch.ts';

/** What the provider said of a pod that a record names. */
export type ProviderLook =
  | { readonly kind: 'present'; readonly pod: ProviderPod }
  /** A GET that says "no such pod"; `listedAway` = a good list agrees. Only both count as an absence. */
  | { readonly kind: 'absent'; readonly listedAway: Part<true> }
  | { readonly kind: 'unseen'; readonly reason: string };

/** Why a visit did not happen or failed; only `no-route` may ever count as unreachable. */
export type VisitFailure =
  | 'not-ready'
  | 'proxy-only'
  | 'private-address'
  | 'no-route'
  | 'refused-login'
  | 'wrong-host-key'
  | 'held-shut'
  | 'incomplete-answer'
  | 'timed-out'
  | 'not-shown'
  | 'no-key';

/** One SSH visit. Times are the pod's own unless the name says otherwise. */
export type Visit = {
  readonly podNow: Part<number>;
  readonly uptimeMs: Part<number>;
  readonly heartbeat: Part<Heartbeat>;
  readonly gpu: Part<GpuReading>;
  readonly load1: Part<number>;
  readonly sshSessions: Part<number>;
  readonly switch: Part<SwitchStatus>;
  readonly hostKey: string;
};

export type VisitLook =
  | { readonly kind: 'seen'; readonly value: Visit }
  | { readonly kind: 'unseen'; readonly failure: VisitFailure; readonly reason: string };

export type Observation = {
  /** Our clock, epoch ms, when the look began. */
  readonly at: number;
  readonly provider: ProviderLook;
  readonly visit: VisitLook;
  readonly owner: Part<OwnerLiveness>;
};

/** Folds list and GET into one look. `listed` null = the list carries no conclusion. */
export function lookAt(listed: Part<ProviderPod | null>, lookup: Part<Lookup> | null): ProviderLook {
  if (listed.kind === 'seen' && listed.value !== null) return { kind: 'present', pod: listed.value };
  if (lookup === null) return { kind: 'unseen', reason: reasonOf(listed, 'not asked by id') };
  if (lookup.kind === 'unseen')
    return { kind: 'unseen', reason: `${reasonOf(listed, 'not in the list')}; ${lookup.reason}` };
  if (lookup.value.kind === 'present') return { kind: 'present', pod: lookup.value.pod };
  return { kind: 'absent', listedAway: mapPart(listed, () => true as const) };
}

function reasonOf(listed: Part<ProviderPod | null>, otherwise: string): string {
  return listed.kind === 'unseen' ? listed.reason : otherwise;
}
