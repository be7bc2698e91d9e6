/** Registries of any size for measuring: real records, files and messages, put into git by fast-import. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyAll } from '../src/domain/registry/apply.ts';
import { type FileChange, planCommit } from '../src/domain/registry/commit.ts';
import type { RegistryOp } from '../src/domain/registry/ops.ts';
import type { RegistryState } from '../src/domain/registry/state.ts';
import { empty, NOW, recordOf, register, settle, sha256 } from '../test/domain/registry/record-maker.ts';

const MINUTE_MS = 60_000;

export type Bare = { readonly root: string; readonly folder: string };

export function git(folder: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
  };
  return execFileSync('git', args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

export function newBare(): Bare {
  const root = mkdtempSync(join(tmpdir(), 'podtrack-bench-registry-'));
  const folder = join(root, 'registry.git');
  git(root, 'init', '--quiet', '--bare', folder);
  git(folder, 'config', 'http.receivepack', 'true');
  return { root, folder };
}

const podName = (index: number): string => `pod${String(index).padStart(10, '0')}`;

/** One commit at a time, as the store would write it; what was written is kept for the next. */
class Writer {
  state: RegistryState = empty();
  readonly #texts = new Map<string, string>();
  readonly #import;
  constructor(folder: string) {
    const args = ['fast-import', '--quiet', '--date-format=raw', '--done'];
    this.#import = spawn('git', args, { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  }

  async write(ops: readonly RegistryOp[], at: number): Promise<void> {
    const { state: after, events } = applyAll(this.state, ops);
    if (events.length !== ops.length) throw new Error('an op of the bench was not applied');
    const textOf = (path: string): string | null => this.#texts.get(path) ?? null;
    const planned = planCommit({ before: this.state, after, events, now: at, textOf, sha256 });
    this.state = planned.state;
    for (const { path, text } of planned.files) this.#texts.set(path, text ?? '');
    await this.commit(planned.message, planned.files, at);
  }

  async commit(message: string, files: readonly FileChange[], at: number): Promise<void> {
    const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const changed = files.map(({ path, text }) => `M 100644 inline ${path}\n${data(text ?? '')}`);
    const head = `commit refs/heads/podtrack\ncommitter podtrack <podtrack@localhost> ${Math.floor(at / 1000)} +0000\n`;
    const isRoom = this.#import.stdin.write(`${head}${data(message)}${changed.join('')}\n`);
    if (!isRoom) await once(this.#import.stdin, 'drain');
  }

  async end(): Promise<void> {
    this.#import.stdin.end('done\n');
    await once(this.#import, 'close');
  }
}

/** `records` pods by one commit, then `commits` of one changed verdict each, a pod at a time. */
export async function filled(folder: string, records: number, commits: number): Promise<void> {
  const writer = new Writer(folder);
  const ops = Array.from({ length: records }, (_, index) =>
    register(podName(index), { record: recordOf(podName(index)) }),
  );
  await writer.write(ops, NOW);
  for (let index = 0; index < commits; index += 1) {
    const at = NOW + (index + 1) * 5 * MINUTE_MS;
    await writer.write(
      [verdictOf(podName((index * 7919) % records), index + Math.floor(index / records), at)],
      at,
    );
  }
  await writer.end();
}

/** As filled, but with a history of commits that change next to nothing: only its length counts. */
export async function withLongHistory(folder: string, records: number, commits: number): Promise<void> {
  const writer = new Writer(folder);
  const ops = Array.from({ length: records }, (_, index) =>
    register(podName(index), { record: recordOf(podName(index)) }),
  );
  await writer.write(ops, NOW);
  for (let index = 0; index < commits; index += 1) {
    const text = `${index}\n`;
    await writer.commit(`note ${index}\n`, [{ path: 'filler', text }], NOW + index * 1000);
  }
  await writer.end();
}

/** A verdict with the basis that a busy or idle pod has. */
function verdictOf(pod: string, index: number, at: number): RegistryOp {
  const busy = index % 2 === 0;
  const util = busy ? 97 : 0;
  const basis = {
    rev: 1 + index,
    provider: {
      is: 'present',
      status: 'RUNNING',
      createdAt: '2026-03-03T10:55:00Z',
      startedAt: '2026-03-03T10:56:00Z',
      gpus: 1,
      telemetry: { gpus: [[util, util]], uptimeMs: 3_540_000 },
    },
    visit: { gpu: [[[util, 21_000 + (index % 999)]]], heartbeat: 'absent', sshSessions: 0, switch: 'armed' },
    ...(busy
      ? {}
      : {
          sightings: { idle: { count: 1, firstAt: '2026-03-03T11:55:00Z', lastAt: '2026-03-03T11:55:00Z' } },
        }),
  };
  const evidence = busy
    ? {}
    : { strikes: 1, needed: 3, sinceMs: 0, windowMs: 900_000, samples: 1, residentMemoryMib: 21_000 };
  // A pod's turns are odd and even by turns: each verdict differs from the one before.
  const reason = `${busy ? 'gpu-busy' : 'idle-counting'}`;
  return settle(pod, {
    at,
    verdict: { at, kind: 'keep', reason, evidence, basis },
    note: index % 10 === 0 ? `seen ${index}` : null,
  });
}

/** Bytes of the object store after a full repack. */
export function packedBytes(folder: string): number {
  git(folder, 'repack', '-a', '-d', '-f', '-q');
  const packs = join(folder, 'objects', 'pack');
  return readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
}
