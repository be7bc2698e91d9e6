/** A pull that dies at any byte: the line is cut, or the process is killed; the next one ends with the same tree each time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import { quiet } from '../shell/house.ts';
import { type Answers, craftedSession, listed, listing, tar } from './crafted.ts';
import type { Order } from './pull-process.ts';

const SEED = 20_260_301;
const CUTS = 100;
/** Each costs the start of a process. */
const KILLS = 40;
const AT_ONCE = 3;

const noise = (length: number, start: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 7 + start) % 251));

/** A large file, small ones before and behind it, an empty one, odd names. */
const FILES: Readonly<Record<string, Buffer>> = {
  'a/loss.csv': Buffer.from('1,0.5\n2,0.25\n'),
  'a/empty': Buffer.alloc(0),
  'model.bin': noise(180_000, 3),
  'new\nline': Buffer.from('odd'),
  ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`z/${index}`, noise(index * 40, index)])),
};
/** The good copy of an hour before: one file the same, one changed, one gone since. */
const OLDER: Readonly<Record<string, Buffer>> = {
  'a/loss.csv': FILES['a/loss.csv'] ?? Buffer.alloc(0),
  'model.bin': noise(180_000, 4),
};

const listOf = (files: Readonly<Record<string, Buffer>>): Buffer =>
  listing(
    Object.entries(files).map(([path, content]) => listed(path, content)),
    [['latest', 'model.bin']],
  );
const tarOf = (names: readonly string[], files = FILES): Buffer =>
  tar(names.map((name) => ({ name: `./${name}`, content: files[name] ?? Buffer.alloc(0) })));
const LIST = listOf(FILES);

/** A tree as text, comparable: names, contents and link targets. */
function shape(folder: string): string[] {
  const tree = localTree(folder);
  const files = [...tree.files.keys()].map((name) => `${name}=${readFileSync(join(folder, name), 'base64')}`);
  return [...files, ...[...tree.links].map(([name, target]) => `${name}->${target}`)].sort();
}
const shapeOf = (files: Readonly<Record<string, Buffer>>): string[] =>
  [
    ...Object.entries(files).map(([name, content]) => `${name}=${content.toString('base64')}`),
    'latest->model.bin',
  ].sort();

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-cuts-'));
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

const mirror = () => sshMirror({ root: base, clock: systemClock(), log: quiet, reserveBytes: 0, rounds: 1 });

function pull(place: string, answers: Answers) {
  const session = craftedSession(answers);
  const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: place, budgetMs: 60_000 };
  return { asked: session.asked, done: mirror().pull(session, spec) };
}

/** The tar that an honest pod would send for what it is asked: the names are known only then. */
function honest(place: string) {
  const answers: Answers = { listings: [LIST], tars: [] };
  const session = craftedSession(answers);
  const stream = session.stream.bind(session);
  session.stream = async (call) => {
    if (call.what.startsWith('tar')) {
      const names = Buffer.from(call.stdin).toString('utf8').split('\0').slice(0, -1);
      answers.tars.splice(0, 1, tarOf(names.map((name) => name.slice(2))));
    }
    return await stream(call);
  };
  const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: place, budgetMs: 60_000 };
  return mirror().pull(session, spec);
}

async function older(place: string): Promise<void> {
  await pull(place, { listings: [listOf(OLDER)], tars: [tarOf(Object.keys(OLDER), OLDER)] }).done;
}

/** What stands at the target between a death and the next pull: nothing, the copy before, or the new one as a whole. */
function standing(place: string, hadOlder: boolean): 'nothing' | 'older' | 'whole' {
  const now = shape(place);
  if (now.length === 0) return 'nothing';
  if (hadOlder && now.join() === shapeOf(OLDER).join()) return 'older';
  expect(now).toEqual(shapeOf(FILES));
  return 'whole';
}

const leftovers = (place: string): string[] =>
  readdirSync(join(place, '..', '.podtrack-results')).filter((name) =>
    /^(incoming|old|unverified)/.test(name),
  );

