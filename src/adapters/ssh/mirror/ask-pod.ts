/** The two questions of the mirror to a pod: what do you hold, and send me these. */
import type { Clock, PullSpec, ShellSession } from '../../../ports.ts';
import { bounded } from '../bounded.ts';
import { oneLine } from '../failures.ts';
import { canStream, type RemoteStream, type StreamCall } from '../stream.ts';
import { chosenOf } from './choice.ts';
import { noListing, pullFailure } from './failures.ts';
import { type Listing, readListing } from './listing.ts';
import { bytesOf } from './names.ts';
import { LIST_SCRIPT, TAR_SCRIPT } from './pod-scripts.ts';

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

async function collect(visit: Visit, stream: RemoteStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stoppable(visit, stream, () => undefined)) {
    length += chunk.length;
    if (length > MAX_LISTING_BYTES) {
      throw pullFailure('unexpected-answer', visit.spec, {
        cameBack: `its list of files is longer than ${MAX_LISTING_BYTES} bytes`,
      });
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** What the pod holds now, of the chosen files. Throws WorldError `not-found` for a path that is not there: absent is not empty. */
export async function listPod(visit: Visit): Promise<Listing> {
  const what = `the look at ${visit.spec.remotePath}`;
  const args = [visit.spec.remotePath, String(HOLLOW_BYTES)];
  const stream = await openStream(visit, { what, script: LIST_SCRIPT, args, stdin: '' });
  try {
    const answer = await collect(visit, stream);
    const { stderr } = await untilStopped(visit, stream.end());
    const listing = readListing(answer, stderr);
    if ('kind' in listing) throw noListing(visit.spec, listing);
    return chosenOf(listing, visit.spec.choice);
  } finally {
    stream.cancel();
  }
}

export type Fetching = {
  readonly names: readonly string[];
  readonly silenceMs: number;
  /** Reads the tar stream to its end. */
  readonly take: (chunks: AsyncIterable<Buffer>) => Promise<void>;
};

/** Has the named files sent as tar and read by `take`. Returns what tar complained about: it decides nothing. */
export async function fetchFiles(visit: Visit, fetching: Fetching): Promise<string> {
  const { clock, spec, stop, untilAt } = visit;
  const stdin = Buffer.concat(
    fetching.names.flatMap((name) => [Buffer.from('./'), bytesOf(name), Buffer.from([0])]),
  );
  const what = `tar in ${spec.remotePath}`;
  const stream = await openStream(visit, {
    what,
    script: TAR_SCRIPT,
    args: [spec.remotePath],
    stdin,
    wide: true,
  });
  const overdue = (kind: 'budget' | 'silence'): Error => {
    const cameBack =
      kind === 'silence'
        ? `no byte came for ${fetching.silenceMs / 1000} s`
        : 'the time for this pull is used up';
    const failure = pullFailure('timed-out', spec, { cameBack });
    stop.abort(failure);
    return failure;
  };
  let taking: Promise<void> = Promise.resolve();
  try {
    return await bounded({ clock, untilAt, silenceMs: fetching.silenceMs, overdue }, async (alive) => {
      taking = fetching.take(stoppable(visit, stream, alive));
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
