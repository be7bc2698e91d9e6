/** Takes a tar stream from a machine that is not trusted: only announced files, only in announced sizes, nothing else. */
import type { Header } from 'tar-stream';
import type { Refused } from './listing.ts';
import { type Done, type Entry, readMembers, type Takers, TooMuch } from './members.ts';
import { escapes, nameOf, withoutDot } from './names.ts';
import type { PlainHead } from './plain-head.ts';
import type { FileHead } from './small-files.ts';
import { Collision, type Staging } from './staging.ts';

export type Wanted = ReadonlyMap<string, { readonly size: number; readonly sparse: boolean }>;

export type Received = {
  readonly refused: readonly Refused[];
  /** The stream was cut by us: it brought more than was announced. */
  readonly tooMuch: boolean;
};

/** A stream that no tar makes of the names it was given: nothing more is taken from it. */
export class Hostile extends Error {
  override name = 'Hostile' as const;
}

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

type Desk = {
  readonly wanted: Wanted;
  readonly staging: Staging;
  readonly seen: Set<string>;
  readonly refused: Refused[];
  readonly strangers: Watch['strangers'];
  readonly counter: (bytes: number) => void;
  /** Work that the next member waits for, and the end too. */
  readonly slow: (work: Promise<void>, done: Done) => void;
};

type Member = { readonly entry: Entry; readonly name: string };

const COLLIDES = 'collides with another name on this disk';
/** Up to here a file is collected before it is written. */
const SMALL_BYTES = 256 * 1024;

const isFile = (type: Header['type']): boolean => type === 'file' || type === 'contiguous-file';

function turnDown(desk: Desk, path: string, reason: string): void {
  desk.refused.push({ path, reason });
  if (desk.refused.length > MAX_REFUSED)
    throw new Hostile(`more than ${MAX_REFUSED} members that nobody asked for`);
}

/** Puts a small file; the next member need not wait for the disk unless there is no room. */
function put(desk: Desk, name: string, head: FileHead, parts: readonly Uint8Array[]): Promise<void> | null {
  try {
    desk.staging.put(name, head, parts);
  } catch (error) {
    if (!(error instanceof Collision)) throw error;
    turnDown(desk, name, COLLIDES);
  }
  return desk.staging.room();
}

/** A file that nobody announced and nobody minds: it may be younger than the list, and the next one has it. */
function isPassed(desk: Desk, name: string, type: Header['type']): boolean {
  return desk.strangers === 'passed' && !desk.wanted.has(name) && (isFile(type) || type === 'link');
}

/** Why a member cannot be taken at all; null = it is one of ours. */
function faultOf(desk: Desk, name: string, type: string): string | null {
  if (!desk.wanted.has(name)) return `not announced (${type})`;
  return desk.seen.has(name) ? 'twice in the stream' : null;
}

/** Collects a small file and puts it. */
function takeSmall(desk: Desk, member: Member, head: FileHead, done: Done): void {
  const { entry, name } = member;
  const parts: Uint8Array[] = [];
  entry.on('data', (chunk) => {
    if (!(chunk instanceof Uint8Array)) throw new Error('a member came as something else than bytes');
    desk.counter(chunk.length);
    parts.push(chunk);
  });
  entry.once('end', () => {
    try {
      const room = put(desk, name, head, parts);
      if (room === null) done();
      else desk.slow(room, done);
    } catch (error) {
      done(error);
    }
  });
}

function pass(entry: Entry, done: Done): void {
  entry.once('end', () => done());
  entry.resume();
}

/** Takes it as it comes, behind what was put before. */
async function takeLarge(desk: Desk, { entry, name }: Member, head: FileHead): Promise<void> {
  try {
    await settle(desk);
    await desk.staging.write(name, head, payload(entry, desk.counter));
  } catch (error) {
    if (!(error instanceof Collision)) throw error;
    turnDown(desk, name, COLLIDES);
    for await (const rest of entry) void rest;
  }
}

async function takeAlias(desk: Desk, { entry, name }: Member): Promise<void> {
  const existing = textOf(entry.header, entry.header.linkname ?? '', 'linkpath');
  // Announced names were checked, so a link to one of them stays inside.
  if (isPassed(desk, existing, 'link')) desk.staging.remove(name);
  else if (!desk.wanted.has(existing))
    turnDown(desk, name, 'a hard link to something that was not announced');
  else {
    await settle(desk);
    try {
      desk.staging.remove(name);
      desk.staging.alias(name, existing);
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
      turnDown(desk, name, COLLIDES);
    }
  }
  for await (const rest of entry) void rest;
}

