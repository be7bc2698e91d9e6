/** Which addresses may be dialled: public ones, and the loopback for the embedded world alone. See docs/facts/runpod.md. */
import { BlockList, isIP } from 'node:net';

const NOT_PUBLIC: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  // Carrier-grade NAT: RunPod's internal addresses of http ports.
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  // Multicast and reserved.
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const blocked = new BlockList();
for (const [net, prefix, family] of NOT_PUBLIC) blocked.addSubnet(net, prefix, family);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1').toLowerCase();

function within(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** `localhost`, 127/8 and ::1. */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host);
  return name === 'localhost' || name.endsWith('.localhost') || within(loopback, name);
}

/** A name as DNS or an address writes it; keeps what could be read as an option or a second word away from ssh. */
export function isHostText(host: string): boolean {
  return /^[A-Za-z0-9:][A-Za-z0-9.:-]{0,252}$/.test(host);
}

/**
 * Whether a pod's address may be dialled. Private, carrier-NAT, loopback and link-local ones lead into our own
 * network, not to a pod. `ownWorld` (the REST base itself is on the loopback) allows the loopback: the embedded
 * world's pods live there, and who can point the base there already runs on this machine.
 */
export function mayDial(host: string, ownWorld: boolean): boolean {
  const name = bare(host);
  if (isLoopbackHost(name)) return ownWorld;
  return !within(blocked, name);
}
