/** The persisted uuid of a process that has none of its own: made once, the same for every later call. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../domain/errors.ts';
import type { Chance } from '../ports.ts';

const FILE = 'owner-uuid';
const SHAPE = /^[A-Za-z0-9._:-]{8,200}$/;

/** Throws ConfigError when the folder cannot be written or the file holds no uuid: it is never made up anew. */
export function persistedUuid(folder: string, chance: Chance): string {
  const path = join(folder, FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Only one of two processes that start together makes the file; both then read the same.
    writeFileSync(path, `${chance.uuid()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!isThere(error)) throw refused(path, 'it cannot be written', error);
  }
  const text = read(path);
  if (SHAPE.test(text)) return text;
  throw refused(path, 'it holds no uuid');
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw refused(path, 'it cannot be read', error);
  }
}

function refused(path: string, cameBack: string, cause?: unknown): ConfigError {
  return new ConfigError('PODTRACK_OWNER_UUID', {
    tried: `Finding out who this process is, by ${path}`,
    cameBack,
    state: 'Nothing was changed',
    next: 'Set PODTRACK_OWNER_UUID, or PODTRACK_HOME to a folder that you may write to',
    cause,
  });
}
