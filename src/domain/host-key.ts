/** Which host keys a pod may show: the pinned ones, or a new one after a start that is proven to be later. */
import type { HostKeyPin, PodRecord } from './pod.ts';
import type { ProviderPod } from './provider-pod.ts';

/** Fingerprints as the official image prints them at start: `256 SHA256:… root@host (ED25519)`. */
const PRINTED = /(?:^|\s)(SHA256:[A-Za-z0-9+/]{43}=?)(?=\s|$)(?:.*\((RSA|DSA|ECDSA|ED25519)\))?/;

/** What stands in a log before the keys of a start: what an earlier start printed binds no more. */
const START = /^(?:Pod Started\b|start container for .*: begin)/;

/** The most kinds that are kept; sshd knows four. */
const MOST_KINDS = 8;

/** A start counts as later only when it is this far after the pin was seen: clocks and uptimes are rounded. */
const START_SLACK_MS = 5000;

/**
 * Fingerprints to accept; null = any key, once, because none is pinned or the container has started since.
 * Without a proven later start a changed key must stop everything.
 */
export function acceptedKeys(record: PodRecord, pod: ProviderPod, now: number): readonly string[] | null {
  const pin = record.hostKey;
  if (pin === null || startedAfter(pod, pin, now)) return null;
  return [pin.fingerprint, ...(pin.others ?? [])];
}

/** By a start time other than the pin's, or by an uptime that is shorter than the time since; runners' clocks differ. */
function startedAfter(pod: ProviderPod, pin: HostKeyPin, now: number): boolean {
  const at = pin.seenAt + START_SLACK_MS;
  if (pod.startedAt !== null && pod.startedAt !== pin.startedAt && pod.startedAt > at) return true;
  return pod.telemetry.kind === 'seen' && now - pod.telemetry.value.uptimeMs > at;
}

/** Whether a log read after a restart tells of it: one that repeats the pinned keys may lag behind, and binds nothing. */
export function newsOf(pin: HostKeyPin | null, printed: readonly string[]): boolean {
  const known = new Set(pin === null ? [] : [pin.fingerprint, ...(pin.others ?? [])]);
  return printed.some((fingerprint) => !known.has(fingerprint));
}

/** The pin to record once `shown` was accepted; null = the record holds it as it is. */
export function pinOnceShown(
  record: PodRecord,
  pod: ProviderPod,
  shown: string,
  now: number,
): HostKeyPin | null {
  const pin = record.hostKey;
  // A pin that is not renewed after a restart would let any later key pass as that restart's.
  const bound = pin !== null && acceptedKeys(record, pod, now) !== null;
  if (bound && pin.fingerprint === shown && pin.others === undefined) return null;
  const from = bound ? pin.from : pin === null ? 'first-use' : 'restart';
  return { fingerprint: shown, seenAt: now, startedAt: pod.startedAt, from };
}

/**
 * The fingerprints that the last start in a container log printed, one of each kind and ED25519 first, as clients prefer it.
 * docs/facts/pod.md
 */
export function fingerprintsIn(logLines: readonly string[]): readonly string[] {
  const byKind = new Map<string, string>();
  for (const line of logLines) {
    if (START.test(line)) byKind.clear();
    const [, fingerprint, kind = ''] = PRINTED.exec(line) ?? [];
    if (fingerprint !== undefined) byKind.set(kind, fingerprint);
  }
  const { ED25519: first, ...rest } = Object.fromEntries(byKind);
  const all = [...(first === undefined ? [] : [first]), ...Object.values(rest)];
  return [...new Set(all)].slice(0, MOST_KINDS);
}
