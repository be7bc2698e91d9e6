/** The scan finds what was planted for it, however it is written, and nothing in what is public. */
import { expect, it } from 'vitest';
import { makeOpensshKey } from '../../src/world/pods/openssh-key.ts';
import { type Secret, scan, secretOf, seedOf } from './secret-scan.ts';

const KEY = 'rpa_SCAN+KEY/SCAN&KEY SCANKEY0123456789';
const OTHER = KEY.replace('SCAN&KEY', 'scan&key');
const ways = (secret: Secret, text: string): string[] =>
  scan([{ where: 'here', text }], [secret]).map(({ how }) => how);

it.each([
  ['plain', KEY],
  ['reversed', Array.from(KEY).reverse().join('')],
  ['base64', Buffer.from(KEY).toString('base64')],
  ['base64', Buffer.from(`x-access-token:${KEY}`).toString('base64')],
  ['base64', Buffer.from(`a${KEY}bc`).toString('base64url')],
  ['url-encoded', `https://api.example/graphql?api_key=${encodeURIComponent(KEY)}`],
  ['hex', Buffer.from(KEY).toString('hex')],
])('%s is found in the midst of other text', (how, planted) => {
  expect(ways(secretOf('key', KEY), `before ${planted} after`)).toContain(how);
  expect(ways(secretOf('key', OTHER), `before ${planted} after`)).toEqual([]);
});

it('a private key is found by its seed: as a file, in JSON, within another base64; its public half is no find', () => {
  const { privateKey, publicLine } = makeOpensshKey('scan');
  const seed = seedOf('ssh key', privateKey);
  expect(ways(seed, privateKey)).toContain('base64');
  expect(ways(seed, JSON.stringify({ key: privateKey }))).toContain('base64');
  expect(ways(seed, seed.bytes.toString('hex'))).toEqual(['hex']);
  expect(ways(secretOf('line', privateKey.split('\n')[3] ?? ''), btoa(privateKey))).toContain('base64');
  expect(ways(seed, publicLine)).toEqual([]);
});

it('a secret may be where it belongs, and nowhere else; a short one is refused', () => {
  const secret = secretOf('pod key', KEY, /^pod .*credential$/);
  const exhibits = ['pod /dev/shm/x/credential', 'pod /tmp/credentials'].map((where) => ({
    where,
    text: KEY,
  }));
  expect(scan(exhibits, [secret]).map(({ where }) => where)).toEqual(['pod /tmp/credentials']);
  expect(() => secretOf('pin', '1234')).toThrow('too short');
});
