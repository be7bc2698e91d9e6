/** Private keys in the shapes that secrets have: harmless ones just work, hopeless ones name their cause. */
import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { readPrivateKey } from '../../../src/adapters/ssh/private-key.ts';
import { ConfigError } from '../../../src/domain/errors.ts';
import { keyPair } from './keys.ts';

const { privateText, publicLine } = keyPair();
const lines = privateText.trimEnd().split('\n');

/** The public half as ssh2 reads it from the private one: proof that the key survived its shape. */
function publicHalf(text: string): string {
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) throw parsed;
  const [key] = [parsed].flat();
  return key?.getPublicSSH().toString('base64') ?? '';
}

describe('readPrivateKey', () => {
  const harmless: readonly (readonly [string, string])[] = [
    ['as it is', privateText],
    ['without final newline', privateText.trimEnd()],
    ['with CRLF line ends', privateText.replaceAll('\n', '\r\n')],
    ['with old Mac line ends', privateText.replaceAll('\n', '\r')],
    ['with blanks for newlines', lines.join(' ')],
    ['with nothing for newlines', lines.join('')],
    ['with a leading blank line', `\n\n${privateText}`],
    ['indented', lines.map((line) => `    ${line}`).join('\n')],
    ['with trailing blanks on each line', lines.map((line) => `${line}  `).join('\n')],
    ['with backslash-n for newlines', lines.join('\\n')],
    ['in double quotes', `"${lines.join('\\n')}"`],
    ['as base64 of the whole file', Buffer.from(privateText).toString('base64')],
    ['behind a byte order mark', `\uFEFF${privateText}`],
    ['with tabs for newlines', lines.join('\t')],
    ['with backslash-r backslash-n for newlines', lines.join('\\r\\n')],
    ['in single quotes', `'${privateText.trimEnd()}'`],
    ['with empty lines between', lines.join('\n\n')],
    [
      'folded at another width',
      privateText.replace(/(.{20})(?=.)/g, (part) => (part.includes('-') ? part : `${part}\n`)),
    ],
    [
      'as base64 of a file with CRLF, folded',
      Buffer.from(privateText.replaceAll('\n', '\r\n'))
        .toString('base64')
        .replace(/(.{76})/g, '$1\n'),
    ],
    ['behind words of a person', `here it is:\n${privateText}`],
    ['with no-break blanks around', `\u00A0${privateText}\u00A0`],
    ['with the public half behind it', `${privateText}${publicLine}\n`],
  ];
  it.each(harmless)('takes a key %s (case C28)', (_, text) => {
    expect(publicHalf(readPrivateKey(text, 'ssh-key'))).toBe(publicLine.split(' ')[1]);
  });

  it('takes what Node and openssl write: PKCS#8 of each kind (case C28)', () => {
    const kinds = [
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ];
    for (const { privateKey } of kinds) {
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      expect(publicHalf(readPrivateKey(pem, 'ssh-key'))).not.toBe('');
    }
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const secret = { cipher: 'aes-256-cbc', passphrase: 'x' };
  // The cipher's name stands right behind the magic; "none" becomes a word of the same length.
  const locked = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  locked.write('aes9', locked.indexOf('none'));
  const armour = (data: Buffer): string => [lines[0], data.toString('base64'), lines.at(-1)].join('\n');

  const hopeless: readonly (readonly [string, string, RegExp])[] = [
    ['the public half', publicLine, /public half/],
    ['the public half with options', `command="x" ${publicLine}`, /public half/],
    [
      'a certificate of the key',
      publicLine.replace('ssh-ed25519 ', 'ssh-ed25519-cert-v01@openssh.com '),
      /public half/,
    ],
    [
      'a public half in SSH2 form',
      '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----',
      /public half/,
    ],
    ['the name of a secret that was not filled in', '{{ secrets.KEY }}', /BEGIN/],
    ['what a log shows of a secret', '***', /BEGIN/],
    ['quotes around nothing', '""', /empty/],
    ['the word undefined', 'undefined', /word/],
    ['a key with %0A for newlines', lines.join('%0A'), /damaged/],
    ['a key whose dashes a word processor changed', privateText.replaceAll('-----', '——'), /BEGIN or END/],
    ['a public PEM', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(), /public half/],
    ['an empty text', '', /empty/],
    ['blanks only', ' \r\n ', /empty/],
    ['the word null', 'null', /word null/],
    ['a path', '~/.ssh/id_ed25519', /path/],
    ['a fingerprint', 'SHA256:abcdef', /fingerprint/],
    ['a PuTTY key', 'PuTTY-User-Key-File-3: ssh-ed25519', /PuTTY/],
    ['an OpenSSH key with a passphrase', armour(locked), /passphrase/],
    [
      'a PKCS#8 key with a passphrase',
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem', ...secret }).toString(),
      /passphrase/,
    ],
    [
      'a PKCS#1 key with a passphrase',
      rsa.privateKey.export({ type: 'pkcs1', format: 'pem', ...secret }).toString(),
      /passphrase/,
    ],
    ['a key without its last line', lines.slice(0, -1).join('\n'), /BEGIN or END/],
    ['a key that lost a line in the middle', [...lines.slice(0, 2), ...lines.slice(3)].join('\n'), /damaged/],
    ['a key of zeros', armour(Buffer.alloc(200)), /damaged/],
    ['prose', 'please ask Bob for the key', /BEGIN/],
  ];
  it.each(hopeless)('refuses %s and says so, naming the input (case C28)', (_, text, cause) => {
    const read = (): string => readPrivateKey(text, 'ssh-key');
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(cause);
    expect(read).toThrow(/ssh-key/);
  });

  it('never repeats key text in an error', () => {
    const cut = lines.slice(0, -1).join('\n');
    expect(() => readPrivateKey(cut, 'ssh-key')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(lines[1] ?? '') }),
    );
  });
});
