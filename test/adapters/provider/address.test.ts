/** Which addresses may be dialled. */
import { describe, expect, it } from 'vitest';
import { mayDial } from '../../../src/adapters/runpod-provider/address.ts';

describe('mayDial', () => {
  it.each([
    '203.0.113.17',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.0.1.1',
    '198.17.255.255',
    '198.20.0.1',
    '2001:db8::1',
    '2a01:4f8::1',
    '::ffff:203.0.113.17',
    'pod.example',
    'pod.example.',
    '10.0.0.1.pod.example',
    'internal.example',
  ])('dials %s', (host) => {
    expect(mayDial(host, false)).toBe(true);
  });

  it.each([
    '100.64.0.1',
    '100.65.0.101',
    '100.127.255.255',
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '172.31.255.255',
    '127.0.0.1',
    '127.8.8.8',
    '169.254.169.254',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
    '::1',
    '[::1]',
    '::',
    'fd00::1',
    'fe80::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:6441:65',
    '::FFFF:100.65.0.1',
    '0:0:0:0:0:ffff:0a00:0001',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::ffff:0:10.0.0.1',
    '::10.0.0.1',
    '::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '2001:0:a00:1::',
    '2002:a00:1::',
    '100::1',
    'febf::1',
    'fec0::1',
    'fe80::1%eth0',
    '192.0.0.8',
    '198.18.0.1',
    '198.19.255.255',
    '240.0.0.1',
    '10.0.0.1.',
    '127.0.0.1.',
    '127.1',
    '10.1',
    '0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '010.0.0.1',
    '10.0.0.1:22',
    '１０.0.0.1',
    'localhost.',
    'a.localhost.',
    'ip6-localhost',
    'router',
    'host.docker.internal',
    'metadata.google.internal.',
    'printer.local',
    'nas.home.arpa',
    'pod.lan',
    '',
    '.',
  ])('never dials %s (case C13)', (host) => {
    expect(mayDial(host, false)).toBe(false);
  });

  it.each(['127.0.0.1', '::1', 'localhost'])('dials %s in the embedded world', (host) => {
    expect(mayDial(host, true)).toBe(true);
  });

  it.each(['10.0.0.1', '100.65.0.101', '169.254.169.254'])('does not dial %s even there', (host) => {
    expect(mayDial(host, true)).toBe(false);
  });
});
