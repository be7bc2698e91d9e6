/** Small files on their way to the disk: gathered into batches, written behind the reader's back, accounted for at the end. */
import { type FileHead, type SmallFile, type Writer, writeHere, writerThread } from './small-files.ts';

/** Most that one batch holds; what is under way in all stays below a few of them. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_FILES = 256;
const MOST_UNDER_WAY = 8;

export type Queue = {
  /** From how many files on a thread is worth its start. */
  expect(files: number): void;
  add(name: string, place: string | Buffer, head: FileHead, parts: readonly Uint8Array[]): void;
  /** Null while there is room; else resolves when there is again. */
  room(): Promise<void> | null;
  /** Writes what is left and waits for all of it. Throws what the disk said. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

export type Settled = {
  readonly written: (name: string) => void;
  /** Something else already lies under this name. */
  readonly collided: (name: string) => void;
};

const COLLIDING = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP']);
const WORTH_A_THREAD = 500;

type Draft = {
  readonly names: string[];
  readonly files: SmallFile[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  filled: number;
};

/** Not cleared: only what was filled in is written. Of its own memory, because it is handed over to the thread. */
const freshBytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.allocUnsafeSlow(BATCH_BYTES).buffer);

const freshDraft = (): Draft => ({ names: [], files: [], bytes: freshBytes(), filled: 0 });

type Named = { readonly name: string; readonly place: string | Buffer; readonly head: FileHead };

function append(draft: Draft, { name, place, head }: Named, parts: readonly Uint8Array[]): void {
  const at = draft.filled;
  for (const part of parts) {
    draft.bytes.set(part, draft.filled);
    draft.filled += part.length;
  }
  draft.names.push(name);
  const { mode, modifiedAt, size } = head;
  draft.files.push({ place, mode, modifiedS: modifiedAt / 1000, at, length: size });
}

/** Hands one batch over and accounts for each file of it. Throws the first fault of the disk. */
async function send(writer: Writer, { names, files, bytes }: Draft, settled: Settled): Promise<void> {
  const failed = new Map((await writer.write({ files, bytes })).map((each) => [each.index, each]));
  let fault: Error | null = null;
  for (const [index, name] of names.entries()) {
    const { code, message } = failed.get(index) ?? {};
    if (message === undefined) settled.written(name);
    else if (code !== undefined && COLLIDING.has(code)) settled.collided(name);
    else fault ??= Object.assign(new Error(message), { code });
  }
  if (fault !== null) throw fault;
}

export function queueOf(settled: Settled): Queue {
  let writer: Writer = writeHere;
  let draft = freshDraft();
  let fault: unknown = null;
  const underWay = new Set<Promise<void>>();
  const flush = (): void => {
    if (draft.files.length === 0) return;
    const sending = send(writer, draft, settled)
      .catch((error: unknown) => {
        fault ??= error;
      })
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
    draft = freshDraft();
  };

  return {
    expect(count) {
      if (count >= WORTH_A_THREAD && writer === writeHere) writer = writerThread();
    },
    add(name, place, head, parts) {
      if (draft.filled + head.size > BATCH_BYTES || draft.files.length >= BATCH_FILES) flush();
      append(draft, { name, place, head }, parts);
    },
    room: () => (underWay.size < MOST_UNDER_WAY ? null : Promise.race(underWay)),
    async settle() {
      flush();
      await Promise.all(underWay);
      if (fault !== null) throw fault;
    },
    close: () => writer.close(),
  };
}
