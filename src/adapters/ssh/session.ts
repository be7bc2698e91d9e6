/** One open connection as the rest of the program sees it: few channels at once, every answer whole or an error. */
import pLimit from 'p-limit';
import { WorldError } from '../../domain/errors.ts';
import type { Clock, OnPodScript, ScriptAnswer, ScriptCall } from '../../ports.ts';
import { bounded } from './bounded.ts';
import type { Connection } from './connect.ts';
import { answerFailure } from './failures.ts';
import { openStream, type RemoteStream, type StreamCall, type StreamingSession } from './stream.ts';

/** The scripts by name, each whole: what one plants on the pod is inside its own text. */
export type OnPodTexts = Readonly<Record<OnPodScript, string>>;

export type SessionParts = {
  readonly podId: string;
  readonly scripts: OnPodTexts;
  readonly clock: Clock;
  /** OpenSSH allows 10 sessions per connection and fails some beyond that; the rest waits here. */
  readonly maxChannels: number;
  /** Most that one script may answer, in bytes. */
  readonly maxAnswerBytes: number;
};

const CLOSE_PATIENCE_MS = 2_000;

async function collect(
  stream: RemoteStream,
  tooLong: () => WorldError,
  limit: number,
): Promise<ScriptAnswer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream.chunks) {
    length += chunk.length;
    if (length > limit) throw tooLong();
    parts.push(chunk);
  }
  const { exitCode, stderr } = await stream.end();
  return { exitCode, stdout: Buffer.concat(parts).toString('utf8'), stderr };
}

async function runScript(
  open: (call: StreamCall) => Promise<RemoteStream>,
  parts: SessionParts,
  call: ScriptCall,
): Promise<ScriptAnswer> {
  const what = `the script ${call.script} ${call.args[0] ?? ''}`.trim();
  const told = { tried: `Run ${what}` };
  let stream: RemoteStream | null = null;
  const overdue = (): Error => {
    stream?.cancel();
    const cameBack = `no whole answer within ${call.timeoutMs / 1000} s`;
    return answerFailure('timed-out', parts.podId, { ...told, cameBack });
  };
  const tooLong = (): WorldError => {
    stream?.cancel();
    const cameBack = `the answer is longer than ${parts.maxAnswerBytes} bytes`;
    return answerFailure('incomplete-answer', parts.podId, { ...told, cameBack });
  };
  const untilAt = parts.clock.now() + call.timeoutMs;
  return bounded({ clock: parts.clock, untilAt, overdue }, async () => {
    const script = parts.scripts[call.script];
    stream = await open({ what, script, args: call.args, stdin: call.stdin ?? '' });
    return collect(stream, tooLong, parts.maxAnswerBytes);
  });
}

/** Pauses before a channel is asked for again, ms. */
const CHANNEL_PAUSES_MS = [100, 300, 1000];

/**
 * A server counts a session until it has buried its process, which may come after the channel's close reached us.
 * A refused channel ran nothing, so it is asked for again.
 */
async function openPatiently(
  connection: Connection,
  parts: SessionParts,
  call: StreamCall,
): Promise<RemoteStream> {
  for (const pauseMs of CHANNEL_PAUSES_MS) {
    try {
      return await openStream(connection, parts.podId, call);
    } catch (error) {
      if (!(error instanceof WorldError) || error.failure !== 'held-shut') throw error;
      await parts.clock.sleep(pauseMs);
    }
  }
  return await openStream(connection, parts.podId, call);
}

/** Wraps a connection. Closing twice is harmless; running after the end is a WorldError. */
export function sshSession(connection: Connection, parts: SessionParts): StreamingSession {
  const channels = pLimit(parts.maxChannels);
  let closed = false;

  /** Holds a channel's place from its opening until it is free again. */
  const stream = (call: StreamCall): Promise<RemoteStream> =>
    new Promise((resolve, reject) => {
      channels(async () => {
        if (closed || !connection.usable()) {
          const cameBack = `the connection is gone: ${connection.lostBecause() ?? 'it was closed'}`;
          throw answerFailure('incomplete-answer', parts.podId, { tried: `Run ${call.what}`, cameBack });
        }
        const opened = await openPatiently(connection, parts, call);
        resolve(opened);
        await Promise.race([opened.over, connection.gone]);
      }).catch(reject);
    });

  return {
    podId: parts.podId,
    hostKey: connection.hostKey,
    stream,
    run: (call) => runScript(stream, parts, call),
    async close() {
      closed = true;
      connection.client.end();
      const { clock } = parts;
      const overdue = (): Error => new Error('the pod did not take leave');
      const untilAt = clock.now() + CLOSE_PATIENCE_MS;
      // A pod that does not answer the goodbye is left all the same.
      await bounded({ clock, untilAt, overdue }, () => connection.gone).catch(() => undefined);
      connection.client.destroy();
    },
  };
}
