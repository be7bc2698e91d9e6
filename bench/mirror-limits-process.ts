/** The parts of a pull alone: the stream read and thrown away, and the small files written without a stream. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeHere } from '../src/adapters/ssh/mirror/small-files.ts';
import { canStream } from '../src/adapters/ssh/stream.ts';
import { sshShell } from '../src/adapters/ssh-shell.ts';
import { systemClock } from '../src/adapters/system-clock.ts';
import { onPodText } from '../src/on-pod-text.ts';
import { answer, heard } from './child-side.ts';
import type { MirrorLimits, MirrorLimitsStart } from './messages.ts';

const start = await heard<MirrorLimitsStart>();
const log = { say: () => undefined, progress: () => undefined };

async function streamBytesPerS(): Promise<number> {
  const { privateKey, port, username, remotePath } = start;
  const shell = sshShell({ privateKey, scripts: onPodText, clock: systemClock(), log });
  const address = { host: '127.0.0.1', port, username };
  const session = await shell.open({ podId: 'pod-1', address, pins: null });
  if (!canStream(session)) throw new Error('no streams');
  const begunAt = performance.now();
  let bytes = 0;
  const script = 'cat "$PODTRACK_ROOT$1"/*';
  const stream = await session.stream({ what: 'cat', script, args: [remotePath], stdin: '', wide: true });
  for await (const chunk of stream.chunks) bytes += chunk.length;
  const seconds = (performance.now() - begunAt) / 1000;
  await session.close();
  return bytes / seconds;
}

async function writeSmallMs(): Promise<number> {
  const begunAt = performance.now();
  const bytes = new Uint8Array(1000);
  for (let part = 0; part < 100; part += 1) {
    const folder = join(start.localPath, String(part));
    mkdirSync(folder, { recursive: true });
    const files = Array.from({ length: start.smallFiles / 100 }, (_, index) => ({
      place: join(folder, `sample-${index}.json`),
      mode: 0o644,
      modifiedS: 0,
      at: 0,
      length: bytes.length,
    }));
    await writeHere.write({ files, bytes });
  }
  return performance.now() - begunAt;
}

const limits: MirrorLimits = {
  streamBytesPerS: await streamBytesPerS(),
  writeSmallMs: await writeSmallMs(),
};
await answer(limits);
process.exit(0);
