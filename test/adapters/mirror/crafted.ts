/** A pod that answers whatever a test wrote by hand: file lists and tar streams that no honest machine sends. */
import { createHash } from 'node:crypto';
import { answerFailure } from '../../../src/adapters/ssh/failures.ts';
import type { RemoteStream, StreamingSession } from '../../../src/adapters/ssh/stream.ts';

export type Listed = {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly onDisk?: number;
};

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A file as an honest list would have it. */
export function listed(path: string, content: string | Buffer): Listed {
  return { path, size: Buffer.byteLength(content), sha256: sha256(content) };
}

/** The answer of the listing script. `-` and `hollow` may stand for a digest. */
export function listing(
  files: readonly Listed[],
  links: readonly (readonly [string, string])[] = [],
): Buffer {
  const fields: string[] = [];
  if (files.length > 0) {
    fields.push('B', String(files.length), ...files.map((file) => `./${file.path}`));
    fields.push(
      files.map((file) => `${file.size} ${Math.ceil((file.onDisk ?? file.size) / 512)} 512`).join('\n'),
    );
    fields.push(files.map((file) => `${file.sha256}  x`.replace(/^(-|hollow|gone) .*/, '$1')).join('\n'));
  }
  for (const [path, target] of links) fields.push('L', `./${path}`, target);
  fields.push('E', '0');
  return Buffer.from(fields.map((field) => `${field}\0`).join(''), 'utf8');
}

/** Names and sizes as a pod announces them before it reads its files; a third number = blocks on its disk. */
export function announced(files: readonly (readonly [string, number, number?])[]): Buffer {
  const names = files.map(([path]) => `./${path}`);
  const sizes = files.map(([, size, blocks = Math.ceil(size / 512)]) => `${size} ${blocks} 512`);
  const fields = ['A', String(files.length), ...names, sizes.join('\n'), 'N'];
  return Buffer.from(fields.map((field) => `${field}\0`).join(''));
}

export type Member = {
  readonly name: string;
  /** Type flag of the tar head: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 folder, 6 FIFO. */
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly target?: string;
  readonly mode?: number;
  /** What the head claims, where it is not the content's length. */
  readonly claims?: number;
};

function head(member: Member, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(member.name, 0, 100);
  block.write((member.mode ?? 0o644).toString(8).padStart(7, '0'), 100);
  block.write('0000000', 108);
  block.write('0000000', 116);
  block.write(size.toString(8).padStart(11, '0'), 124);
  block.write('00000000000', 136);
  block.fill(' ', 148, 156);
  block.write(member.type ?? '0', 156);
  block.write(member.target ?? '', 157, 100);
  block.write('ustar\0', 257);
  block.write('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A tar archive byte by byte: no library would write these. */
export function tar(members: readonly Member[]): Buffer {
  const parts = members.map((member) => {
    const content = Buffer.from(member.content ?? '');
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return Buffer.concat([head(member, member.claims ?? content.length), content, padding]);
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

/** Answers in their order; the last one is repeated. A stream may also be a generator that never ends. */
export type Answers = {
  readonly listings: Buffer[];
  readonly tars: (Buffer | (() => AsyncIterable<Buffer>))[];
  /** The whole tree, sent unasked; left out = no second channel opens. */
  readonly whole?: Buffer | (() => AsyncIterable<Buffer>);
};

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

function next<T>(answers: T[]): T {
  const [first] = answers;
  if (first === undefined) throw new Error('the test has no answer left');
  if (answers.length > 1) answers.shift();
  return first;
}

const noChannel = (): Error =>
  answerFailure('held-shut', 'pod-1', { tried: 'Run', cameBack: 'no channel was opened' });

/** `asked` collects what was asked of the pod: names of streams, and what went over stdin; `cancelled` what nobody reads. */
export function craftedSession(answers: Answers): StreamingSession & {
  readonly asked: string[];
  readonly cancelled: string[];
} {
  const asked: string[] = [];
  const cancelled: string[] = [];
  return {
    asked,
    cancelled,
    podId: 'pod-1',
    hostKey: 'SHA256:crafted',
    run: () => Promise.reject(new Error('no scripts here')),
    close: async () => undefined,
    async stream(call): Promise<RemoteStream> {
      const isWhole = call.what.startsWith('the whole tree');
      const whole = answers.whole ?? Buffer.alloc(0);
      if (isWhole && answers.whole === undefined) throw noChannel();
      const isTar = call.what.startsWith('tar');
      if (isWhole) asked.push('whole');
      else asked.push(isTar ? Buffer.from(call.stdin).toString('utf8').replaceAll('\0', '|') : 'look');
      const answer = isWhole ? whole : isTar ? next(answers.tars) : next(answers.listings);
      return {
        chunks: typeof answer === 'function' ? answer() : inChunks(answer),
        over: Promise.resolve(),
        end: async () => ({ exitCode: 0, stderr: '' }),
        cancel: () => void cancelled.push(isWhole ? 'whole' : call.what),
      };
    },
  };
}
