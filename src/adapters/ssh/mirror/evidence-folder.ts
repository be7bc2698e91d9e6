/** Writes texts about a pod beside its copy; what looks like a secret in them does not reach the disk. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorldError } from '../../../domain/errors.ts';
import type { EvidenceText } from '../../../domain/evidence.ts';
import { redactor } from '../../redact.ts';
import { layoutOf } from './layout.ts';

const hideTokens = redactor([]);
/** `--token abc`, `API_KEY=abc`, `"password": "abc"`: process lists and logs are full of them. */
const NAMED =
  /((?:token|secret|passw(?:or)?d|passphrase|credential|api[-_]?key|access[-_]?key|auth)[A-Za-z0-9_-]*["']?(?:\s*[=:]\s*|\s+)["']?)[^\s"',;]{4,}/gi;
/** `https://user:abc@host`. */
const IN_URL = /(:\/\/[^\s:/@]*:)[^\s@/]+@/g;

export function hideSecrets(text: string): string {
  return hideTokens(text).replace(NAMED, '$1[secret]').replace(IN_URL, '$1[secret]@');
}

/** In place of what was there. Throws WorldError alone, so that no end of a pod is ever held up by it. */
export function writeEvidence(root: string, podId: string, texts: readonly EvidenceText[]): string {
  try {
    const { target } = layoutOf(root, { podId, remotePath: '/', choice: null, localPath: null, budgetMs: 0 });
    const folder = `${target}.evidence`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { name, text } of texts)
      writeFileSync(join(folder, name), hideSecrets(text), { mode: 0o600, flag: 'wx' });
    return folder;
  } catch (cause) {
    const full = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
    throw new WorldError(full ? 'no-space' : 'write-refused', {
      tried: `Write what pod ${podId} looked like beside its copy`,
      cameBack: cause instanceof Error ? cause.message : String(cause),
      state: 'The evidence is not kept; artifacts and pod are as they were',
      next: 'Look at the disk; nothing waits for it',
      cause,
    });
  }
}