async function settle(desk: Desk): Promise<void> {
  for (const name of await desk.staging.settle()) turnDown(desk, name, COLLIDES);
}

/** A member of ours is taken by its kind. Any kind not here: it was replaced since the look, and the next look shows by what. */
function takeOurs(desk: Desk, member: Member, done: Done): void {
  const { entry, name } = member;
  const { size, mode, mtime, type } = entry.header;
  const announced = desk.wanted.get(name);
  desk.seen.add(name);
  if (type === 'link') desk.slow(takeAlias(desk, member), done);
  // What grew out of all proportion is left for the next look.
  else if (!isFile(type) || announced === undefined || size > announced.size + GROWTH_BYTES)
    pass(entry, done);
  else {
    const head = { size, mode, modifiedAt: mtime.getTime(), sparse: announced.sparse };
    desk.staging.remove(name);
    if (size <= SMALL_BYTES && !head.sparse) takeSmall(desk, member, head, done);
    else desk.slow(takeLarge(desk, member, head), done);
  }
}

function take(desk: Desk, entry: Entry, done: Done): void {
  const { header } = entry;
  const name = textOf(header, header.name, 'path');
  if (escapes(name)) throw new Hostile(`a member named ${JSON.stringify(name)}`);
  // No tar writes one, and tar-stream would wait for its content for ever.
  if (header.type === 'directory' && header.size !== 0) throw new Hostile('a folder with content');
  const fault = faultOf(desk, name, header.type ?? 'of unknown type');
  if (isPassed(desk, name, header.type)) pass(entry, done);
  else if (fault === null) takeOurs(desk, { entry, name }, done);
  else {
    turnDown(desk, name, fault);
    pass(entry, done);
  }
}

/** Takes a small plain file that came whole. */
function takeWhole(desk: Desk, name: string, plain: PlainHead, content: Buffer): Promise<void> | null {
  if (escapes(name)) throw new Hostile(`a member named ${JSON.stringify(name)}`);
  if (isPassed(desk, name, 'file')) return null;
  const fault = faultOf(desk, name, 'file');
  if (fault !== null) {
    turnDown(desk, name, fault);
    return null;
  }
  desk.seen.add(name);
  desk.counter(content.length);
  desk.staging.remove(name);
  const { size, mode, modifiedS } = plain;
  return put(desk, name, { size, mode, modifiedAt: modifiedS * 1000, sparse: false }, [content]);
}

export type Watch = {
  readonly counter: (bytes: number) => void;
  /** What becomes of files that were not announced. */
  readonly strangers: 'refused' | 'passed';
  /** Ends everything at once, also a member that waits for bytes which never come. */
  readonly signal: AbortSignal;
};

async function after(work: Promise<void>, done: Done): Promise<void> {
  try {
    await work;
  } catch (error) {
    done(error);
    return;
  }
  done();
}

/** Fills `staging` from the stream. Throws Hostile, what the stream threw, or what the disk said. */
export async function receive(
  chunks: AsyncIterable<Buffer>,
  wanted: Wanted,
  staging: Staging,
  { counter, strangers, signal }: Watch,
): Promise<Received> {
  let working: Promise<void> = Promise.resolve();
  const slow = (work: Promise<void>, done: Done): void => {
    working = after(work, done);
  };
  const desk: Desk = { wanted, staging, seen: new Set(), refused: [], strangers, counter, slow };
  staging.expect(wanted.size);
  const takers: Takers = {
    file: (name, head, content) => takeWhole(desk, name, head, content),
    // A file that is to keep its holes is written another way.
    asEntry: (name) => wanted.get(name)?.sparse === true,
    entry: (entry, done) => take(desk, entry, done),
  };
  let tooMuch = false;
  try {
    await readMembers(chunks, takers, { bound: boundOf(wanted), signal });
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    tooMuch = true;
  } finally {
    // Whatever happened, nothing is being written any more when this is over.
    await working;
    await settle(desk);
  }
  return { refused: desk.refused, tooMuch };
}
