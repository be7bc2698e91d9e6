/** One script on one channel: its text goes in over stdin, its output comes back inside a random frame. */
import { randomBytes } from 'node:crypto';
import type { ClientChannel } from 'ssh2';
import type { WorldError } from '../../domain/errors.ts';
import type { ShellSession } from '../../ports.ts';
import type { Connection } from './connect.ts';
import { answerFailure, oneLine } from './failures.ts';
import { bootstrapCommand, type FrameReader, frameReader, request } from './frame.ts';
import { widen } from './window.ts';

/** A script by its text; `what` names it in errors. */
export type StreamCall = {
  readonly what: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array | string;
  /** For long answers: more of it may be under way, and in memory, at once. */
  readonly wide?: true;
};

export type RemoteStream = {
  /** The payload. Throws WorldError `incomplete-answer` when the frame is never closed. */
  readonly chunks: AsyncIterable<Buffer>;
  /** To be asked after `chunks` has ended. */
  end(): Promise<{ readonly exitCode: number; readonly stderr: string }>;
  /** Resolves when the channel is free again. */
  readonly over: Promise<void>;
  /** Cuts the channel; the pod's processes meet a closed pipe. */
  cancel(): void;
};

/** What the mirror needs of a session beyond the port: answers of any size, as they come. */
export interface StreamingSession extends ShellSession {
  stream(call: StreamCall): Promise<RemoteStream>;
}

export function canStream(session: ShellSession): session is StreamingSession {
  return 'stream' in session && typeof session.stream === 'function';
}

const STDERR_LIMIT = 64 * 1024;

function openChannel(connection: Connection, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    connection.client.exec(command, (error, channel) => {
      if (error === undefined) resolve(channel);
      else reject(error);
    });
  });
}

/** Collects the framed part of stderr; `complete` resolves at its end or with the channel. */
function readStderr(channel: ClientChannel, token: string): { text: () => string; complete: Promise<void> } {
  const frame = frameReader(token);
  const parts: Buffer[] = [];
  let kept = 0;
  const complete = new Promise<void>((resolve) => {
    channel.stderr.on('data', (chunk: Buffer) => {
      const part = frame.push(chunk).subarray(0, STDERR_LIMIT - kept);
      kept += part.length;
      parts.push(part);
      if (frame.exitCode() !== null) resolve();
    });
    channel.once('close', resolve);
  });
  return { text: () => Buffer.concat(parts).toString('utf8'), complete };
}

type Cut = { readonly frame: FrameReader; readonly cause?: unknown };

function incomplete(connection: Connection, podId: string, call: StreamCall, cut: Cut): WorldError {
  const { frame, cause } = cut;
  const lost = connection.lostBecause();
  const noise = oneLine(frame.noise());
  const heard = noise === '' ? '' : `; outside the answer stood: ${noise}`;
  const cameBack = frame.begun() ? 'the answer was cut off before its end' : 'no answer began';
  const proxied = /PTY/.test(noise)
    ? '; this is an interactive-only door (the proxy), unfit for commands'
    : '';
  const because = lost === null ? '' : ` (connection lost: ${oneLine(lost)})`;
  return answerFailure('incomplete-answer', podId, {
    tried: `Run ${call.what}`,
    cameBack: `${cameBack}${because}${heard}${proxied}`,
    cause,
  });
}

/** Bytes that may wait here for a reader before the channel is told to pause. */
const WAITING_BYTES = 1024 * 1024;

type Arrivals = { waiting: Buffer[]; bytes: number; over: boolean; error?: unknown; wake: () => void };

/**
 * What arrives, chunk by chunk as ssh2 hands it over: a stream's own iterator joins waiting chunks, which copies every
 * byte once more. Ends with the channel; an error of the channel is thrown behind the last chunk.
 */
async function* arrivals(channel: ClientChannel, from: Arrivals): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = from.waiting.shift();
    if (chunk !== undefined) {
      from.bytes -= chunk.length;
      if (from.waiting.length === 0) channel.resume();
      yield chunk;
    } else if (from.over) {
      if (from.error !== undefined) throw from.error;
      return;
    } else {
      await new Promise<void>((resolve) => {
        from.wake = resolve;
      });
    }
  }
}

/** Listens from now on, so that nothing is missed before somebody reads. */
function listen(channel: ClientChannel): Arrivals {
  const from: Arrivals = { waiting: [], bytes: 0, over: false, wake: () => undefined };
  channel.on('data', (chunk: Buffer) => {
    if (from.over) return;
    from.waiting.push(chunk);
    from.bytes += chunk.length;
    if (from.bytes >= WAITING_BYTES) channel.pause();
    from.wake();
  });
  const finish = (error?: unknown): void => {
    from.over = true;
    from.error ??= error;
    from.wake();
  };
  // A write to a channel that the pod closed is told by the frame that never ends.
  channel.on('error', finish);
  channel.once('end', () => finish());
  channel.once('close', () => finish());
  return from;
}

type Handles = {
  /** Somebody reads from now on; the answer is told what the reader is done with. */
  readonly begin: () => (bytes: number) => void;
  readonly cancel: () => void;
  readonly cut: (cause?: unknown) => WorldError;
};

/** The payload as it comes; a frame that is never closed is an error, and so is a reader that leaves early. */
async function* framed(
  channel: ClientChannel,
  from: Arrivals,
  frame: FrameReader,
  { begin, cancel, cut }: Handles,
): AsyncGenerator<Buffer> {
  const taken = begin();
  try {
    for await (const chunk of arrivals(channel, from)) {
      const payload = frame.push(chunk);
      if (payload.length > 0) yield payload;
      taken(chunk.length);
      if (frame.exitCode() !== null) break;
    }
  } catch (cause) {
    throw cut(cause);
  } finally {
    if (frame.exitCode() === null) cancel();
  }
  if (frame.exitCode() === null) throw cut();
  // What stands behind the frame is read and dropped, or stderr would not get its turn.
  from.over = true;
  channel.resume();
}

/** Opens a channel, sends the script and hands the framed answer on as it comes. */
export async function openStream(
  connection: Connection,
  podId: string,
  call: StreamCall,
): Promise<RemoteStream> {
  const token = randomBytes(16).toString('hex');
  const frame = frameReader(token);
  let channel: ClientChannel;
  try {
    channel = await openChannel(connection, bootstrapCommand(call.args));
  } catch (cause) {
    const cameBack = `no channel was opened: ${oneLine(String(cause))}`;
    // A pod that refuses a channel still answers; a connection that died does not.
    const failure = connection.usable() ? 'held-shut' : 'incomplete-answer';
    throw answerFailure(failure, podId, { tried: `Run ${call.what}`, cameBack, cause });
  }
  const stderr = readStderr(channel, token);
  const from = listen(channel);
  channel.end(request(token, call.script, call.stdin));

  let release: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    release = resolve;
  });
  channel.once('close', release);
  const cancel = (): void => {
    channel.close();
    channel.destroy();
    release();
  };

  const cut = (cause?: unknown): WorldError => incomplete(connection, podId, call, { frame, cause });
  // Only for a reader: what nobody reads yet shall not fill the line.
  const begin = () => (call.wide === true ? widen(channel) : () => undefined);
  return {
    chunks: framed(channel, from, frame, { begin, cancel, cut }),
    over,
    async end() {
      await stderr.complete;
      cancel();
      return { exitCode: frame.exitCode() ?? -1, stderr: stderr.text() };
    },
    cancel,
  };
}
