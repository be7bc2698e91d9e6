/** SHA-256 of files here and of whole trees, comparable with what the pod said. */
import { createHash, hash as hashOnce } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Manifest, ManifestEntry } from '../../../domain/artifacts.ts';
import { bytesOf, placeOf } from './names.ts';

const BLOCK = 1024 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Plain text sorts as its bytes do, as long as there is nothing in it but ASCII. */
const ASCII = /^[\0-\x7f]*$/;

/** One number for a tree: equal digests mean equal names, contents and links. */
export function digestOf(files: readonly ManifestEntry[], links: Manifest['links']): string {
  const lines = [
    ...files.map((file) => `f ${file.sha256} ${file.size} ${file.path}`),
    ...links.map((link) => `l ${link.path}\0${link.target}`),
  ];
  const hash = createHash('sha256');
  if (lines.every((line) => ASCII.test(line))) {
    lines.sort((one, other) => (one < other ? -1 : Number(one > other)));
    return hash.update(lines.map((line) => `${line}\0`).join('')).digest('hex');
  }
  const bytes = lines.map(bytesOf).sort((one, other) => Buffer.compare(one, other));
  for (const line of bytes) hash.update(line).update('\0');
  return hash.digest('hex');
}

/** What a file was when it was read: the same again later means the same file. */
export type Fingerprint = { readonly size: number; readonly sha256: string; readonly inode: string };

/** Identity and state of a file in one text; a write or a replacement changes it. */
export function inodeOf(stat: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** Of a small file; a hash object for each would cost more than its bytes. */
export function digestOfParts(parts: readonly Uint8Array[]): string {
  const [only] = parts;
  return hashOnce('sha256', only !== undefined && parts.length === 1 ? only : Buffer.concat(parts), 'hex');
}

/** Used from one call to the next within a turn: a block per file would keep the collector busy. */
const scratch = Buffer.allocUnsafe(BLOCK);

function small(descriptor: number, size: number): string {
  let at = 0;
  while (at < size) {
    const read = readSync(descriptor, scratch, at, size - at, at);
    if (read === 0) break;
    at += read;
  }
  return hashOnce('sha256', scratch.subarray(0, at), 'hex');
}

async function large(place: string | Buffer): Promise<string> {
  const file = await open(place, FLAGS);
  try {
    const hash = createHash('sha256');
    const bytes = Buffer.alloc(BLOCK);
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(bytes, 0, BLOCK, at);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(bytes.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Reads a regular file without following a link; null when it is none, or cannot be read. */
export async function fingerprintOf(folder: string, name: string): Promise<Fingerprint | null> {
  const place = placeOf(folder, name);
  try {
    const descriptor = openSync(place, FLAGS);
    try {
      const stat = fstatSync(descriptor, { bigint: true });
      if (!stat.isFile()) return null;
      const size = Number(stat.size);
      const sha256 = size <= BLOCK ? small(descriptor, size) : await large(place);
      return { size, sha256, inode: inodeOf(stat) };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Whatever hinders reading it: it will be fetched anew.
    return null;
  }
}
