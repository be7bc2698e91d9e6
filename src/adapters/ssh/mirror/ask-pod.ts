/** The two questions of the mirror to a pod: what do you hold, and send me these. */
import type { ManifestEntry } from '../../../domain/artifacts.ts';
import { WorldError } from '../../../domain/errors.ts';
import type { Clock, PullSpec, ShellSession } from '../../../ports.ts';
import { bounded } from '../bounded.ts';
import { oneLine } from '../failures.ts';
import { canStream, type RemoteStream, type StreamCall } from '../stream.ts';
import { chosenOf } from './choice.ts';
import { noListing, pullFailure } from './failures.ts';
import { type Listing, readAnnounced, readListing } from './listing.ts';
import { allBytesOf } from './names.ts';
import { LIST_SCRIPT, TAR_SCRIPT, WHOLE_SCRIPT } from './pod-scripts.ts';

/** One pull or look: its end in time, and the signal by which everything in it stops. */
export type Visit = {
  readonly session: ShellSession;
  readonly spec: PullSpec;
  readonly clock: Clock;
  readonly untilAt: number;
  readonly stop: AbortController;
};

/** A file longer than this and mostly holes is not read on the pod. */
const HOLLOW_BYTES = 1024 ** 3;
/** Enough for about a million files. */
const MAX_LISTING_BYTES = 256 * 1024 ** 2;

/** Rejects as soon as the visit is stopped, whatever `work` does: a frozen pod settles nothing. */
function untilStopped<T>(visit: Visit, work: Promise<T>): Promise<T> {
  const { signal } = visit.stop;
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(signal.reason);
    if (signal.aborted) stopped();
    signal.addEventListener('abort', stopped, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopped));
  });
}

/** Chunks until the visit is stopped. */
async function* stoppable(visit: Visit, stream: RemoteStream, heard: () => void): AsyncGenerator<Buffer> {
  const { signal } = visit.stop;
  const iterator = stream.chunks[Symbol.asyncIterator]();
  let refuse: (reason: unknown) => void = () => undefined;
  const stopped = (): void => refuse(signal.reason);
  signal.addEventListener('abort', stopped, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        refuse = reject;
        iterator.next().then(resolve, reject);
      });
      if (done === true) return;
      heard();
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stopped);
  }
}

async function openStream(visit: Visit, call: StreamCall): Promise<RemoteStream> {
  const { session, spec } = visit;
  if (!canStream(session)) {
    throw pullFailure('unexpected-answer', spec, {
      cameBack: 'this session carries no streams',
      next: 'Open it with sshShell',
    });
  }
  const opening = session.stream(call);
  try {
    return await untilStopped(visit, opening);
  } catch (error) {
    // It may still come about; nobody waits for it any more.
    opening.then((late) => late.cancel()).catch(() => undefined);
    throw error;
  }
}

const LETTER_A = 'A'.charCodeAt(0);
const LETTER_N = 'N'.charCodeAt(0);
const ANNOUNCED = Buffer.from('\0N\0');

/** Watches for the end of an announcement, which is the first thing in an answer or not there at all. */
function announcement(announced: (bytes: Buffer) => void) {
  let open = true;
  let parts: Buffer[] = [];
  let tail = Buffer.from('\0');
  /** Returns what belongs to the list. */
  return (chunk: Buffer): Buffer => {
    if (!open || chunk.length === 0) return chunk;
    if (parts.length === 0 && chunk[0] !== LETTER_A && chunk[0] !== LETTER_N) {
      open = false;
      return chunk;
    }
    const at = Buffer.concat([tail, chunk]).indexOf(ANNOUNCED);
    if (at < 0) {
      parts.push(chunk);
      tail = Buffer.concat([tail, chunk]).subarray(1 - ANNOUNCED.length);
      return chunk.subarray(chunk.length);
    }
    const end = at + ANNOUNCED.length - tail.length;
    open = false;
    announced(Buffer.concat([...parts, chunk.subarray(0, end)]));
    parts = [];
    return chunk.subarray(end);
  };
}

/** Hands the announcement over as soon as it is whole, and returns what stands behind it. */
async function collect(
  visit: Visit,
  stream: RemoteStream,
  announced: (bytes: Buffer) => void,
): Promise<Buffer> {
  const rest = announcement(announced);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stoppable(visit, stream, () => undefined)) {
    length += chunk.length;
    if (length > MAX_LISTING_BYTES) {
      throw pullFailure('unexpected-answer', visit.spec, {
        cameBack: `its list of files is longer than ${MAX_LISTING_BYTES} bytes`,
      });
    }
    parts.push(rest(chunk));
  }
  return Buffer.concat(parts);
}

