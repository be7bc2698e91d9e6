/** Pins a pod's host keys from its container log, when the log can be read and shows some. */
import { fingerprintsIn } from '../../domain/host-key.ts';
import type { HostKeyPin } from '../../domain/pod.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import type { World } from '../../ports.ts';
import { softly } from '../ask.ts';

const LOG_TAIL = 500;

/**
 * null = first use decides. An image prints a key of each kind and its server shows one of them: all are accepted until the first
 * connection, and from then on the record holds the one that was shown.
 */
export async function pinFromLog(world: World, pod: ProviderPod): Promise<HostKeyPin | null> {
  const lines = await softly(() => world.provider.logs(pod.id, LOG_TAIL));
  if (lines.kind === 'unseen') return null;
  const [fingerprint, ...others] = fingerprintsIn(lines.value);
  if (fingerprint === undefined) return null;
  return {
    fingerprint,
    ...(others.length === 0 ? {} : { others }),
    seenAt: world.clock.now(),
    startedAt: pod.startedAt,
    from: 'container-log',
  };
}
