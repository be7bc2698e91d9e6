/** Our mirror beside system rsync over ssh, on the same sshd in the same run, each until a SHA-256 manifest is verified. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keyPair } from '../test/adapters/shell/keys.ts';
import { openSshd } from '../test/adapters/shell/open-sshd.ts';
import { runChild, startChild } from './child.ts';
import { median, megabytes, seconds, table, times } from './figures.ts';
import type { MirrorLimits, MirrorResult } from './messages.ts';

const run = promisify(execFile);
const REMOTE_PATH = '/results';
const BIG_BYTES = 512 * 1024 ** 2;
const SMALL_FILES = 10_000;
const FAR_MS = 30;
/** How often each side does each job. */
const TURNS = 5;

type Ground = {
  readonly base: string;
  readonly key: string;
  readonly privateText: string;
  readonly username: string;
};
type Way = { readonly name: string; readonly port: number; readonly roundTripMs: number };

export type MirrorRow = {
  readonly what: string;
  readonly roundTripMs: number;
  /** Of each turn, in order. */
  readonly oursMs: readonly number[];
  readonly rsyncMs: readonly number[];
  /** Of the medians. */
  readonly ratio: number;
  /** The same, had rsync's side digested with the fastest tool that is there. */
  readonly ratioFastest: number;
  /** The ratio that was asked for. */
  readonly wanted: number;
  /** What was measured beside it and bounds us. */
  readonly limit: string;
};

export type MirrorFigures = {
  readonly rows: readonly MirrorRow[];
  readonly limits: readonly (MirrorLimits & { readonly roundTripMs: number })[];
};

function layBig(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (let done = 0; done < BIG_BYTES; done += 2 ** 24)
    appendFileSync(join(folder, 'model.bin'), randomBytes(2 ** 24));
}

function laySmall(folder: string): void {
  for (let index = 0; index < SMALL_FILES; index += 1) {
    const part = join(folder, `epoch-${index % 100}`);
    mkdirSync(part, { recursive: true });
    writeFileSync(join(part, `sample-${index}.json`), `{"n":${index},"pad":"${'x'.repeat(index % 2000)}"}\n`);
  }
}

/** `find | sort | sha256sum`, as a person would do it on both sides. */
const digestBy = (tool: string): string => `find . -type f -print0 | sort -z | xargs -0 ${tool}`;
/** What our side asks the pod for where it is there; unlike coreutils it uses the SHA-256 of the CPU. */
const FASTEST = 'openssl dgst -sha256 -r';

type RsyncResult = {
  readonly wallMs: number;
  /** Had the fastest tool digested both sides. */
  readonly fastestMs: number;
};

async function rsyncOnce(ground: Ground, way: Way, from: string, to: string): Promise<RsyncResult> {
  const ssh = [
    '-p',
    String(way.port),
    '-i',
    ground.key,
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-o',
    'LogLevel=ERROR',
  ];
  const host = `${ground.username}@127.0.0.1`;
  const big = { maxBuffer: 64 * 1024 ** 2 };
  const begunAt = performance.now();
  await run('rsync', ['-a', '-e', `ssh ${ssh.join(' ')}`, `${host}:${from}/`, `${to}/`], big);
  const broughtAt = performance.now();
  const verify = async (tool: string): Promise<number> => {
    const startedAt = performance.now();
    const [there, here] = await Promise.all([
      run('ssh', [...ssh, host, `cd ${from} && ${digestBy(tool)}`], big),
      run('sh', ['-c', `cd ${to} && ${digestBy(tool)}`], big),
    ]);
    if (there.stdout !== here.stdout) throw new Error('rsync brought something else');
    return performance.now() - startedAt;
  };
  const bringMs = broughtAt - begunAt;
  const usualMs = await verify('sha256sum');
  const fastMs = await verify(FASTEST);
  return { wallMs: bringMs + usualMs, fastestMs: bringMs + Math.min(usualMs, fastMs) };
}

const oursOnce = (ground: Ground, way: Way, remotePath: string, localPath: string): Promise<MirrorResult> =>
  runChild<MirrorResult>('mirror-process', {
    port: way.port,
    username: ground.username,
    privateKey: ground.privateText,
    remotePath,
    localPath,
  });

function limitOf({ wallMs, loginMs, cpuMs, listMs, bytes }: MirrorResult, way: Way): string {
  const busy = `login ${seconds(loginMs)}, our process ${Math.round((100 * cpuMs) / wallMs)} % of a core`;
  const list = `list with digests ${seconds(listMs)}`;
  const moving = Math.max(1, wallMs - listMs) / 1000;
  const rate = `${(bytes / 1e6 / moving).toFixed(0)} MB/s behind it`;
  return [
    busy,
    list,
    ...(bytes > 1e8 ? [rate] : []),
    ...(way.roundTripMs > 0 ? [`${way.roundTripMs} ms a round trip`] : []),
  ].join(', ');
}

const limitsOf = (ground: Ground, way: Way): Promise<MirrorLimits> =>
  runChild<MirrorLimits>('mirror-limits-process', {
    port: way.port,
    username: ground.username,
    privateKey: ground.privateText,
    remotePath: `${REMOTE_PATH}/big`,
    localPath: join(ground.base, `limits-${way.name}`),
    smallFiles: SMALL_FILES,
  });

type Job = { readonly what: string; readonly folder: string; readonly fresh: boolean };

