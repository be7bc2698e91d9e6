/** Where a pod can be reached by SSH, or the reason why not: not-ready, not-running, no-port-22, proxy-only, private-address. */
import { type Part, seen, unseen } from '../../domain/part.ts';
import type { ProviderStatus, SshAddress } from '../../domain/provider-pod.ts';
import { mayDial } from './address.ts';
import type { PodV1, PodV2 } from './schemas.ts';

type NoAddress = 'not-ready' | 'not-running' | 'no-port-22' | 'proxy-only' | 'private-address';

const no = (reason: NoAddress): Part<SshAddress> => unseen(reason);

/** RunPod's images and its own `ssh.direct` know this login alone. */
const LOGIN = 'root';

function dialable(address: SshAddress, ownWorld: boolean): Part<SshAddress> {
  return mayDial(address.host, ownWorld) ? seen(address) : no('private-address');
}

/** Statuses in which no container runs; RUNNING, and words that RunPod may add later, are looked at closely. */
function notUp(status: ProviderStatus): NoAddress | null {
  if (status === 'PROVISIONING' || status === 'STARTING') return 'not-ready';
  return status === 'EXITED' || status === 'ERROR' || status === 'TERMINATED' ? 'not-running' : null;
}

const declares22 = (ports: readonly string[] | null): boolean =>
  ports === null || ports.some((port) => port.trim().toLowerCase() === '22/tcp');

/** The address as `ssh.direct` gives it, or as the published tcp port says it. */
function givenV2(pod: PodV2): SshAddress | null {
  const direct = pod.ssh?.direct ?? null;
  if (direct !== null) return direct;
  const port = pod.runtime?.ports?.find(({ private: inner, type }) => inner === 22 && type === 'tcp');
  if (port === undefined || port.public === null || port.ip === null) return null;
  return { host: port.ip, port: port.public, username: LOGIN };
}

export function sshOfV2(pod: PodV2, status: ProviderStatus, ownWorld: boolean): Part<SshAddress> {
  const down = notUp(status);
  if (down !== null) return no(down);
  const address = givenV2(pod);
  if (address !== null) return dialable(address, ownWorld);
  if (status === 'OTHER') return no('not-running');
  if (!declares22(pod.ports)) return no('no-port-22');
  // Until the ports are reported nothing is decided: they come after the image pull.
  if ((pod.runtime?.ports ?? []).length === 0) return no('not-ready');
  return no((pod.ssh?.proxy ?? null) === null ? 'not-ready' : 'proxy-only');
}

export function sshOfV1(pod: PodV1, status: ProviderStatus, ownWorld: boolean): Part<SshAddress> {
  const down = notUp(status);
  if (down !== null) return no(down);
  const port = pod.portMappings?.['22'];
  if (pod.publicIp !== null && port !== undefined) {
    return dialable({ host: pod.publicIp, port, username: LOGIN }, ownWorld);
  }
  if (status === 'OTHER') return no('not-running');
  return no(declares22(pod.ports) ? 'not-ready' : 'no-port-22');
}