const positions = (count: number, total: number): number[] =>
  fc.sample(fc.integer({ min: 0, max: total }), { seed: SEED, numRuns: count });

describe('a line that is cut', () => {
  it(`at ${CUTS} random bytes: nothing half is promoted, and the next pull brings the same tree (case C33)`, async () => {
    // With an older copy in place, what has not changed since is not asked for.
    const whole = tarOf(Object.keys(FILES));
    const rest = tarOf(Object.keys(FILES).filter((name) => name !== 'a/loss.csv'));
    const told = { nothing: 0, older: 0, whole: 0 };
    let number = 0;
    for (const at of positions(CUTS, LIST.length + rest.length - 1024)) {
      number += 1;
      const place = join(base, `line-${number}`, 'results');
      const hadOlder = number % 2 === 0;
      if (hadOlder) await older(place);
      const archive = hadOlder ? rest : whole;
      const cut = async function* (): AsyncGenerator<Buffer> {
        for (let done = 0; done < at - LIST.length; done += 1000)
          yield archive.subarray(done, Math.min(done + 1000, at - LIST.length));
        throw new Error('connection lost');
      };
      const answers = { listings: [LIST.subarray(0, at)], tars: [cut] };
      await expect(pull(place, answers).done).rejects.toBeInstanceOf(WorldError);
      told[standing(place, hadOlder)] += 1;
      await honest(place);
      expect(shape(place)).toEqual(shapeOf(FILES));
      expect(leftovers(place)).toEqual([]);
    }
    process.stdout.write(`line cut ${number} times: ${JSON.stringify(told)}\n`);
    expect(told).toEqual({ nothing: CUTS / 2, older: CUTS / 2, whole: 0 });
  });
});

/** Runs one pull in a process and kills it when it asks for the byte behind the last one given. */
async function killedAt(program: string, place: string, given: Buffer): Promise<void> {
  const order: Order = { localPath: place, listBytes: LIST.length };
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: base,
  });
  let told = '';
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(given);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.includes(`${given.length}\n`) || told.includes('promoted')) child.kill('SIGKILL');
    });
    child.once('error', reject).once('close', () => resolve());
  });
}

describe('a process that is killed', () => {
  it(`at ${KILLS} random bytes: nothing half is promoted, and the next pull brings the same tree (case C33)`, async () => {
    const out = join(process.cwd(), '.cache', `pull-process-${process.pid}`);
    const entry = join(import.meta.dirname, 'pull-process.ts');
    await build({
      configFile: false,
      logLevel: 'warn',
      ssr: { noExternal: true, external: ['ssh2'] },
      build: { ssr: true, outDir: out, minify: false, target: 'node20', rollupOptions: { input: entry } },
    });
    const whole = tarOf(Object.keys(FILES));
    const rest = tarOf(Object.keys(FILES).filter((name) => name !== 'a/loss.csv'));
    const told = { nothing: 0, older: 0, whole: 0 };
    let number = 0;
    const one = async (at: number): Promise<void> => {
      number += 1;
      const place = join(base, `process-${number}`, 'results');
      const hadOlder = number % 2 === 0;
      if (hadOlder) await older(place);
      const stdin = Buffer.concat([LIST, hadOlder ? rest : whole]);
      await killedAt(join(out, 'pull-process.js'), place, stdin.subarray(0, at));
      told[standing(place, hadOlder)] += 1;
      await honest(place);
      expect(shape(place)).toEqual(shapeOf(FILES));
      expect(leftovers(place)).toEqual([]);
    };
    const waiting = positions(KILLS, LIST.length + rest.length);
    const lane = async (): Promise<void> => {
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) await one(at);
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
    process.stdout.write(`process killed ${number} times: ${JSON.stringify(told)}\n`);
    expect(number).toBe(KILLS);
    expect(told.whole).toBe(0);
  }, 120_000);
});
