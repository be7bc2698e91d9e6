/** Pins a pod's host keys from its container log, when the log can be read and shows some. */
import { fingerprintsIn } from '../../domain/host-key.ts';
import type { HostKeyPin } from '../../domain/pod.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import type { World } from '../../ports.ts';
import { softly } from '../ask.ts';

const LOG_TAIL = 500;

/** What the last start printed; none where the log cannot be read or shows none. */
export async function printedKeys(world: World, podId: string): Promise<readonly string[]> {
  const lines = await softly(() => world.provider.logs(podId, LOG_TAIL));
  return lines.kind === 'unseen' ? [] : fingerprintsIn(lines.value);
}

/**
 * null = first use decides. An image prints a key of each kind and its server shows one of them: all are accepted until the first
 * connection, and from then on the record holds the one that was shown.
 */
export async function pinFromLog(world: World, pod: ProviderPod): Promise<HostKeyPin | null> {
  const [fingerprint, ...others] = await printedKeys(world, pod.id);
  if (fingerprint === undefined) return null;
  return {
    fingerprint,
    ...(others.length === 0 ? {} : { others }),
    seenAt: world.clock.now(),
    startedAt: pod.startedAt,
    from: 'container-log',
  };
}
