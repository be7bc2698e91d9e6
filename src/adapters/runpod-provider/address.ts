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
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  // Benchmarks of networks.
  ['198.18.0.0', 15, 'ipv4'],
  // Multicast and reserved.
  ['224.0.0.0', 3, 'ipv4'],
  // Every way in which IPv6 carries an IPv4 address, which may be a private one; the mapped way is judged by Node.
  ['::', 96, 'ipv6'],
  ['::ffff:0:0:0', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const blocked = new BlockList();
for (const [net, prefix, family] of NOT_PUBLIC) blocked.addSubnet(net, prefix, family);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const NAME = /^[a-z0-9][a-z0-9.-]*$/;

/** Names that lead nowhere but into the network of whoever asks (RFC 6761, 6762, 8375 and what routers and clouds give out). */
const OWN_NETWORK = /^[^.]*$|\.(?:internal|intranet|private|corp|home|lan|local|localdomain|home\.arpa)$/;

/** `127.1`, `0x7f000001`, `10.0.0.1.`: systems dial these as addresses, though they are none to us. */
const NUMBERS = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

const bare = (host: string): string =>
  host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();

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
  if (isIP(name) === 0) return NAME.test(name) && !OWN_NETWORK.test(name) && !NUMBERS.test(name);
  return !name.includes('%') && !within(blocked, name);
}
