/** sshMirror on a pod that is honest and on a line that is not always there: everything arrives, or nothing counts. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { nameOf, placeOf } from '../../../src/adapters/ssh/mirror/names.ts';
import { type SshMirrorOptions, sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { ConfigError, WorldError } from '../../../src/domain/errors.ts';
import type { Log, Mirror, ShellSession } from '../../../src/ports.ts';
import { quiet } from '../shell/house.ts';
import type { SshServer } from '../shell/ssh-server.ts';
import { type PodFolder, podFolder, reopened } from './pod-folder.ts';

let pod: PodFolder & { readonly server: SshServer };
/** One connection serves all tests, until one of them breaks it. */
let session: ShellSession;
beforeAll(async () => {
  pod = await podFolder();
  session = pod.session;
});
afterEach(async () => {
  for (const folder of [pod.results, pod.here]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  const faults = Object.keys(pod.server.faults);
  for (const fault of faults) Reflect.deleteProperty(pod.server.faults, fault);
  if (faults.length > 0) {
    pod.server.dropAll();
    await session.close();
    session = await reopened(pod);
  }
});
afterAll(async () => {
  await session.close();
  await pod.close();
});

function mirror(more: Partial<SshMirrorOptions> = {}): Mirror {
  return sshMirror({ root: pod.here, clock: systemClock(), log: quiet, ...more });
}

const pull = (more: Partial<SshMirrorOptions> = {}) => mirror(more).pull(session, pod.spec());

async function errorOf(work: Promise<unknown>): Promise<WorldError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof WorldError) return error;
  throw new Error('no WorldError', { cause: error });
}

/** A tree as text, comparable: names, contents and link targets. */
function shape(folder: string): string[] {
  const tree = localTree(folder);
  const files = [...tree.files.keys()].map(
    (name) => `${name}=${readFileSync(placeOf(folder, name), 'base64')}`,
  );
  return [...files, ...[...tree.links].map(([name, target]) => `${name}->${target}`)].sort();
}

const place = (): string => join(pod.here, 'results');
const side = (): string => join(pod.here, '.podtrack-results');

describe('names', () => {
  it('of everyday oddness arrive bit for bit, and both forms of an accent stay two files (case C35)', async () => {
    const names = [
      'epoch 10/loss curve.png',
      'Überblick.csv',
      'caf\u00e9.txt',
      'cafe\u0301.txt',
      'run 12:30:05.log',
      'what?.txt',
      '.cache/state.bin',
      '100%.json',
      `${'a'.repeat(200)}.txt`,
      '日本語/モデル.pt',
    ];
    pod.lay(Object.fromEntries(names.map((name, index) => [name, `content ${index}`])));
    const pulled = await pull();
    expect(pulled.refused).toEqual([]);
    expect(pulled.remote.files.map((file) => file.path).sort()).toEqual(names.sort());
    expect(shape(place())).toEqual(shape(pod.results));
  });

  it('that break naive scripts arrive: newline, dash, backslash, quotes, CR, glob, dollar (case C35)', async () => {
    const names = [
      'new\nline',
      '\n',
      '-rf',
      '--checkpoint-action=exec=sh',
      'back\\slash',
      '\\n',
      "it's",
      '"q"',
      'cr\r',
      '*',
      '$(id)',
      ' ',
      '0'.repeat(64),
    ];
    pod.lay(Object.fromEntries(names.map((name, index) => [`d/${name}`, `content ${index}`])));
    pod.lay(Object.fromEntries(names.map((name, index) => [name, `top ${index}`])));
    expect((await pull()).refused).toEqual([]);
    expect(shape(place())).toEqual(shape(pod.results));
  });

  it('that are no UTF-8 arrive as the bytes they are (case C35)', async () => {
    const name = Buffer.from([0x66, 0xff, 0x6f, 0xc3, 0x28]);
    writeFileSync(Buffer.concat([Buffer.from(`${pod.results}/`), name]), 'latin');
    pod.lay({ 'f\ufffdo': 'a replacement character that is really there' });
    const pulled = await pull();
    expect(pulled.remote.files.map((file) => file.path)).toContain(nameOf(name));
    expect(readdirSync(place(), { encoding: 'buffer' })).toContainEqual(name);
    expect((await pull()).digest).toBe(pulled.digest);
  });

  it('longer than a tar head has room for arrive (case C35)', async () => {
    const deep = `${'d'.repeat(120)}/${'e'.repeat(120)}/${'f'.repeat(200)}`;
    pod.lay({ [deep]: 'deep' });
    await pull();
    expect(readFileSync(join(place(), deep), 'utf8')).toBe('deep');
  });
});

