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

/** RunPod's proxy gives a terminal only, whatever field it stands in. */
const isProxy = (host: string): boolean => /^ssh\.runpod\.(?:io|net)\.?$/i.test(host);

export function proxiedV2({ ssh }: PodV2): boolean {
  return (ssh?.proxy ?? null) !== null || isProxy(ssh?.direct?.host ?? '');
}

/** The addresses that `ssh.direct` and each published tcp port give, best first. */
function givenV2(pod: PodV2): readonly SshAddress[] {
  const { host, port, username } = pod.ssh?.direct ?? {};
  const direct =
    host === undefined || port === undefined ? [] : [{ host, port, username: username ?? LOGIN }];
  const published = (pod.runtime?.ports ?? []).flatMap((one): SshAddress[] => {
    const ours = one.private === 22 && one.type?.toLowerCase() === 'tcp';
    if (!ours || one.public === null || one.ip === null) return [];
    return [{ host: one.ip, port: one.public, username: LOGIN }];
  });
  return [...direct, ...published].filter((address) => !isProxy(address.host));
}

export function sshOfV2(pod: PodV2, status: ProviderStatus, ownWorld: boolean): Part<SshAddress> {
  const down = notUp(status);
  if (down !== null) return no(down);
  const addresses = givenV2(pod);
  const address = addresses.find(({ host }) => mayDial(host, ownWorld)) ?? addresses[0];
  if (address !== undefined) return dialable(address, ownWorld);
  if (status === 'OTHER') return no('not-running');
  if (!declares22(pod.ports)) return no('no-port-22');
  // Until the ports are reported nothing is decided: they come after the image pull.
  if ((pod.runtime?.ports ?? []).length === 0) return no('not-ready');
  return no(proxiedV2(pod) ? 'proxy-only' : 'not-ready');
}

export function sshOfV1(pod: PodV1, status: ProviderStatus, ownWorld: boolean): Part<SshAddress> {
  const down = notUp(status);
  if (down !== null) return no(down);
  const port = pod.portMappings?.['22'];
  if (isProxy(pod.publicIp ?? '')) return no('proxy-only');
  if (pod.publicIp !== null && port !== undefined) {
    return dialable({ host: pod.publicIp, port, username: LOGIN }, ownWorld);
  }
  if (status === 'OTHER') return no('not-running');
  return no(declares22(pod.ports) ? 'not-ready' : 'no-port-22');
}
