/** Identifiers that nobody can guess, and hashes, from Node's own cryptography. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Chance } from '../ports.ts';

export function nodeChance(): Chance {
  return {
    uuid: () => randomUUID(),
    hex: (bytes) => randomBytes(bytes).toString('hex'),
    sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  };
}
