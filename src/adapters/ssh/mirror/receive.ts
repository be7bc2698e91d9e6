/** Takes a tar stream from a machine that is not trusted: only announced files, only in announced sizes, nothing else. */
import { type Extract, extract, type Header } from 'tar-stream';
import type { Refused } from './listing.ts';
import { escapes, nameOf, withoutDot } from './names.ts';
import { Collision, type Staging } from './staging.ts';

export type Wanted = ReadonlyMap<string, { readonly size: number; readonly sparse: boolean }>;

export type Received = {
  readonly refused: readonly Refused[];
  /** The stream was cut by us: it brought more than was announced. */
  readonly tooMuch: boolean;
};

type Entry = Extract extends AsyncIterable<infer Each> ? Each : never;

/** A stream that no tar makes of the names it was given: nothing more is taken from it. */
export class Hostile extends Error {
  override name = 'Hostile' as const;
}

class TooMuch extends Error {}

/** A file may grow this much between the look and the pull and still be taken as it came. */
const GROWTH_BYTES = 64 * 1024 * 1024;
/** Heads, long names and padding of one member; and what tar pads each archive with. */
const MEMBER_OVERHEAD_BYTES = 12 * 1024;
const MAX_REFUSED = 1000;

function boundOf(wanted: Wanted): number {
  let bytes = 4 * GROWTH_BYTES;
  for (const file of wanted.values()) bytes += file.size + MEMBER_OVERHEAD_BYTES;
  return bytes;
}

async function* counted(chunks: AsyncIterable<Buffer>, bound: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bound) throw new TooMuch(`more than ${bound} bytes`);
    yield chunk;
  }
}

/** tar-stream was told to read names as bytes; extended heads it always reads as UTF-8. */
function textOf(header: Header, raw: string, key: 'path' | 'linkpath'): string {
  const { pax } = header;
  const extended = typeof pax === 'object' && pax !== null && key in pax;
  return withoutDot(extended ? raw : nameOf(Buffer.from(raw, 'latin1')));
}

async function* payload(entry: Entry, counter: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of entry) {
    if (!(chunk instanceof Uint8Array)) throw new Error('a member came as something else than bytes');
    counter(chunk.length);
    yield chunk;
  }
}

async function drain(entry: Entry): Promise<void> {
  for await (const chunk of entry) void chunk;
}

type Desk = {
  readonly wanted: Wanted;
  readonly staging: Staging;
  readonly seen: Set<string>;
  readonly refused: Refused[];
  readonly counter: (bytes: number) => void;
};

function turnDown(desk: Desk, path: string, reason: string): void {
  desk.refused.push({ path, reason });
  if (desk.refused.length > MAX_REFUSED)
    throw new Hostile(`more than ${MAX_REFUSED} members that nobody asked for`);
}

/** Why a member cannot be taken at all; null = it is one of ours. */
function faultOf(desk: Desk, name: string, type: string): string | null {
  if (!desk.wanted.has(name)) return `not announced (${type})`;
  return desk.seen.has(name) ? 'twice in the stream' : null;
}

async function takeFile(desk: Desk, name: string, entry: Entry): Promise<void> {
  const { size, mode, mtime } = entry.header;
  const announced = desk.wanted.get(name);
  // What grew out of all proportion is left for the next look.
  if (announced === undefined || size > announced.size + GROWTH_BYTES) return;
  desk.staging.remove(name);
  const head = { size, mode, modifiedAt: mtime.getTime(), sparse: announced.sparse };
  await desk.staging.write(name, head, payload(entry, desk.counter));
}

function takeAlias(desk: Desk, name: string, header: Header): void {
  const existing = textOf(header, header.linkname ?? '', 'linkpath');
  // Announced names were checked, so a link to one of them stays inside.
  if (!desk.wanted.has(existing)) turnDown(desk, name, 'a hard link to something that was not announced');
  else {
    desk.staging.remove(name);
    desk.staging.alias(name, existing);
  }
}

async function take(desk: Desk, entry: Entry): Promise<void> {
  const { header } = entry;
  const name = textOf(header, header.name, 'path');
  if (escapes(name)) throw new Hostile(`a member named ${JSON.stringify(name)}`);
  // No tar writes one, and tar-stream would wait for its content for ever.
  if (header.type === 'directory' && header.size !== 0) throw new Hostile('a folder with content');
  const fault = faultOf(desk, name, header.type ?? 'of unknown type');
  if (fault !== null) turnDown(desk, name, fault);
  else {
    desk.seen.add(name);
    try {
      if (header.type === 'file' || header.type === 'contiguous-file') await takeFile(desk, name, entry);
      else if (header.type === 'link') takeAlias(desk, name, header);
      // Any other type: the file was replaced since the look, and the next look shows by what.
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
      turnDown(desk, name, 'collides with another name on this disk');
    }
  }
  await drain(entry);
}

export type Watch = {
  readonly counter: (bytes: number) => void;
  /** Ends everything at once, also a member that waits for bytes which never come. */
  readonly signal: AbortSignal;
};

/** Feeds the archive at its own pace; what ends the feeding early ends the archive with the same reason. */
async function pump(chunks: AsyncIterable<Buffer>, archive: Extract): Promise<void> {
  const closed = new Promise((resolve) => archive.once('close', () => resolve(null)));
  try {
    for await (const chunk of chunks) {
      if (archive.destroyed) return;
      if (archive.write(chunk)) continue;
      await Promise.race([closed, new Promise((resolve) => archive.once('drain', () => resolve(null)))]);
    }
    archive.end(null);
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Fills `staging` from the stream. Throws Hostile, what the stream threw, or what the disk said. */
export async function receive(
  chunks: AsyncIterable<Buffer>,
  wanted: Wanted,
  staging: Staging,
  { counter, signal }: Watch,
): Promise<Received> {
  const desk: Desk = { wanted, staging, seen: new Set(), refused: [], counter };
  // Names as bytes: a name need not be UTF-8. The option is there and its type is not.
  const asBytes = { highWaterMark: 64 * 1024, filenameEncoding: 'latin1' };
  const archive = extract(asBytes);
  const pumping = pump(counted(chunks, boundOf(wanted)), archive);
  let current: Entry | null = null;
  const stop = (): void => {
    const reason = signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
    archive.destroy(reason);
    current?.destroy(reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const entry of archive) {
      current = entry;
      await take(desk, entry);
    }
    await pumping;
  } catch (error) {
    if (error instanceof TooMuch) return { refused: desk.refused, tooMuch: true };
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { refused: desk.refused, tooMuch: false };
}
