/** Proves by a login that an unstamped pod which was there before is this job's to take. */
import { Refusal } from '../../domain/errors.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import { switchCall } from '../../domain/switch/calls.ts';
import { readSwitchMark } from '../../domain/switch.ts';
import type { World } from '../../ports.ts';
import { softly } from '../ask.ts';

/** Throws a Refusal when the job's key does not get in, or another registry's mark lies on the pod. */
export async function proveLogin(
  world: World,
  pod: ProviderPod,
  mine: { readonly registryId: string; readonly adopt: boolean },
): Promise<void> {
  if (pod.ssh.kind === 'unseen') throw notProven(pod, `it cannot be reached yet (${pod.ssh.reason})`);
  const address = pod.ssh.value;
  const opened = await softly(() => world.shell.open({ podId: pod.id, address, pins: null }));
  if (opened.kind === 'unseen') throw notProven(pod, opened.reason);
  const session = opened.value;
  try {
    const mark = readSwitchMark(await session.run(switchCall('mark')));
    if (mark.kind === 'unseen' || mark.value.registryId === mine.registryId || mine.adopt) return;
  } finally {
    await session.close();
  }
  throw new Refusal('other-registry', {
    tried: `Registering ${pod.id}`,
    cameBack: 'another registry has left its mark on it',
    state: 'The pod was not touched',
    next: 'If it is really yours to take, register it with adopt',
  });
}

function notProven(pod: ProviderPod, cameBack: string): Refusal {
  return new Refusal('login-needed', {
    tried: `Registering ${pod.id}, which carries no stamp and was there before this run`,
    cameBack,
    state: 'The pod was not touched',
    next: 'Register it when a login with your key works, or create it with the stamp that whoami --json gives',
  });
}
