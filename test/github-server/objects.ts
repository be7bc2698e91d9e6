/** Objects of a bare repository: read through one `git cat-file --batch`, written as loose files. */
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { gitEnvironment } from './run-git.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit';
export type StoredObject = { readonly oid: string; readonly kind: ObjectKind; readonly body: Buffer };

export type Objects = {
  /** By oid, ref or revision; null = there is none. */
  read(name: string): Promise<StoredObject | null>;
  write(kind: ObjectKind, body: Buffer): string;
  close(): Promise<void>;
};

function writeLoose(folder: string, kind: ObjectKind, body: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]);
  const oid = createHash('sha1').update(whole).digest('hex');
  const path = join(folder, 'objects', oid.slice(0, 2), oid.slice(2));
  if (existsSync(path)) return oid;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, deflateSync(whole));
  renameSync(draft, path);
  return oid;
}

type Answered = { readonly object: StoredObject | null; readonly rest: Buffer };

/** The first whole answer in `bytes`; null = more has to come. */
function takeAnswer(bytes: Buffer): Answered | null {
  const end = bytes.indexOf(10);
  if (end < 0) return null;
  const [oid = '', kind = '', size = ''] = bytes.subarray(0, end).toString('utf8').split(' ');
  if (kind !== 'blob' && kind !== 'tree' && kind !== 'commit')
    return { object: null, rest: bytes.subarray(end + 1) };
  const stop = end + 1 + Number(size);
  if (bytes.length < stop + 1) return null;
  return {
    object: { oid, kind, body: Buffer.from(bytes.subarray(end + 1, stop)) },
    rest: bytes.subarray(stop + 1),
  };
}

export function openObjects(folder: string): Objects {
  const child = spawn('git', ['cat-file', '--batch'], {
    cwd: folder,
    env: { ...gitEnvironment, GIT_DIR: folder },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting: ((object: StoredObject | null) => void)[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    for (let taken = takeAnswer(bytes); taken !== null; taken = takeAnswer(bytes)) {
      bytes = taken.rest;
      waiting.shift()?.(taken.object);
    }
  });
  return {
    read(name) {
      if (name === '' || /[\n ]/.test(name)) return Promise.resolve(null);
      return new Promise((answer) => {
        waiting.push(answer);
        child.stdin.write(`${name}\n`);
      });
    },
    write: (kind, body) => writeLoose(folder, kind, body),
    async close() {
      if (child.exitCode !== null) return;
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
