/** A pull in a process of its own, to be killed at a byte: list and tar come over stdin, every byte taken is told on stdout. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { RemoteStream, StreamingSession } from '../../../src/adapters/ssh/stream.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';

/** What the parent hands over: where to, and how many bytes of stdin are the list. */
export type Order = {
  readonly localPath: string;
  readonly listBytes: number;
  /** Kill this process as soon as it has renamed so often. */
  readonly dieAfterRenames?: number;
};

const order = JSON.parse(process.argv[2] ?? '') as Order;

if (order.dieAfterRenames !== undefined) {
  const { renameSync } = fs;
  let left = order.dieAfterRenames;
  fs.renameSync = (from, to) => {
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    left -= 1;
    renameSync(from, to);
  };
  syncBuiltinESMExports();
}
const stdin = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
let ahead: Buffer = Buffer.alloc(0);
let taken = 0;

/** Told only when the reader comes back for more: by then the bytes before have been dealt with. */
async function* next(most: number): AsyncGenerator<Buffer> {
  for (let left = most; left > 0; ) {
    process.stdout.write(`${taken}\n`);
    if (ahead.length === 0) {
      const { done, value } = await stdin.next();
      if (done === true) return;
      ahead = value;
    }
    const chunk = ahead.subarray(0, Math.min(left, 2000));
    ahead = ahead.subarray(chunk.length);
    left -= chunk.length;
    taken += chunk.length;
    yield chunk;
  }
}

const session: StreamingSession = {
  podId: 'pod-1',
  hostKey: 'SHA256:crafted',
  run: () => Promise.reject(new Error('no scripts here')),
  close: async () => undefined,
  async stream(call): Promise<RemoteStream> {
    return {
      chunks: next(call.what.startsWith('tar') ? Number.POSITIVE_INFINITY : order.listBytes),
      over: Promise.resolve(),
      end: async () => ({ exitCode: 0, stderr: '' }),
      cancel: () => undefined,
    };
  },
};
const log = { say: () => undefined, progress: () => undefined };
const mirror = sshMirror({ root: '/nowhere', clock: systemClock(), log, reserveBytes: 0 });
const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: order.localPath, budgetMs: 60_000 };
await mirror.pull(session, spec);
process.stdout.write('promoted\n');
