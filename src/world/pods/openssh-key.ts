/** Makes ed25519 keys in OpenSSH's own file format: host keys of the world's pods and throw-away login keys. */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

/** One key pair: the private half as an OpenSSH file, the public half as an authorized_keys line. */
export interface OpensshKey {
  readonly privateKey: string;
  readonly publicLine: string;
  /** `SHA256:…`, as ssh-keygen -l prints it. */
  readonly fingerprint: string;
}

/** A seed or a point; it stands last in its DER form. */
const HALF_BYTES = 32;

/**
 * A fresh key. Made with node:crypto because ssh2's own generator now and then gives pairs that do not parse, and read from DER
 * because a garbage collection within an export to JWK locks Node 20 up for ever.
 */
export function makeOpensshKey(comment: string): OpensshKey {
  const made = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  const seed = made.privateKey.subarray(-HALF_BYTES);
  const point = made.publicKey.subarray(-HALF_BYTES);
  const publicBlob = Buffer.concat([field('ssh-ed25519'), field(point)]);
  return {
    privateKey: pem(privateBody({ seed, point, publicBlob, comment })),
    publicLine: `ssh-ed25519 ${publicBlob.toString('base64')} ${comment}`,
    fingerprint: fingerprintOf(publicBlob),
  };
}

/** The fingerprint of a public key blob, without base64 padding as OpenSSH prints it. */
export function fingerprintOf(publicBlob: Buffer): string {
  return `SHA256:${createHash('sha256').update(publicBlob).digest('base64').replace(/=+$/, '')}`;
}

function privateBody(key: { seed: Buffer; point: Buffer; publicBlob: Buffer; comment: string }): Buffer {
  const check = randomBytes(4);
  const secret = [
    check,
    check,
    field('ssh-ed25519'),
    field(key.point),
    field(Buffer.concat([key.seed, key.point])),
  ];
  const plain = Buffer.concat([...secret, field(key.comment)]);
  const padding = Buffer.from(Array.from({ length: (8 - (plain.length % 8)) % 8 }, (_, index) => index + 1));
  const head = [Buffer.from('openssh-key-v1\0'), field('none'), field('none'), field(''), uint32(1)];
  return Buffer.concat([...head, field(key.publicBlob), field(Buffer.concat([plain, padding]))]);
}

function pem(body: Buffer): string {
  const lines = body.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
