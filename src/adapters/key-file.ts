/** Secrets in files of their own: read only where nobody else may read them, written so from the first byte. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, type Told } from '../domain/errors.ts';

const LARGEST = 64 * 1024;

function refused(input: string, told: Omit<Told, 'state'>): ConfigError {
  return new ConfigError(input, { ...told, state: 'Nothing was changed' });
}

/** Node's own word for what a file refused (`ENOENT`), never the content. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** The trimmed content; null where there is no such file. Throws ConfigError for wider modes than 0600. */
export function readKeyFile(path: string, input: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const tried = `Reading ${input} from ${path}`;
  if (!stat.isFile() || stat.size > LARGEST) {
    const cameBack = 'it is no small regular file';
    throw refused(input, { tried, cameBack, next: `Put the key alone into ${path}` });
  }
  // Windows has no such modes; there the folder's own rights count.
  const wide = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
  if (wide) {
    const mode = (stat.mode & 0o777).toString(8);
    const cameBack = `others may read it (mode ${mode})`;
    throw refused(input, { tried, cameBack, next: `Run: chmod 600 ${path}` });
  }
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? null : text;
  } catch (error) {
    const cameBack = `it cannot be read (${codeOf(error)})`;
    throw refused(input, { tried, cameBack, next: 'Mend the rights of the file', cause: error });
  }
}

/** A text that a person names by its path: it must be there. Throws ConfigError that names `input`. */
export function readNamedFile(path: string, input: string): string {
  const tried = `Reading the file of ${input}`;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.trim() !== '') return text;
  } catch (error) {
    const cameBack = `${path} cannot be read (${codeOf(error)})`;
    throw refused(input, { tried, cameBack, next: 'Give the path of a file', cause: error });
  }
  throw refused(input, { tried, cameBack: `${path} is empty`, next: 'Put the key into it' });
}

/** Writes whole or not at all: 0600 in a folder of 0700. Throws ConfigError. */
export function writeKeyFile(path: string, text: string, input: string): void {
  const folder = dirname(path);
  const beside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(beside, `${text}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(beside, 0o600);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    const cameBack = `it cannot be written (${codeOf(error)})`;
    const next = `Make ${folder} writable for you`;
    throw refused(input, { tried: `Writing ${path}`, cameBack, next, cause: error });
  }
}