async function measure(ground: Ground, way: Way, job: Job, runs: number): Promise<MirrorRow> {
  const ours: MirrorResult[] = [];
  const rsync: RsyncResult[] = [];
  const here = mkdtempSync(join(ground.base, 'here-'));
  // A folder of its own each time and nothing deleted in between: ext4 looks for free inodes much longer after a deletion.
  const to = (who: string, turn: number): string => join(here, `${who}-${job.fresh ? turn : 0}`);
  const bringOurs = (turn: number): Promise<MirrorResult> =>
    oursOnce(ground, way, `${REMOTE_PATH}/${job.folder}`, to('ours', turn));
  const bringRsync = (turn: number): Promise<RsyncResult> =>
    rsyncOnce(ground, way, join(ground.base, 'pod', REMOTE_PATH, job.folder), to('rsync', turn));
  if (!job.fresh) {
    await bringOurs(0);
    await bringRsync(0);
  }
  for (let turn = 0; turn < runs; turn += 1) {
    // By turns, and each begins once, so that a busy moment of the machine meets both.
    const rsyncFirst = turn % 2 === 0;
    if (rsyncFirst) rsync.push(await bringRsync(turn));
    ours.push(await bringOurs(turn));
    if (!rsyncFirst) rsync.push(await bringRsync(turn));
  }
  const oursMs = ours.map(({ wallMs }) => wallMs);
  const rsyncMs = rsync.map(({ wallMs }) => wallMs);
  const ratio = median(rsyncMs) / median(oursMs);
  const ratioFastest = median(rsync.map(({ fastestMs }) => fastestMs)) / median(oursMs);
  const wanted = job === MANY_SMALL && way.roundTripMs > 0 ? 2 : 1;
  const middle = ours.toSorted((left, right) => left.wallMs - right.wallMs)[Math.floor(ours.length / 2)];
  const limit = middle === undefined ? '' : limitOf(middle, way);
  return {
    what: job.what,
    roundTripMs: way.roundTripMs,
    oursMs,
    rsyncMs,
    ratio,
    ratioFastest,
    wanted,
    limit,
  };
}

const MANY_SMALL: Job = { what: '10,000 small files', folder: 'small', fresh: true };
const JOBS: readonly Job[] = [
  { what: '512 MiB in one file', folder: 'big', fresh: true },
  MANY_SMALL,
  { what: '10,000 files, no change', folder: 'small', fresh: false },
];

export async function mirrorFigures(of: {
  quick: boolean;
  /** Of each row's job and way, as 'small files, far'; others are left out. */
  row: string;
  say: (line: string) => void;
}): Promise<MirrorFigures> {
  const base = mkdtempSync(join(tmpdir(), 'podtrack-bench-mirror-'));
  const { publicLine, privateText } = keyPair();
  const key = join(base, 'key');
  writeFileSync(key, privateText, { mode: 0o600 });
  layBig(join(base, 'pod', REMOTE_PATH, 'big'));
  laySmall(join(base, 'pod', REMOTE_PATH, 'small'));
  const sshd = await openSshd(publicLine, { PODTRACK_ROOT: join(base, 'pod') });
  const relay = startChild('relay-process');
  try {
    const { port } = await relay.ask<{ port: number }>({ port: sshd.port, roundTripMs: FAR_MS });
    const ways: Way[] = [
      { name: 'loopback', port: sshd.port, roundTripMs: 0 },
      { name: 'far', port, roundTripMs: FAR_MS },
    ];
    const ground = { base, key, privateText, username: sshd.username };
    const rows: MirrorRow[] = [];
    const limits: MirrorFigures['limits'][number][] = [];
    for (const way of ways) {
      if (!JOBS.some((job) => `${job.what}, ${way.name}`.includes(of.row))) continue;
      of.say(`mirror: what bounds it, ${way.name}`);
      limits.push({ roundTripMs: way.roundTripMs, ...(await limitsOf(ground, way)) });
      for (const job of JOBS) {
        if (!`${job.what}, ${way.name}`.includes(of.row)) continue;
        of.say(`mirror: ${job.what}, ${way.name}`);
        rows.push(await measure(ground, way, job, of.quick ? 1 : TURNS));
      }
    }
    return { rows, limits };
  } finally {
    relay.end();
    await relay.ended();
    await sshd.stop();
    rmSync(base, { recursive: true, force: true });
  }
}

function spread(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${seconds(median(values))} (${seconds(low)}–${seconds(high)})`;
}

const TERMS = [
  'Each until a list with SHA-256 of the pod equals what lies here: ours by the pull itself, from the login on; rsync by rsync over',
  'system ssh, then sha256sum on both sides at once over a second ssh. By turns, medians and (shortest–longest). The last column is',
  "the ratio had rsync's side used openssl dgst where that is faster: it takes the SHA-256 of the CPU, which our side does too.",
];

export function mirrorText({ rows, limits }: MirrorFigures): string {
  const head = ['mirror', 'round trip', 'ours', 'rsync', 'ratio', 'with openssl'];
  const lines = rows.map((row) => [
    row.what,
    `${row.roundTripMs} ms`,
    spread(row.oursMs),
    spread(row.rsyncMs),
    times(row.ratio),
    times(row.ratioFastest),
  ]);
  const bounds = limits.map(
    (limit) =>
      `at ${limit.roundTripMs} ms: the same ssh2 stream without hashing and disk ${megabytes(limit.streamBytesPerS)}/s, ` +
      `writing ${SMALL_FILES} small files here without a stream ${seconds(limit.writeSmallMs)}`,
  );
  const slower = rows
    .filter((row) => Math.min(row.ratio, row.ratioFastest) < row.wanted)
    .map((row) => `${row.what} at ${row.roundTripMs} ms is below ${row.wanted}: ${row.limit}`);
  return [table([head, ...lines]), ...TERMS, ...bounds, ...slower].join('\n');
}
