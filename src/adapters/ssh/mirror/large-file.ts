/** Writes one long file while it comes: hashed here, written behind the reader's back, a few blocks at a time. */
import { createHash } from 'node:crypto';
import { ftruncateSync, writev } from 'node:fs';
import { promisify } from 'node:util';
import type { FileHead } from './small-files.ts';

const BLOCK_BYTES = 1024 * 1024;
/** Blocks that may be on their way to the disk at once. */
const MOST_UNDER_WAY = 4;
const ZEROS = Buffer.alloc(64 * 1024);
const writeBlocks = promisify(writev);

function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const part = bytes.subarray(at, at + ZEROS.length);
    if (ZEROS.compare(part, 0, part.length, 0, part.length) !== 0) return false;
  }
  return true;
}

async function writeWhole(descriptor: number, chunks: readonly Uint8Array[], at: number): Promise<void> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  let { bytesWritten: done } = await writeBlocks(descriptor, chunks, at);
  // A disk that takes less than it was given says why when it is asked for the rest.
  while (done < total) {
    const rest = Buffer.concat(chunks).subarray(done);
    const { bytesWritten } = await writeBlocks(descriptor, [rest], at + done);
    done += bytesWritten;
  }
}

/** Blocks under way to one file; the first failure is the word of all. */
function behind(descriptor: number) {
  const underWay = new Set<Promise<void>>();
  let fault: unknown = null;
  return {
    async write(chunks: readonly Uint8Array[], at: number): Promise<void> {
      const writing = writeWhole(descriptor, chunks, at)
        .catch((error: unknown) => {
          fault ??= error;
        })
        .finally(() => underWay.delete(writing));
      underWay.add(writing);
      if (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
      if (fault !== null) throw fault;
    },
    /** Nothing touches the file any more when this is over. */
    async end(): Promise<void> {
      await Promise.all(underWay);
      if (fault !== null) throw fault;
    },
  };
}

/** Returns length and digest of what came; whether that is what was announced is the caller's question. */
export async function fill(
  descriptor: number,
  head: FileHead,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  const disk = behind(descriptor);
  let block: Uint8Array[] = [];
  let blockAt = 0;
  let at = 0;
  const flush = async (): Promise<void> => {
    const full = block;
    block = [];
    if (full.length > 0) await disk.write(full, blockAt);
    blockAt = at;
  };
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      const hole = head.sparse && isZero(chunk);
      if (hole) await flush();
      else block.push(chunk);
      at += chunk.length;
      if (hole) blockAt = at;
      else if (at - blockAt >= BLOCK_BYTES) await flush();
    }
    await flush();
  } finally {
    await disk.end();
  }
  if (head.sparse) ftruncateSync(descriptor, at);
  return { size: at, sha256: hash.digest('hex') };
}
