/** The fresh folder that a pull fills: every file is created there, nothing in it is ever followed or overwritten. */
import { createHash, type Hash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { type Fingerprint, inodeOf } from './digest.ts';
import { bytesOf, foldersOf, placeOf } from './names.ts';

/** A name that meets something which this pull did not put there, as on a disk that folds upper and lower case. */
export class Collision extends Error {
  override name = 'Collision' as const;
}

export type Content = { readonly size: number; readonly sha256: string };

export type FileHead = {
  readonly size: number;
  readonly mode: number;
  readonly modifiedAt: number;
  /** Leave runs of zeros unwritten, so that a file with holes keeps them. */
  readonly sparse: boolean;
};

export type Staging = {
  readonly folder: string;
  /** What stands in the folder, complete. */
  readonly files: ReadonlyMap<string, Content>;
  write(name: string, head: FileHead, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** A second name for a file that is already here. False when it is not. */
  alias(name: string, existing: string): boolean;
  /** Takes a file of another tree over, by hard link where the disk can. False when it changed since `seen`. */
  adopt(name: string, place: string | Buffer, seen: Fingerprint): boolean;
  link(name: string, target: string): void;
  remove(name: string): void;
};

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const writeAt = promisify(write);
const SMALL = 256 * 1024;

function isZero(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).every((byte) => byte === 0);
}

function colliding<T>(name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ELOOP') {
      throw new Collision(`${name} collides with another name on this disk`, { cause: error });
    }
    throw error;
  }
}

async function fill(
  descriptor: number,
  head: FileHead,
  chunks: AsyncIterable<Uint8Array>,
  hash: Hash,
): Promise<number> {
  let at = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    const hole = head.sparse && isZero(chunk);
    // Waiting for the disk costs more than a small write itself.
    if (!hole && head.size <= SMALL) writeSync(descriptor, chunk, 0, chunk.length, at);
    else if (!hole) {
      for (let done = 0; done < chunk.length; ) {
        done += (await writeAt(descriptor, chunk, done, chunk.length - done, at + done)).bytesWritten;
      }
    }
    at += chunk.length;
  }
  if (head.sparse) ftruncateSync(descriptor, at);
  return at;
}

/** What the parts of a staging share: the folder, what is in it, and how a name gets its parents. */
type Ground = {
  readonly folder: string;
  readonly files: Map<string, Content>;
  readonly makeParents: (name: string) => void;
};

async function writeOnto(
  ground: Ground,
  name: string,
  head: FileHead,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  ground.makeParents(name);
  const place = placeOf(ground.folder, name);
  // No set-user-id, set-group-id or sticky bit comes over, and we can always read and replace our own copy.
  const mode = (head.mode & 0o777) | 0o600;
  const descriptor = colliding(name, () => openSync(place, CREATE, mode));
  const hash = createHash('sha256');
  let size = -1;
  try {
    size = await fill(descriptor, head, chunks, hash);
    futimesSync(descriptor, head.modifiedAt / 1000, head.modifiedAt / 1000);
  } finally {
    closeSync(descriptor);
    if (size !== head.size) rmSync(place, { force: true });
  }
  if (size === head.size) ground.files.set(name, { size, sha256: hash.digest('hex') });
}

function adoptOnto(ground: Ground, name: string, source: string | Buffer, seen: Fingerprint): boolean {
  ground.makeParents(name);
  const place = placeOf(ground.folder, name);
  try {
    linkSync(source, place);
  } catch {
    // Another disk, or one without hard links.
    colliding(name, () => copyFileSync(source, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE));
  }
  const stat = lstatSync(source, { bigint: true });
  if (!stat.isFile() || inodeOf(stat) !== seen.inode) {
    rmSync(place, { force: true });
    return false;
  }
  const mode = lstatSync(place).mode;
  if ((mode & 0o7000) !== 0) chmodSync(place, mode & 0o777);
  ground.files.set(name, { size: seen.size, sha256: seen.sha256 });
  return true;
}

export function stagingIn(folder: string): Staging {
  const files = new Map<string, Content>();
  const folders = new Set<string>();

  const makeParents = (name: string): void => {
    for (const parent of foldersOf(name)) {
      if (folders.has(parent)) continue;
      colliding(parent, () => mkdirSync(placeOf(folder, parent)));
      folders.add(parent);
    }
  };
  const remove = (name: string): void => {
    if (!files.delete(name)) return;
    rmSync(placeOf(folder, name), { force: true });
    for (const parent of foldersOf(name).reverse()) {
      try {
        rmdirSync(placeOf(folder, parent));
      } catch {
        // Something else is still in it.
        break;
      }
      folders.delete(parent);
    }
  };
  const ground: Ground = { folder, files, makeParents };

  return {
    folder,
    files,
    remove,
    write: (name, head, chunks) => writeOnto(ground, name, head, chunks),
    alias(name, existing) {
      const content = files.get(existing);
      if (content === undefined) return false;
      makeParents(name);
      colliding(name, () => linkSync(placeOf(folder, existing), placeOf(folder, name)));
      files.set(name, content);
      return true;
    },
    adopt: (name, source, seen) => adoptOnto(ground, name, source, seen),
    link(name, target) {
      makeParents(name);
      colliding(name, () => symlinkSync(bytesOf(target), placeOf(folder, name)));
    },
  };
}