describe('what travels', () => {
  it('is a thousand small files the first time, and nothing the second time', async () => {
    pod.lay(
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s/${index % 7}/${index}`, `${index}`])),
    );
    expect((await pull()).files).toBe(1000);
    const reported: number[] = [];
    const onProgress = (done: number): void => void reported.push(done);
    expect((await mirror().pull(session, pod.spec({ onProgress }))).files).toBe(1000);
    expect(reported).toEqual([]);
  });

  it('is only what changed, and the rest shares its disk blocks with the copy before', async () => {
    pod.lay({ stays: 'x'.repeat(300_000), changes: 'y'.repeat(1000) });
    await pull();
    const inode = statSync(join(place(), 'stays')).ino;
    pod.lay({ changes: 'z'.repeat(2000) });
    const totals = new Set<number>();
    await mirror().pull(session, pod.spec({ onProgress: (_, total) => void totals.add(total) }));
    expect([...totals]).toEqual([2000]);
    expect(statSync(join(place(), 'stays')).ino).toBe(inode);
    expect(shape(place())).toEqual(shape(pod.results));
  });

  it('comes again where the copy here was spoiled, though its size is the same (case C33)', async () => {
    pod.lay({ a: 'good' });
    await pull();
    writeFileSync(join(place(), 'a'), 'evil');
    await pull();
    expect(readFileSync(join(place(), 'a'), 'utf8')).toBe('good');
  });

  it('is one file where the remote path is one, also below HOME', async () => {
    pod.lay({ 'only.bin': 'one', 'other.bin': 'two' });
    const one = await mirror().pull(session, pod.spec({ remotePath: '/workspace/results/only.bin' }));
    expect(one.remote.files.map((file) => file.path)).toEqual(['only.bin']);
    const home = `${basename(pod.root)}/workspace/results`;
    for (const remotePath of [home, `~/${home}`]) {
      const found = await mirror().manifest(session, pod.spec({ remotePath }));
      expect(found.files.map((file) => file.path).sort()).toEqual(['only.bin', 'other.bin']);
    }
  });

  it('keeps holes as holes (case C38)', async () => {
    pod.lay({ 'sparse.img': 'head' });
    truncateSync(join(pod.results, 'sparse.img'), 16 * 1024 * 1024);
    await pull({ freeBytes: () => 8 * 1024 * 1024, reserveBytes: 0 });
    const copy = statSync(join(place(), 'sparse.img'));
    expect(copy.size).toBe(16 * 1024 * 1024);
    expect(copy.blocks * 512).toBeLessThan(4 * 1024 * 1024);
  });

  it('leaves a giant of holes out by name, without reading it (case C38)', async () => {
    pod.lay({ 'scratch.img': 'x', 'loss.csv': '1' });
    truncateSync(join(pod.results, 'scratch.img'), 1_000_000_000_000);
    const pulled = await pull();
    expect(pulled.files).toBe(1);
    expect(pulled.refused).toEqual([
      { path: 'scratch.img', reason: expect.stringContaining('1000000000000 bytes') },
    ]);
  });

  it('brings hard links as files of their own', async () => {
    pod.lay({ first: 'same' });
    linkSync(join(pod.results, 'first'), join(pod.results, 'second'));
    const pulled = await pull();
    expect([pulled.files, pulled.refused]).toEqual([2, []]);
    expect(shape(place())).toEqual(['first=c2FtZQ==', 'second=c2FtZQ==']);
  });
});

describe('links and things that are no files', () => {
  it('inside links survive, others are told or refused, a FIFO hangs nothing, a loop ends (case C37)', async () => {
    pod.lay({ 'epoch_9/w': 'w', ok: 'ok' });
    pod.link('latest', 'epoch_9');
    pod.link('loop', '.');
    pod.link('dangling', 'not-yet');
    pod.link('data', '/workspace/datasets');
    pod.link('through', 'data/x');
    pod.link('out', '../../../tmp');
    execFileSync('mkfifo', [join(pod.results, 'pipe')]);
    const said: string[] = [];
    const log: Log = { ...quiet, say: (level, line) => void said.push(`${level}: ${line}`) };
    const pulled = await pull({ log });
    expect([...localTree(pulled.place).links.keys()].sort()).toEqual(['dangling', 'latest', 'loop']);
    expect(pulled.refused).toEqual([{ path: 'out', reason: 'a link that leads out of the target' }]);
    expect(pulled.remote.others).toEqual(['pipe']);
    expect(pulled.remote.links.map((link) => link.path).sort()).toHaveLength(6);
    expect(said.join()).toMatch(/notice: .*2 link\(s\).*data → \/workspace\/datasets/);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'a device that never ends is told, opened by nobody and made nowhere',
    async () => {
      pod.lay({ ok: 'ok' });
      execFileSync('mknod', [join(pod.results, 'zero'), 'c', '1', '5']);
      execFileSync('mknod', [join(pod.results, 'disk'), 'b', '7', '250']);
      const pulled = await pull();
      expect(pulled.remote.others.toSorted()).toEqual(['disk', 'zero']);
      expect([pulled.files, pulled.bytes]).toEqual([1, 2]);
      expect(shape(place())).toEqual(['ok=b2s=']);
    },
  );

  it('set-user-id files come without it (case C37)', async () => {
    pod.lay({ tool: '#!/bin/sh\n' });
    chmodSync(join(pod.results, 'tool'), 0o4755);
    await pull();
    expect(lstatSync(join(place(), 'tool')).mode & 0o7777).toBe(0o755);
  });
});

describe('a line that breaks', () => {
  const big = (letter: string): Buffer => Buffer.alloc(400_000, letter);

  it('at any point leaves the old copy as it was, and the next pull ends in the same tree (case C33)', async () => {
    pod.lay({ old: 'old' });
    await pull();
    const before = shape(place());
    pod.lay({ old: 'new', 'model.pt': big('m'), log: big('l'), small: 's' });
    for (const cut of [1, 200, 700, 5_000, 100_000, 401_000, 500_000, 800_000]) {
      pod.server.faults.cutAfterBytes = cut;
      const line = await reopened(pod);
      expect([cut, (await errorOf(mirror().pull(line, pod.spec()))).failure]).toEqual([
        cut,
        'incomplete-answer',
      ]);
      expect(shape(place())).toEqual(before);
      // Else a later cut would never be reached.
      rmSync(join(side(), 'unverified'), { recursive: true, force: true });
      await line.close();
    }
    pod.server.faults.cutAfterBytes = Number.POSITIVE_INFINITY;
    const line = await reopened(pod);
    const pulled = await mirror().pull(line, pod.spec());
    expect(shape(pulled.place)).toEqual(shape(pod.results));
    expect(readdirSync(side())).toEqual(['manifest.json']);
    await line.close();
  });

  it('keeps what came whole under "unverified", says where, and does not fetch it again (case C33)', async () => {
    // More than may be under way before the pod has said what it holds.
    const size = 4_000_000;
    pod.lay({ a: Buffer.alloc(size, 'a'), b: Buffer.alloc(size, 'b'), c: Buffer.alloc(size, 'c') });
    pod.server.faults.cutAfterBytes = 2.5 * size;
    const error = await errorOf(pull());
    expect(error.message).toContain(join(side(), 'unverified'));
    expect(error.leftAt).toBe(join(side(), 'unverified'));
    const whole = [...localTree(join(side(), 'unverified')).files];
    expect(whole.length).toBeGreaterThan(0);
    expect(whole.every(([, length]) => length === size)).toBe(true);
    expect(existsSync(place())).toBe(false);
    pod.server.faults.cutAfterBytes = Number.POSITIVE_INFINITY;
    const line = await reopened(pod);
    const totals = new Set<number>();
    await mirror().pull(line, pod.spec({ onProgress: (_, total) => void totals.add(total) }));
    expect([...totals]).toEqual([(3 - whole.length) * size]);
    await line.close();
  });

  it('does not trust half a file of an earlier try, though name and size are right (case C33)', async () => {
    pod.lay({ a: 'whole' });
    mkdirSync(join(side(), 'unverified'), { recursive: true });
    writeFileSync(join(side(), 'unverified', 'a'), 'wh\0\0\0');
    await pull();
    expect(readFileSync(join(place(), 'a'), 'utf8')).toBe('whole');
  });

  it('is noticed by its silence, and the stalled pull ends with what it has (case C33)', async () => {
    pod.lay({ a: big('a'), b: big('b') });
    pod.server.faults.freezeAfterBytes = 450_000;
    const error = await errorOf(pull({ silenceMs: 300 }));
    expect(error.failure).toBe('timed-out');
    expect(error.message).toContain('no byte came');
    expect(existsSync(place())).toBe(false);
  });

  it('ends with the budget where a pod never stops looking', async () => {
    pod.lay({ a: 'a' });
    pod.server.faults.freezeAfterBytes = 0;
    const error = await errorOf(mirror().pull(session, pod.spec({ budgetMs: 300 })));
    expect(error.failure).toBe('timed-out');
    expect((await errorOf(mirror().manifest(session, pod.spec({ budgetMs: 300 })))).failure).toBe(
      'timed-out',
    );
  });
});

describe('a disk here that is too small', () => {
  it('is found out before anything is pulled, with the numbers (case C38)', async () => {
    pod.lay({ 'ckpt.pt': Buffer.alloc(4_200_000), 'more.bin': Buffer.alloc(7_000_000) });
    const error = await errorOf(pull({ freeBytes: () => 9_000_000, reserveBytes: 1_000_000 }));
    expect(error.failure).toBe('no-space');
    expect(error.message).toMatch(
      /11\.2 MB are to come and 9\.0 MB are free.*1\.0 MB stay reserved.*more\.bin 7\.0 MB/,
    );
    expect(readdirSync(side())).toEqual([]);
    expect(existsSync(place())).toBe(false);
  });

  it('is no reason where only little changed (case C38)', async () => {
    pod.lay({ 'ckpt.pt': Buffer.alloc(4_200_000) });
    await pull();
    pod.lay({ note: 'x' });
    expect((await pull({ freeBytes: () => 10_000, reserveBytes: 0 })).files).toBe(2);
  });
});

describe('what lay here before', () => {
  it('and was not ours is set aside, never deleted', async () => {
    mkdirSync(place());
    writeFileSync(join(place(), 'thesis.tex'), 'mine');
    pod.lay({ a: 'a' });
    await pull();
    writeFileSync(join(place(), 'notes.txt'), 'mine too');
    pod.lay({ a: 'b' });
    await pull();
    const kept = readdirSync(side()).filter((name) => name.startsWith('kept-'));
    expect(kept.flatMap((name) => readdirSync(join(side(), name))).sort()).toEqual([
      'a',
      'notes.txt',
      'thesis.tex',
    ]);
    expect(readdirSync(place())).toEqual(['a']);
  });

  it('stays, and is no proof, when the pod holds nothing any more (case C33)', async () => {
    pod.lay({ a: 'a' });
    await pull();
    pod.remove('a');
    expect((await pull()).files).toBe(0);
    expect(readdirSync(place())).toEqual(['a']);
  });

  it('is kept beside when it was fuller (case C33)', async () => {
    pod.lay({ a: 'a', b: 'b', c: 'c' });
    await pull();
    pod.remove('b');
    pod.remove('c');
    await pull();
    pod.lay({ a: 'a2' });
    await pull();
    expect(readdirSync(place())).toEqual(['a']);
    expect(readdirSync(join(side(), 'previous')).sort()).toEqual(['a', 'b', 'c']);
  });

  it('is put back when a process died between the two renames', async () => {
    pod.lay({ a: 'a' });
    await pull();
    execFileSync('mv', [place(), join(side(), 'old-0123456789ab')]);
    await pull();
    expect(readdirSync(place())).toEqual(['a']);
    expect(readdirSync(side())).toEqual(['manifest.json']);
  });

  it('of a process that is gone is used again, of one that lives is left alone', async () => {
    pod.lay({ a: 'content of a', b: 'b' });
    await errorOf(pull({ freeBytes: () => 0 }));
    const [, host] = /incoming-([0-9a-f]+)-/.exec(await incomingName()) ?? [];
    const living = join(side(), `incoming-${host}-${process.pid}-0123456789ab`);
    const gone = join(side(), `incoming-${host}-${deadPid()}-0123456789ab`);
    for (const folder of [living, gone]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(gone, 'a'), 'content of a');
    const totals = new Set<number>();
    await mirror().pull(session, pod.spec({ onProgress: (_, total) => void totals.add(total) }));
    expect([...totals]).toEqual([1]);
    expect(readdirSync(side()).sort()).toEqual([basename(living), 'manifest.json']);
  });
});

/** The name of a folder under work, caught while a pull runs. */
async function incomingName(): Promise<string> {
  let name = '';
  await errorOf(
    pull({
      freeBytes: (folder) => {
        name = basename(folder);
        return 0;
      },
    }),
  );
  return name;
}

/** A process id that was alive a moment ago. */
function deadPid(): number {
  return Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
}

describe('places that cannot be', () => {
  it.each([
    ['the root of the disk', '/'],
    ['the folder that the job runs in', '.'],
    ['a folder above it', '..'],
    ['a mount point', '/proc'],
    ['a file', '/etc/passwd'],
  ])('%s is refused before the pod is asked', async (_, localPath) => {
    await expect(mirror().pull(session, pod.spec({ localPath }))).rejects.toThrow(ConfigError);
  });

  it.each(['../other', '.', 'a/b', '', '.ssh', 'x'.repeat(200)])(
    'a pod id %j never names a folder',
    async (podId) => {
      const spec = pod.spec({ podId, localPath: null });
      await expect(mirror().pull(session, spec)).rejects.toThrow(ConfigError);
    },
  );

  it('a pod without a folder of the caller lies below the root by its id', async () => {
    pod.lay({ a: 'a' });
    const pulled = await mirror().pull(session, pod.spec({ localPath: null }));
    expect(pulled.place).toBe(join(pod.here, 'pod-1'));
  });

  it('a folder that is a link is where the link leads', async () => {
    pod.lay({ a: 'a' });
    mkdirSync(join(pod.here, 'big-disk', 'results'), { recursive: true });
    symlinkSync(join(pod.here, 'big-disk', 'results'), place());
    expect((await pull()).place).toBe(join(pod.here, 'big-disk', 'results'));
    expect(lstatSync(place()).isSymbolicLink()).toBe(true);
  });
});

describe('two pulls into one place at once', () => {
  it('end in one whole copy', async () => {
    pod.lay(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, `${index}`])));
    const pulls = await Promise.all([pull(), pull(), pull()]);
    expect(new Set(pulls.map((pulled) => pulled.digest)).size).toBe(1);
    expect(shape(place())).toEqual(shape(pod.results));
    expect(readdirSync(side()).filter((name) => name.startsWith('incoming-'))).toEqual([]);
  });
});
