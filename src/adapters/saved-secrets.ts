/** Secrets between the main and the post of one step: a sealed file here, its key in the step's saved state alone. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../domain/errors.ts';
import type { Env } from '../domain/owner-from-env.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME = 'sealed';

const secrets = z.record(z.string(), z.string());
export type Secrets = Readonly<Record<string, string>>;

/** Where the sealed file lies, and the key that nobody else has. */
export type Sealed = { readonly file: string; readonly key: string };

/**
 * A new folder of this process alone (0700) under the runner's place for temporary files; where nobody lets us write
 * there, as in some containers, under the system's. Throws ConfigError where there is neither.
 */
export function privateFolder(env: Env): string {
  const given = env['RUNNER_TEMP'] ?? '';
  const places = [...new Set([given === '' ? tmpdir() : given, tmpdir()])];
  const refused: string[] = [];
  for (const place of places) {
    const made = folderIn(place);
    if ('folder' in made) return made.folder;
    refused.push(made.why);
  }
  throw new ConfigError('RUNNER_TEMP', {
    tried: 'Making a private folder for this step',
    cameBack: refused.join('; '),
    state: 'Nothing was sent to the pod or the registry by this step',
    next: 'Let this step write to RUNNER_TEMP or /tmp: in a container job, run as root or as the user who owns them (options: --user)',
  });
}

function folderIn(base: string): { readonly folder: string } | { readonly why: string } {
  try {
    mkdirSync(base, { recursive: true });
    const folder = mkdtempSync(join(base, 'podtrack-'));
    // mkdtemp grants 0700 already; a strange umask or file system must not widen it.
    chmodSync(folder, 0o700);
    return { folder };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

/** Writes the file 0600. AES-256-GCM: who changes one bit of it gets nothing out. */
export function sealSecrets(folder: string, values: Secrets): Sealed {
  const key = randomBytes(32);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  const body = Buffer.concat([cipher.update(JSON.stringify(values), 'utf8'), cipher.final()]);
  const file = join(folder, NAME);
  writeFileSync(file, Buffer.concat([nonce, cipher.getAuthTag(), body]), { mode: 0o600, flag: 'wx' });
  return { file, key: key.toString('base64') };
}

/** null = the file is gone, was changed, or the key is not its key: the caller looks elsewhere. */
export function unsealSecrets({ file, key }: Sealed): Secrets | null {
  try {
    const whole = readFileSync(file);
    const nonce = whole.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'base64'), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(whole.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const body = whole.subarray(NONCE_BYTES + TAG_BYTES);
    const text = Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    return secrets.parse(JSON.parse(text));
  } catch {
    // Every reason means the same to the caller: these secrets are not to be had.
    return null;
  }
}

/** Removes the file and the folder that was made for it; what is gone already is fine. */
export function dropSecrets(file: string): void {
  const folder = dirname(file);
  rmSync(file, { force: true });
  if (/[\\/]podtrack-[^\\/]+$/.test(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
}
