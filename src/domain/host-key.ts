/** Which host keys a pod may show: the pinned one, or a new one after a start that is proven to be later. */
import type { PodRecord } from './pod.ts';
import type { ProviderPod } from './provider-pod.ts';

/** Fingerprints as the official image prints them at start: `256 SHA256:… root@host (ED25519)`. */
const PRINTED = /(?:^|\s)(SHA256:[A-Za-z0-9+/]{43}=?)(?=\s|$)/g;

/** A start counts as later only when it is this far after the pin was seen: clocks and uptimes are rounded. */
const START_SLACK_MS = 5000;

/**
 * Fingerprints to accept; null = any key, once, because none is pinned or the container has started since.
 * Without a proven later start a changed key must stop everything.
 */
export function acceptedKeys(record: PodRecord, pod: ProviderPod, now: number): readonly string[] | null {
  const pin = record.hostKey;
  if (pin === null || startedAfter(pod, pin.seenAt + START_SLACK_MS, now)) return null;
  return [pin.fingerprint];
}

/** By the provider's start time, or by an uptime that is shorter than the time since. */
function startedAfter(pod: ProviderPod, at: number, now: number): boolean {
  if (pod.startedAt !== null && pod.startedAt > at) return true;
  return pod.telemetry.kind === 'seen' && now - pod.telemetry.value.uptimeMs > at;
}

/** The fingerprints that a container log shows, newest last. */
export function fingerprintsIn(logLines: readonly string[]): readonly string[] {
  return logLines.flatMap((line) => [...line.matchAll(PRINTED)].map((match) => match[1] ?? ''));
}
