/** What the pod said it holds, taken apart and checked: every field counted, every name looked at before it is used. */
import type { Manifest, ManifestEntry } from '../../../domain/artifacts.ts';
import { nameFault, nameOf, withoutDot } from './names.ts';

export type Refused = { readonly path: string; readonly reason: string };

export type Listing = {
  readonly manifest: Manifest;
  /** Bytes on the pod's disk, where it told them. Fewer than the size = the file has holes. */
  readonly allocated: ReadonlyMap<string, number>;
  readonly refused: readonly Refused[];
  /** Files that are there and were not chosen. */
  readonly leftOut: number;
};

/** Why there is no listing at all. */
export type NoListing = {
  readonly kind: 'lacking' | 'absent' | 'closed' | 'garbled';
  readonly detail: string;
};

const DIGEST = /^\\?([0-9a-f]{64})(?: |$)/;

class Garbled extends Error {}

type Draft = {
  files: Map<string, ManifestEntry>;
  allocated: Map<string, number>;
  links: { path: string; target: string }[];
  others: string[];
  refused: Refused[];
  complete: boolean;
};

const freshDraft = (): Draft => ({
  files: new Map(),
  allocated: new Map(),
  links: [],
  others: [],
  refused: [],
  complete: false,
});

type Fields = {
  /** The next field as it is, where it is known to be ASCII. */
  readonly text: () => string;
  /** The next field as a name, or anything else that a pod may write as it likes. */
  readonly name: () => string;
  /** So many names. */
  readonly names: (count: number) => string[];
};

/** Fields of the answer, one after the other. No view is made for each: there may be a million. */
function fieldsOf(answer: Buffer): Fields {
  let at = 0;
  const next = <T>(take: (start: number, end: number) => T): T => {
    const end = answer.indexOf(0, at);
    if (end < 0) throw new Garbled('a field is missing');
    const start = at;
    at = end + 1;
    return take(start, end);
  };
  return {
    text: () => next((start, end) => answer.toString('latin1', start, end)),
    name: () => next((start, end) => nameOf(answer, start, end)),
    names(count) {
      const start = at;
      for (let index = 0; index < count; index += 1) next(() => undefined);
      // Nearly always all of it is text, and one call into the runtime is enough.
      const text = answer.toString('utf8', start, at - 1);
      if (!text.includes('\ufffd')) return text.split('\0');
      at = start;
      return Array.from({ length: count }, () => next((from, end) => nameOf(answer, from, end)));
    },
  };
}

/** The name if it may be used; what may not is listed and goes no further. */
function checkedName(draft: Draft, field: string): string | null {
  const name = withoutDot(field);
  const fault = nameFault(name);
  if (fault === null) return name;
  draft.refused.push({ path: name, reason: fault });
  return null;
}

function sizesOf(size: string, blocks: string, blockSize: string): { sizeBytes: number; onDisk: number } {
  if (!/^\d{1,15}$/.test(size)) throw new Garbled('a size is no number');
  const known = /^\d+$/.test(blocks) && /^\d+$/.test(blockSize);
  return { sizeBytes: Number(size), onDisk: known ? Number(blocks) * Number(blockSize) : Number(size) };
}

function readFile(draft: Draft, name: string, line: string, hash: string): void {
  // A file that went away between two looks was not there.
  if (hash === 'gone') return;
  const [size = '', blocks = '', blockSize = ''] = line.split(' ');
  if (size === '-') {
    draft.refused.push({ path: name, reason: 'it could not be read on the pod' });
    return;
  }
  const { sizeBytes, onDisk } = sizesOf(size, blocks, blockSize);
  const sha256 = DIGEST.exec(hash)?.[1];
  if (hash === 'hollow') {
    const reason = `mostly holes: ${sizeBytes} bytes long, ${onDisk} of them on the disk`;
    draft.refused.push({ path: name, reason });
  } else if (sha256 === undefined) {
    draft.refused.push({ path: name, reason: 'it could not be read on the pod' });
  } else if (draft.files.has(name)) {
    draft.refused.push({ path: name, reason: 'listed twice' });
  } else {
    draft.files.set(name, { path: name, size: sizeBytes, sha256 });
    draft.allocated.set(name, Math.min(onDisk, sizeBytes));
  }
}

function readNames(next: Fields): { names: string[]; sizes: string[] } {
  const count = Number(next.text());
  if (!Number.isSafeInteger(count) || count < 1) throw new Garbled('a batch has no size');
  const names = next.names(count);
  return { names, sizes: next.text().split('\n') };
}

