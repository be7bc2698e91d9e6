/** Pins a pod's host key from its container log, when the log can be read and shows one. */
import { fingerprintsIn } from '../domain/host-key.ts';
import type { HostKeyPin } from '../domain/pod.ts';
import type { ProviderPod } from '../domain/provider-pod.ts';
import type { World } from '../ports.ts';
import { softly } from './ask.ts';

const LOG_TAIL = 500;

/**
 * null = first use decides. An image prints the keys of several kinds and the server shows one of them, so a
 * pin is taken from the log only where it prints exactly one.
 */
export async function pinFromLog(world: World, pod: ProviderPod): Promise<HostKeyPin | null> {
  const lines = await softly(() => world.provider.logs(pod.id, LOG_TAIL));
  if (lines.kind === 'unseen') return null;
  const printed = [...new Set(fingerprintsIn(lines.value))];
  const [fingerprint] = printed;
  if (fingerprint === undefined || printed.length > 1) return null;
  return { fingerprint, seenAt: world.clock.now(), startedAt: pod.startedAt, from: 'container-log' };
}