async function look(
  visit: Visit,
  more: readonly string[],
  announced: (bytes: Buffer) => void,
): Promise<Listing> {
  const what = `the look at ${visit.spec.remotePath}`;
  const args = [visit.spec.remotePath, String(HOLLOW_BYTES), ...more];
  const stream = await openStream(visit, { what, script: LIST_SCRIPT, args, stdin: '' });

  try {
    const answer = await collect(visit, stream, announced);
    const { stderr } = await untilStopped(visit, stream.end());
    const listing = readListing(answer, stderr);
    if ('kind' in listing) throw noListing(visit.spec, listing);
    return chosenOf(listing, visit.spec.choice);
  } finally {
    stream.cancel();
  }
}

/** What the pod holds now, of the chosen files. Throws WorldError `not-found` for a path that is not there: absent is not empty. */
export function listPod(visit: Visit): Promise<Listing> {
  return look(visit, [], () => undefined);
}

/** Files that are mostly holes are refused: the pod will not read them either. */
function worthReading(listing: Listing): Listing {
  const isHollow = ({ path, size }: ManifestEntry): boolean =>
    size > HOLLOW_BYTES && 4 * (listing.allocated.get(path) ?? size) < size;
  const hollow = listing.manifest.files.filter(isHollow);
  if (hollow.length === 0) return listing;
  const files = listing.manifest.files.filter((file) => !isHollow(file));
  const more = hollow.map(({ path }) => ({ path, reason: 'mostly holes' }));
  return { ...listing, manifest: { ...listing.manifest, files }, refused: [...listing.refused, ...more] };
}

/**
 * The same in two steps: names and sizes (without digests) before the pod reads its files, then the list. `announced`
 * is null where the image cannot tell it or the list ended first; it never rejects.
 */
export function lookAhead(visit: Visit): { announced: Promise<Listing | null>; listing: Promise<Listing> } {
  let tell: (listing: Listing | null) => void = () => undefined;
  const announced = new Promise<Listing | null>((resolve) => {
    tell = resolve;
  });
  const hear = (bytes: Buffer): void => {
    const read = readAnnounced(bytes);
    tell(read === null ? null : worthReading(chosenOf(read, visit.spec.choice)));
  };
  const listing = look(visit, ['announce'], hear).finally(() => tell(null));
  return { announced, listing };
}

/** Has the named files sent as tar. */
export function sendNamed(visit: Visit, names: readonly string[]): Promise<RemoteStream> {
  const { remotePath } = visit.spec;
  const stdin = allBytesOf(names.map((name) => `./${name}\0`));
  const what = `tar in ${remotePath}`;
  return openStream(visit, { what, script: TAR_SCRIPT, args: [remotePath], stdin, wide: true });
}

/** All that the pod holds, on its way before it is known what that is. Nothing of it is read until it is known. */
export type Whole = {
  /** Null where no second channel came about. */
  readonly stream: Promise<RemoteStream | null>;
  /** Once nobody will read it. */
  readonly giveUp: () => void;
};

export function sendWhole(visit: Visit): Whole {
  const { remotePath } = visit.spec;
  const what = `the whole tree of ${remotePath}`;
  const call = { what, script: WHOLE_SCRIPT, args: [remotePath], stdin: '', wide: true } as const;
  const stream = openStream(visit, call).catch((error: unknown) => {
    if (error instanceof WorldError) return null;
    throw error;
  });
  // Nobody may be waiting for it when it fails; whoever is hears of it all the same.
  stream.catch(() => undefined);
  const giveUp = (): void => void stream.then((opened) => opened?.cancel()).catch(() => undefined);
  return { stream, giveUp };
}

export type Taking = {
  readonly silenceMs: number;
  /** Reads the tar stream to its end. */
  readonly take: (chunks: AsyncIterable<Buffer>) => Promise<void>;
};

/** Has a stream of tar read by `take`. Returns what tar complained about: it decides nothing. */
export async function takeStream(
  visit: Visit,
  stream: RemoteStream,
  { silenceMs, take }: Taking,
): Promise<string> {
  const { clock, spec, stop, untilAt } = visit;
  const overdue = (kind: 'budget' | 'silence'): Error => {
    const cameBack =
      kind === 'silence' ? `no byte came for ${silenceMs / 1000} s` : 'the time for this pull is used up';
    const failure = pullFailure('timed-out', spec, { cameBack });
    stop.abort(failure);
    return failure;
  };
  let taking: Promise<void> = Promise.resolve();
  try {
    return await bounded({ clock, untilAt, silenceMs, overdue }, async (alive) => {
      taking = take(stoppable(visit, stream, alive));
      await taking;
      const { stderr } = await untilStopped(visit, stream.end());
      return oneLine(stderr);
    });
  } finally {
    stream.cancel();
    // Nobody touches the folder while a file in it is still being written.
    await taking.catch(() => undefined);
  }
}
