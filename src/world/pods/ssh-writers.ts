/** The two output streams of a server channel, made safe against what ssh2 1.17 forgets when a client reads slowly. */
import { Writable } from 'node:stream';

/**
 * stdout and stderr share one window. ssh2 keeps the chunk that waits for it in one slot per stream, never empties the slots, and on
 * an adjustment looks at stdout's first: once both had waited, stderr was never heard again and old stdout came twice. So one
 * chunk is under way at a time, and the slots are emptied after each.
 */
export function outputsOf(channel: Writable & { readonly stderr: Writable }): {
  readonly stdout: Writable;
  readonly stderr: Writable;
} {
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (stream: Writable) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        const write = () =>
          new Promise<void>((over) => {
            // A client that has hung up reads nothing more: what its program still says is lost, as on a real pod.
            if (!stream.writable) {
              done();
              over();
              return;
            }
            stream.write(chunk, (cause) => {
              Object.assign(channel, EMPTY_SLOTS);
              done(cause);
              over();
            });
          });
        // A channel that closes calls nothing back: what waits then goes with it.
        turn = turn.then(write);
      },
    });
  return { stdout: inTurn(channel), stderr: inTurn(channel.stderr) };
}

const EMPTY_SLOTS = { _chunk: undefined, _chunkcb: undefined, _chunkErr: undefined, _chunkcbErr: undefined };
