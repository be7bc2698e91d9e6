/** Throw-away Ed25519 keys, made by Node: ssh2's own generator makes some that do not parse. */
import { generateKeyPairSync } from 'node:crypto';
import { ed25519PublicLine, ed25519ToOpenSsh } from '../../../src/adapters/ssh/openssh-key.ts';

export type KeyPair = { readonly privateText: string; readonly publicLine: string };

export function keyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    privateText: ed25519ToOpenSsh(privateKey, 'podtrack test'),
    publicLine: ed25519PublicLine(privateKey, 'podtrack-test'),
  };
}
