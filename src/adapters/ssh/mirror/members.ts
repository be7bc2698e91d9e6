/** The members of a tar stream in their order: small plain files whole, all others as entries of tar-stream. */
import { type Extract, extract } from 'tar-stream';
import { nameOf } from './names.ts';
import { BLOCK_BYTES, isZero, type PlainHead, plainHead } from './plain-head.ts';

export type Entry = Extract extends AsyncIterable<infer Each> ? Each : never;
/** Asks for the next member, or ends the archive. */
export type Done = (error?: unknown) => void;

export type Takers = {
  /** A small plain file by its name without the dot. Whoever returns a promise has the next member wait for it. */
  readonly file: (name: string, head: PlainHead, content: Buffer) => Promise<void> | null;
  /** Whether this one shall come as an entry all the same. */
  readonly asEntry: (name: string) => boolean;
  readonly entry: (entry: Entry, done: Done) => void;
};

/** The stream brought more than it may. */
export class TooMuch extends Error {}

/** Up to here a plain file is waited for until it is whole: an object per file costs more than its bytes. */
const WHOLE_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

export const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason));
const padded = (size: number): number => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;

const DOT = 46;
const SLASH = 47;

/** Names arrive as `./a/b`. */
function plainName(bytes: Buffer, start: number, end: number): string {
  const isDotted = end - start > 2 && bytes[start] === DOT && bytes[start + 1] === SLASH;
  return nameOf(bytes, isDotted ? start + 2 : start, end);
}

/** tar-stream at the pace at which it is read. */
function library(take: Takers['entry']) {
  // Names as bytes: a name need not be UTF-8. The option is there and its type is not.
  const asBytes = { highWaterMark: 64 * 1024, filenameEncoding: 'latin1' };
  const archive = extract(asBytes);
  let wake = (): void => undefined;
  /** Entries that it has the bytes of and that nobody is done with. */
  let open = 0;
  archive.on('drain', () => wake());
  archive.once('close', () => wake());
  const ended = new Promise<void>((resolve, reject) => {
    archive.once('error', reject);
    archive.once('close', resolve);
  });
  archive.on('entry', (_header, entry, next) => {
    // The archive tells what ended it; a member that ends with it has nothing to add.
    entry.on('error', () => undefined);
    const done: Done = (error) => {
      open -= 1;
      if (error === undefined) next();
      else archive.destroy(asError(error));
      wake();
    };
    try {
      take(entry, done);
    } catch (error) {
      archive.destroy(asError(error));
    }
  });
  const woken = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      if (archive.destroyed) resolve();
    });
  return {
    archive,
    ended,
    expect(): void {
      open += 1;
    },
    async write(bytes: Buffer): Promise<void> {
      if (!archive.destroyed && !archive.write(bytes)) await woken();
    },
    async idle(): Promise<void> {
      while (open > 0 && !archive.destroyed) await woken();
    },
  };
}

type Cut = {
  readonly to: ReturnType<typeof library>;
  readonly takers: Takers;
  rest: Buffer;
  /** Bytes that belong to what the library is reading. */
  owed: number;
  /** The library alone knows where a member begins. */
  allToLibrary: boolean;
  /** The member behind an extra head has its name there. */
  isNamed: boolean;
};

/** Takes a small plain file that is at hand; returns where it ends. */
async function takeWhole(
  { to, takers }: Cut,
  bytes: Buffer,
  from: number,
  { head, name }: { head: PlainHead; name: string },
): Promise<number> {
  const end = from + padded(head.size);
  await to.idle();
  if (to.archive.destroyed) return end;
  const waiting = takers.file(name, head, bytes.subarray(from, from + head.size));
  if (waiting !== null) await waiting;
  return end;
}

/** Judges the head at `at`: hands on whose bytes follow, or takes the file. Null = more must come. */
async function step(cut: Cut, bytes: Buffer, at: number): Promise<number | null> {
  if (bytes.length - at < BLOCK_BYTES) return null;
  const block = bytes.subarray(at, at + BLOCK_BYTES);
  // The library passes over it as well, but for one behind an extra head.
  if (block[0] === 0 && !cut.isNamed && isZero(block)) return at + BLOCK_BYTES;
  const head = plainHead(block);
  if (head === null) {
    cut.allToLibrary = true;
    return at;
  }
  const isSmall = head.kind === 'file' && head.size <= WHOLE_BYTES && !cut.isNamed;
  if (isSmall && head.nameEnd !== null) {
    const from = at + BLOCK_BYTES;
    if (from + padded(head.size) > bytes.length) return null;
    const name = plainName(bytes, at, at + head.nameEnd);
    if (!cut.takers.asEntry(name)) return takeWhole(cut, bytes, from, { head, name });
  }
  if (head.kind !== 'extra') cut.to.expect();
  cut.isNamed = head.kind === 'extra';
  cut.owed = BLOCK_BYTES + padded(head.size);
  return at;
}

/**
 * Cuts the stream at the heads that can be read in one way only. From the first other one on all goes to the library,
 * which then alone knows where a member begins.
 */
async function feed(cut: Cut, chunk: Buffer): Promise<void> {
  const { to } = cut;
  const bytes = cut.rest.length === 0 ? chunk : Buffer.concat([cut.rest, chunk]);
  cut.rest = NOTHING;
  for (let at = 0; at < bytes.length && !to.archive.destroyed; ) {
    if (cut.allToLibrary || cut.owed > 0) {
      const part = cut.allToLibrary ? bytes.subarray(at) : bytes.subarray(at, at + cut.owed);
      at += part.length;
      cut.owed = Math.max(0, cut.owed - part.length);
      await to.write(part);
      continue;
    }
    const next = await step(cut, bytes, at);
    if (next === null) {
      cut.rest = bytes.subarray(at);
      return;
    }
    at = next;
  }
}

/** Rejects with what ended it early: a taker, the stream, `signal`, or TooMuch behind `bound` bytes. */
export async function readMembers(
  chunks: AsyncIterable<Buffer>,
  takers: Takers,
  { bound, signal }: { readonly bound: number; readonly signal: AbortSignal },
): Promise<void> {
  const to = library(takers.entry);
  const { archive } = to;
  const stop = (): void => {
    archive.destroy(asError(signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  const pump = async (): Promise<void> => {
    const cut: Cut = { to, takers, rest: NOTHING, owed: 0, allToLibrary: false, isNamed: false };
    let bytes = 0;
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > bound) throw new TooMuch(`more than ${bound} bytes`);
        await feed(cut, chunk);
        if (archive.destroyed) return;
      }
      // The library says what is wrong with a file that was cut.
      if (cut.rest.length > 0) await to.write(cut.rest);
      archive.end(null);
    } catch (error) {
      archive.destroy(asError(error));
    }
  };
  try {
    await Promise.all([to.ended, pump()]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
