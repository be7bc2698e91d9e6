/** Reads a private key in the shapes that secrets really have, and says what is wrong with the hopeless ones. */
import { createPrivateKey } from 'node:crypto';
import { ConfigError } from '../../domain/errors.ts';
import { armoured, ed25519ToOpenSsh, lookInto } from './openssh-key.ts';

const ARMOUR = /-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY)-----([\s\S]*?)-----END \1-----/;
const PUBLIC_HALF =
  /(?:^|[\s"])(?:ssh-(?:ed25519|rsa|dss)\S*|ecdsa-sha2-\S+|sk-\S+@openssh\.com)\s+AAAA|BEGIN (?:SSH2 |RSA )?PUBLIC KEY/;

/** Causes that can be told from the text alone, before any armour is looked for. */
const HOPELESS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^$/,
    'it is empty',
    'Check the name of the secret: one that does not exist is handed over as an empty text',
  ],
  [/^(?:null|undefined)$/i, 'it is the word null, not a key', 'Check where the value comes from'],
  [PUBLIC_HALF, 'this is the public half', 'Give the private half: the file without .pub'],
  [/^PuTTY-User-Key-File/, 'it is in PuTTY format', 'Export it from PuTTYgen as an OpenSSH key'],
  [/^(?:SHA256|MD5):/, 'this is a fingerprint, not a key', 'Give the text of the private key file'],
  [/^~?[\w.-]*(?:\/[\w.-]+)+$/, 'this is a path, not a key', 'Give the text of the file, not its place'],
];

function refused(input: string, cameBack: string, next: string, cause?: unknown): ConfigError {
  const state = 'No pod was contacted';
  return new ConfigError(input, { tried: `Read the private key of ${input}`, cameBack, state, next, cause });
}

/** Undoes what secrets stores and shells do to a text of several lines. */
function unfolded(text: string): string {
  const bare = text.replace(/^\uFEFF/, '').trim();
  const unquoted = bare.replace(/^(["'])([\s\S]*)\1$/, '$2').trim();
  const lines = unquoted.replaceAll('\\r', '').replaceAll('\\n', '\n');
  if (/^[A-Za-z0-9+/=\s]{100,}$/.test(lines)) {
    const inner = Buffer.from(lines, 'base64').toString('latin1');
    if (ARMOUR.test(inner)) return inner.trim();
  }
  return lines.trim();
}

function fromPem(pem: string, input: string): string {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return ed25519ToOpenSsh(key, 'podtrack');
    if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
    if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
    throw new Error(`keys of type ${key.asymmetricKeyType ?? 'unknown'} are not used by SSH`);
  } catch (error) {
    throw refused(
      input,
      'the key cannot be read; it is damaged or of a rare kind',
      'Paste the whole file again',
      error,
    );
  }
}

/**
 * The key in a form that ssh2 reads. A missing final newline, CRLF, blanks or `\n` for newlines, leading blank
 * lines, quotes and base64 around the whole just work. Throws ConfigError that names `input` and the cause:
 * public half, passphrase, empty, a path, cut short. See docs/facts/ssh.md.
 */
export function readPrivateKey(text: string, input: string): string {
  const plain = unfolded(text);
  const armour = ARMOUR.exec(plain);
  if (armour === null) {
    const known = HOPELESS.find(([shape]) => shape.test(plain));
    if (known !== undefined) throw refused(input, known[1], known[2]);
    const cut = plain.includes('PRIVATE KEY');
    const cause = cut ? 'its BEGIN or END line is missing' : 'no "BEGIN … PRIVATE KEY" line stands in it';
    throw refused(input, cause, 'Paste the whole private key file, first and last line included');
  }
  const label = armour[1] ?? '';
  const body = armour[2] ?? '';
  const locked = 'the key is locked with a passphrase';
  const mend = 'Use a key of its own for CI, made without a passphrase (ssh-keygen -t ed25519 -N "")';
  if (label.startsWith('ENCRYPTED') || /Proc-Type:\s*4,\s*ENCRYPTED/.test(body))
    throw refused(input, locked, mend);
  const data = Buffer.from(body.replace(/\s+/g, ''), 'base64');
  if (label !== 'OPENSSH PRIVATE KEY') return fromPem(armoured(label, data), input);
  const container = lookInto(data);
  if (container.kind === 'locked') throw refused(input, locked, mend);
  if (container.kind === 'damaged') {
    throw refused(input, `the key is damaged: ${container.reason}`, 'Paste the whole private key file again');
  }
  return armoured(label, data);
}
