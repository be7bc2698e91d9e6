/** A process that is killed at any rename of a promotion: the old copy or the new one is whole, and the next pull ends in the new. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { quiet } from '../shell/house.ts';
import { craftedSession, listed, listing, tar } from './crafted.ts';
import type { Order } from './pull-process.ts';

type Tree = Readonly<Record<string, string>>;
const OLD: Tree = { 'model.bin': 'epoch 1', 'loss.csv': '1,0.5' };
const NEW: Tree = { 'model.bin': 'epoch 2', 'loss.csv': '1,0.5', 'z/more': 'x' };

const listOf = (tree: Tree): Buffer =>
  listing(Object.entries(tree).map(([path, text]) => listed(path, text)));
const tarOf = (tree: Tree, names = Object.keys(tree)): Buffer =>
  tar(names.map((name) => ({ name: `./${name}`, content: tree[name] ?? '' })));
/** What a pod that holds the new tree is asked for where the old one lies. */
const CHANGED = ['model.bin', 'z/more'];

function held(folder: string): Tree {
  const names = [...localTree(folder).files.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

let base: string;
let program: string;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-renames-'));
  const out = join(process.cwd(), '.cache', `renames-${process.pid}`);
  const input = join(import.meta.dirname, 'pull-process.ts');
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['ssh2'] },
    build: { ssr: true, outDir: out, minify: false, target: 'node20', rollupOptions: { input } },
  });
  program = join(out, 'pull-process.js');
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
  rmSync(join(program, '..'), { recursive: true, force: true });
});

function pullHere(place: string, tree: Tree, asked = Object.keys(tree)): Promise<unknown> {
  const mirror = sshMirror({ root: base, clock: systemClock(), log: quiet, reserveBytes: 0 });
  const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: place, budgetMs: 60_000 };
  return mirror.pull(craftedSession({ listings: [listOf(tree)], tars: [tarOf(tree, asked)] }), spec);
}

/** Resolves with the signal that ended the process, null when it ended by itself. */
function pullThere(place: string, dieAfterRenames: number): Promise<string | null> {
  const list = listOf(NEW);
  const order: Order = { localPath: place, listBytes: list.length, dieAfterRenames };
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['pipe', 'ignore', 'inherit'],
    cwd: base,
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(Buffer.concat([list, tarOf(NEW, CHANGED)]));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (_, signal) => resolve(signal));
  });
}

type Death = { readonly target: Tree; readonly aside: readonly Tree[]; readonly after: Tree };

async function deathAt(renames: number): Promise<Death | null> {
  const place = join(base, `at-${renames}`, 'results');
  await pullHere(place, OLD);
  const signal = await pullThere(place, renames);
  if (signal !== 'SIGKILL') return null;
  const target = held(place);
  const side = join(place, '..', '.podtrack-results');
  const aside = readdirSync(side).filter((name) => name.startsWith('old-'));
  const before = aside.map((name) => held(join(side, name)));
  // What the dead one had brought counts for nothing until it is read again; whatever is asked for, all is sent.
  await pullHere(place, NEW, CHANGED);
  expect(readdirSync(side).filter((name) => /^(incoming|old|unverified)/.test(name))).toEqual([]);
  return { target, aside: before, after: held(place) };
}

describe('a process killed by SIGKILL at a rename of the promotion (case C33)', () => {
  it('leaves the old copy or the new one whole, and the next pull ends in the new one', async () => {
    const deaths: Death[] = [];
    for (let death = await deathAt(0); death !== null; death = await deathAt(deaths.length))
      deaths.push(death);
    const told = deaths.map(({ target, aside }) => ({ target, aside }));
    expect(told).toEqual([
      { target: OLD, aside: [] },
      // Between the two renames.
      { target: {}, aside: [OLD] },
      // Before its facts are renamed.
      { target: NEW, aside: [OLD] },
    ]);
    expect(deaths.map(({ after }) => after)).toEqual([NEW, NEW, NEW]);
  }, 60_000);
});