function readBatch(draft: Draft, next: Fields): void {
  const { names, sizes } = readNames(next);
  // A newline inside a name breaks a line of a tool's own output; such rests carry no digest.
  const hashes = next
    .text()
    .split('\n')
    .filter((line) => DIGEST.test(line) || line === '-' || line === 'hollow' || line === 'gone');
  if (hashes.length !== names.length || sizes.filter((line) => line !== '').length !== names.length) {
    throw new Garbled('a batch has lines too few or too many');
  }
  for (const [index, field] of names.entries()) {
    const name = checkedName(draft, field);
    if (name !== null) readFile(draft, name, sizes[index] ?? '', hashes[index] ?? '');
  }
}

function readRecord(draft: Draft, next: Fields): NoListing | null {
  const kind = next.text();
  if (kind === 'X') {
    const reason = next.text();
    const detail = next.name();
    if (reason === 'lacking' || reason === 'absent' || reason === 'closed') return { kind: reason, detail };
    throw new Garbled('an unknown reason');
  }
  if (kind === 'B') readBatch(draft, next);
  else if (kind === 'L') {
    const path = checkedName(draft, next.name());
    const target = next.name();
    if (path !== null) draft.links.push({ path, target });
  } else if (kind === 'O') {
    const path = checkedName(draft, next.name());
    if (path !== null) draft.others.push(path);
  } else if (kind === 'E') {
    next.text();
    draft.complete = true;
  } else throw new Garbled('an unknown record');
  return null;
}

export const CLOSED_FOLDER = 'this folder could not be read on the pod';

/** Complaints that are nearly as long as a stream keeps may lack their end. */
const COMPLAINTS_BYTES = 60 * 1024;

/** Folders that `find` could not look into; races with vanishing files are no fault. */
function closedFolders(complaints: string): Refused[] {
  const lines = complaints.split('\n').filter((line) => line.includes('Permission denied'));
  const closed = lines.map((line) => ({
    path: withoutDot(/[‘'"]?(\.\/.*?)[’'"]?: Permission denied/.exec(line)?.[1] ?? line),
    reason: CLOSED_FOLDER,
  }));
  // No name of a folder, so that no pattern leaves it out: what was cut off may be one that is wanted.
  const cut = Buffer.byteLength(complaints) >= COMPLAINTS_BYTES;
  return cut
    ? [...closed, { path: '(and more: the complaints were cut off)', reason: CLOSED_FOLDER }]
    : closed;
}

/** What LIST_SCRIPT announces: names and sizes, no digests. None where it is not as it should be: the list decides. */
export function readAnnounced(bytes: Buffer): Listing | null {
  const draft = freshDraft();
  const next = fieldsOf(bytes);
  try {
    for (let kind = next.text(); kind !== 'N'; kind = next.text()) {
      if (kind !== 'A') return null;
      const { names, sizes } = readNames(next);
      for (const [index, field] of names.entries()) {
        const path = checkedName(draft, field);
        const [size = '', blocks = '', blockSize = ''] = sizes[index]?.split(' ') ?? [];
        if (path === null) continue;
        const { sizeBytes, onDisk } = sizesOf(size, blocks, blockSize);
        draft.files.set(path, { path, size: sizeBytes, sha256: '' });
        draft.allocated.set(path, Math.min(onDisk, sizeBytes));
      }
    }
  } catch (error) {
    if (error instanceof Garbled) return null;
    throw error;
  }
  const manifest = { files: [...draft.files.values()], links: [], others: [] };
  return { manifest, allocated: draft.allocated, refused: draft.refused, leftOut: 0 };
}

/** Takes the answer of LIST_SCRIPT apart. Anything unexpected is `garbled`, never a shorter list. */
export function readListing(answer: Buffer, complaints: string): Listing | NoListing {
  const draft = freshDraft();
  const next = fieldsOf(answer);
  try {
    while (!draft.complete) {
      const none = readRecord(draft, next);
      if (none !== null) return none;
    }
  } catch (error) {
    if (error instanceof Garbled) return { kind: 'garbled', detail: error.message };
    throw error;
  }
  const { links, others, allocated } = draft;
  const refused = [...draft.refused, ...closedFolders(complaints)];
  return { manifest: { files: [...draft.files.values()], links, others }, allocated, refused, leftOut: 0 };
}
