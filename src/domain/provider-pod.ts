/** A pod as the provider shows it, and what a listing says and does not say. */
import type { Part } from './part.ts';

/** Observed status; anything the provider adds later is `OTHER` with its own word kept. */
export type ProviderStatus =
  | 'PROVISIONING'
  | 'STARTING'
  | 'RUNNING'
  | 'EXITED'
  | 'ERROR'
  | 'TERMINATED'
  | 'OTHER';

export type SshAddress = { readonly host: string; readonly port: number; readonly username: string };

/** Provider telemetry: percentages 0-100. */
export type Telemetry = {
  readonly uptimeMs: number;
  readonly gpus: readonly { readonly util: number | null; readonly memoryUtil: number | null }[];
  readonly cpuUtil: number | null;
};

/** Only named fields of an answer are kept; env is read for the stamp and dropped. */
export type ProviderPod = {
  readonly id: string;
  readonly name: string;
  readonly status: ProviderStatus;
  readonly statusText: string;
  readonly createdAt: number | null;
  readonly startedAt: number | null;
  readonly stamp: string | null;
  readonly locked: boolean;
  /** Micro-dollars per hour; the provider's figure reads 0 while stopped although storage bills. */
  readonly costPerHourMicroUsd: number | null;
  readonly gpu: { readonly type: string; readonly count: number } | null;
  readonly cpu: boolean;
  readonly dataCenter: string | null;
  readonly volumeId: string | null;
  readonly volumePath: string | null;
  readonly telemetry: Part<Telemetry>;
  /** A dialable direct address; unseen with the reason otherwise (`proxy-only`, `not-ready`, `private-address`). */
  readonly ssh: Part<SshAddress>;
  /** Whether a proxied SSH door exists: interactive only, unfit for copying. */
  readonly proxied: boolean;
};

/** Doors that lead nowhere, however long one waits; the reason that stands in `ssh` → why, in words. */
const NO_WAY: Readonly<Record<string, string>> = {
  'proxy-only':
    'the provider shows its SSH proxy alone, a terminal for people that runs no command and copies nothing (expose 22/tcp for a direct address)',
  'private-address':
    'the provider shows a private or carrier-grade address, which leads to another machine from here',
  'no-port-22': 'it does not expose 22/tcp',
};

/** Why there will be no direct way to this pod, in words; null = there is one, or it may still come. */
export function noWayTo(pod: Pick<ProviderPod, 'ssh'>): string | null {
  const why = pod.ssh.kind === 'unseen' ? NO_WAY[pod.ssh.reason] : undefined;
  return why === undefined ? null : `${why}; SSH does not pass an HTTP proxy either`;
}

/** An item of a list that did not have the shape of a pod. */
export type MalformedItem = { readonly id: string | null; readonly problem: string };

/** One good answer to "which pods are there"; `malformed` items switch off every conclusion from absence. */
export type Listing = {
  readonly pods: readonly ProviderPod[];
  readonly malformed: readonly MalformedItem[];
};

/** What GET by id said. `absent` only for a well-formed "no such pod". */
export type Lookup = { readonly kind: 'present'; readonly pod: ProviderPod } | { readonly kind: 'absent' };

/** Whether a listing may carry conclusions from absence, and if not why. */
export function absenceConclusive(listing: Part<Listing>): Part<ReadonlySet<string>> {
  if (listing.kind === 'unseen') return listing;
  if (listing.value.malformed.length > 0) {
    return { kind: 'unseen', reason: `list had ${listing.value.malformed.length} malformed item(s)` };
  }
  if (listing.value.pods.length === 0) return { kind: 'unseen', reason: 'list was empty' };
  return { kind: 'seen', value: new Set(listing.value.pods.map((pod) => pod.id)) };
}
