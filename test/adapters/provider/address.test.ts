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
    '2001:db8::1',
    'pod.example',
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
