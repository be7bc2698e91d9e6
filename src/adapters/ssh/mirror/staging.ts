/** The fresh folder that a pull fills: every file is created there, nothing in it is ever followed or overwritten. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { digestOfParts, type Fingerprint, inodeOf } from './digest.ts';
import { fill } from './large-file.ts';
import { bytesOf, foldersOf, placeOf } from './names.ts';
import { queueOf } from './queue.ts';
import type { FileHead } from './small-files.ts';

/** A name that meets something which this pull did not put there, as on a disk that folds upper and lower case. */
export class Collision extends Error {
  override name = 'Collision' as const;
}

export type Content = {
  readonly size: number;
  readonly sha256: string;
  /** The disk told this size by this name when the file was closed. */
  readonly measured?: true;
};

export type Staging = {
  readonly folder: string;
  /** What stands in the folder, complete. */
  readonly files: ReadonlyMap<string, Content>;
  /** So many files are about to be put. */
  expect(files: number): void;
  /** Takes a small file whole; it stands here after `settle`. Throws Collision for a name that cannot have its folders. */
  put(name: string, head: FileHead, parts: readonly Uint8Array[]): void;
  /** Null while more can be put; else resolves when it can again. */
  room(): Promise<void> | null;
  /** Waits for what was put. Returns the names that collided with others; throws what the disk said. */
  settle(): Promise<readonly string[]>;
  /** Takes a file as it comes, behind all that was put. */
  write(name: string, head: FileHead, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** A second name for a file that is already here. False when it is not. */
  alias(name: string, existing: string): boolean;
  /** Takes a file of another tree over, by hard link where the disk can. False when it changed since `seen`. */
  adopt(name: string, place: string | Buffer, seen: Fingerprint): boolean;
  link(name: string, target: string): void;
  remove(name: string): void;
  /** Gives the writer back; what was put is settled before. */
  close(): Promise<void>;
};

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** No set-user-id, set-group-id or sticky bit comes over, and we can always read and replace our own copy. */
const ownMode = (mode: number): number => (mode & 0o777) | 0o600;

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
  const descriptor = colliding(name, () => openSync(place, CREATE, ownMode(head.mode)));
  let content: Content | null = null;
  try {
    const filled = await fill(descriptor, head, chunks);
    futimesSync(descriptor, head.modifiedAt / 1000, head.modifiedAt / 1000);
    if (filled.size === head.size) content = filled;
  } finally {
    closeSync(descriptor);
    if (content === null) rmSync(place, { force: true });
  }
  if (content !== null) ground.files.set(name, content);
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

/** Files that were put and are not yet known to stand: name → content, and the names that met something else. */
function outbox(ground: Ground) {
  const coming = new Map<string, Content>();
  let collided: string[] = [];
  const queue = queueOf({
    written(name) {
      const content = coming.get(name);
      if (content !== undefined) ground.files.set(name, content);
      coming.delete(name);
    },
    collided(name) {
      collided.push(name);
      coming.delete(name);
    },
  });
  return {
    queue,
    coming,
    put(name: string, head: FileHead, parts: readonly Uint8Array[]): void {
      ground.makeParents(name);
      coming.set(name, { size: head.size, sha256: digestOfParts(parts), measured: true });
      queue.add(name, placeOf(ground.folder, name), { ...head, mode: ownMode(head.mode) }, parts);
    },
    async settle(): Promise<readonly string[]> {
      await queue.settle();
      const names = collided;
      collided = [];
      return names;
    },
  };
}

export function stagingIn(folder: string): Staging {
  const files = new Map<string, Content>();
  const folders = new Set<string>();

  const makeParents = (name: string): void => {
    for (const parent of foldersOf(name)) {
      if (folders.has(parent)) continue;
      if (out.coming.has(parent)) throw new Collision(`${name} needs a folder where a file is`);
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
  const out = outbox(ground);

  return {
    folder,
    files,
    remove,
    expect: (count) => out.queue.expect(count),
    put: (...of) => out.put(...of),
    room: () => out.queue.room(),
    settle: () => out.settle(),
    close: () => out.queue.close(),
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
