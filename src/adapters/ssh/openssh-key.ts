/** OpenSSH's private key container: looked into without a passphrase, and written for keys that Node made. */
import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';

const MAGIC = Buffer.from('openssh-key-v1\0', 'latin1');
const CIPHER_BLOCK = 8;
/** An Ed25519 seed or point; it stands last in its DER form, whose export to JWK can hang Node 20 (docs/facts/ssh.md). */
const HALF_BYTES = 32;

/** What a container is good for; `damaged` carries the reason. */
export type Container = { kind: 'open' } | { kind: 'locked' } | { kind: 'damaged'; reason: string };

function field(data: Uint8Array | string): Buffer {
  const bytes = Buffer.from(data);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads one length-prefixed field at `at`; null when the text ends before it does. */
function fieldAt(data: Buffer, at: number): { value: Buffer; next: number } | null {
  if (at + 4 > data.length) return null;
  const end = at + 4 + data.readUInt32BE(at);
  return end > data.length ? null : { value: data.subarray(at + 4, end), next: end };
}

/** Cut keys and keys with a passphrase are told apart here, long before a pod is asked. */
export function lookInto(data: Buffer): Container {
  const cut: Container = { kind: 'damaged', reason: 'it ends too early; some of its text is missing' };
  if (!data.subarray(0, MAGIC.length).equals(MAGIC)) {
    return { kind: 'damaged', reason: 'what stands between the BEGIN and END lines is no OpenSSH key' };
  }
  const cipher = fieldAt(data, MAGIC.length);
  if (cipher === null) return cut;
  if (cipher.value.toString('latin1') !== 'none') return { kind: 'locked' };
  const kdf = fieldAt(data, cipher.next);
  const kdfOptions = kdf === null ? null : fieldAt(data, kdf.next);
  const publicHalf = kdfOptions === null ? null : fieldAt(data, kdfOptions.next + 4);
  const secret = publicHalf === null ? null : fieldAt(data, publicHalf.next);
  if (secret === null || secret.value.length < 8) return cut;
  const checksAgree = secret.value.readUInt32BE(0) === secret.value.readUInt32BE(4);
  return checksAgree ? { kind: 'open' } : { kind: 'damaged', reason: 'its check numbers do not agree' };
}

function wrapped(text: string): string {
  return text.replace(/(.{70})(?=.)/g, '$1\n');
}

/** The container as the text that key files hold. */
export function armoured(label: string, data: Buffer): string {
  return `-----BEGIN ${label}-----\n${wrapped(data.toString('base64'))}\n-----END ${label}-----\n`;
}

/** An Ed25519 private key as OpenSSH text: Node writes PKCS#8, which ssh2 does not read. */
export function ed25519ToOpenSsh(key: KeyObject, comment: string): string {
  const seed = key.export({ type: 'pkcs8', format: 'der' }).subarray(-HALF_BYTES);
  const point = pointOf(key);
  const publicHalf = Buffer.concat([field('ssh-ed25519'), field(point)]);
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    field('ssh-ed25519'),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const missing = (CIPHER_BLOCK - (secret.length % CIPHER_BLOCK)) % CIPHER_BLOCK;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const parts = [MAGIC, field('none'), field('none'), field(''), count, field(publicHalf)];
  return armoured('OPENSSH PRIVATE KEY', Buffer.concat([...parts, field(Buffer.concat([secret, padding]))]));
}

/** The `authorized_keys` line that belongs to an Ed25519 private key. */
export function ed25519PublicLine(key: KeyObject, comment: string): string {
  const blob = Buffer.concat([field('ssh-ed25519'), field(pointOf(key))]);
  return `ssh-ed25519 ${blob.toString('base64')} ${comment}`;
}

function pointOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-HALF_BYTES);
}
