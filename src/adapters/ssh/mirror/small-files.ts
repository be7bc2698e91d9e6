/** Writes small files many at a time, on a thread of its own when there are many: creating a file costs more than its bytes. */
import type * as Fs from 'node:fs';
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';

/** What a tar head says of a file, as far as it is taken over. */
export type FileHead = {
  readonly size: number;
  readonly mode: number;
  /** Epoch ms. */
  readonly modifiedAt: number;
  /** Leave runs of zeros unwritten, so that a file with holes keeps them. */
  readonly sparse: boolean;
};

export type SmallFile = {
  readonly place: string | Uint8Array;
  readonly mode: number;
  /** Epoch seconds. */
  readonly modifiedS: number;
  /** Where its content stands in the bytes of the batch. */
  readonly at: number;
  readonly length: number;
};
export type Batch = { readonly files: readonly SmallFile[]; readonly bytes: Uint8Array<ArrayBuffer> };
export type Failed = { readonly index: number; readonly code: string | undefined; readonly message: string };

/** Stands alone: the thread gets it as text, so that no bundler has to know of it. */
export function writeAll(disk: typeof Fs, { files, bytes }: Batch): Failed[] {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = disk.constants;
  const failed: Failed[] = [];
  for (const [index, { place, mode, modifiedS, at, length }] of files.entries()) {
    const path = typeof place === 'string' ? place : Buffer.from(place);
    let descriptor = -1;
    let isWritten = false;
    try {
      descriptor = disk.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      for (let done = 0; done < length; )
        done += disk.writeSync(descriptor, bytes, at + done, length - done, done);
      disk.futimesSync(descriptor, modifiedS, modifiedS);
      isWritten = true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      failed.push({ index, code, message });
      if (descriptor >= 0) disk.rmSync(path, { force: true });
    } finally {
      if (descriptor >= 0) disk.closeSync(descriptor);
    }
    // By its name and behind the close: some disks tell only then that they had no room.
    const held = isWritten ? disk.lstatSync(path, { throwIfNoEntry: false })?.size : length;
    if (held !== length)
      failed.push({ index, code: undefined, message: 'this disk does not hold what was written to it' });
  }
  return failed;
}

const THREAD = `
const { parentPort } = require('node:worker_threads');
const disk = require('node:fs');
const writeAll = ${writeAll.toString()};
parentPort.on('message', (batch) => parentPort.postMessage(writeAll(disk, batch)));
`;

export type Writer = {
  /** What could not be written. Batches are written in order; rejects when the writer itself is lost. */
  write(batch: Batch): Promise<readonly Failed[]>;
  close(): Promise<void>;
};

export const writeHere: Writer = {
  write: async (batch) => writeAll(fs, batch),
  close: async () => undefined,
};

/** On a thread that starts at once. It holds the process open only while it writes, and gets nothing of our environment. */
export function writerThread(): Writer {
  const thread = new Worker(THREAD, { eval: true, env: {}, execArgv: [] });
  thread.unref();
  const waiting: { resolve: (failed: readonly Failed[]) => void; reject: (error: Error) => void }[] = [];
  let lost: Error | null = null;
  const lose = (error: Error): void => {
    lost ??= error;
    for (const { reject } of waiting.splice(0)) reject(lost);
  };
  thread.on('message', (failed: readonly Failed[]) => {
    waiting.shift()?.resolve(failed);
    if (waiting.length === 0) thread.unref();
  });
  thread.on('error', lose);
  thread.on('exit', () => lose(new Error('the thread that writes files has ended')));
  return {
    write: (batch) =>
      new Promise((resolve, reject) => {
        if (lost !== null) return reject(lost);
        waiting.push({ resolve, reject });
        thread.ref();
        thread.postMessage(batch, [batch.bytes.buffer]);
      }),
    async close() {
      await thread.terminate();
    },
  };
}
