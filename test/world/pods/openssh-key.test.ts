/** Keys of the world are good for ssh2, whatever bytes chance gives them. */
import { utils } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, makeOpensshKey } from '../../../src/world/pods/openssh-key.ts';

describe('makeOpensshKey', () => {
  it('gives pairs that parse and whose halves belong together, a thousand times over', () => {
    for (let round = 0; round < 1000; round += 1) {
      const made = makeOpensshKey(`key ${round}`);
      const secret = utils.parseKey(made.privateKey);
      const open = utils.parseKey(made.publicLine);
      if (secret instanceof Error || open instanceof Error) throw new Error(`round ${round} does not parse`);
      expect(secret.getPublicSSH().equals(open.getPublicSSH())).toBe(true);
      expect(open.verify('text', secret.sign('text'))).toBe(true);
      expect(made.fingerprint).toBe(fingerprintOf(open.getPublicSSH()));
    }
  });

  it('prints fingerprints as ssh-keygen does', () => {
    const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
    expect(fingerprintOf(Buffer.from(blob, 'base64'))).toBe(
      'SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA',
    );
  });
});
