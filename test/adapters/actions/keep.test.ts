/** Keep as an artifact: what goes up as it is, what is packed, taken names, and where there is no such service. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { packTree } from '../../../src/adapters/actions-keep/pack.ts';
import { needsPacking, treeOf } from '../../../src/adapters/actions-keep/tree.ts';
import { actionsKeep } from '../../../src/adapters/actions-keep.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import type { Keep } from '../../../src/ports.ts';
import { zipNames } from '../../actions/zip.ts';
import { type ResultsService, resultsService } from '../../runner/results-server.ts';

const home = mkdtempSync(join(tmpdir(), 'podtrack keep '));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let number = 0;

function freshFolder(): string {
  number += 1;
  const folder = join(home, `copy ${number}`);
  mkdirSync(folder);
  return folder;
}

function plainCopy(): string {
  const folder = freshFolder();
  mkdirSync(join(folder, 'log'));
  writeFileSync(join(folder, 'log', 'train.txt'), 'loss');
  writeFileSync(join(folder, 'model.bin'), 'weights', { mode: 0o644 });
  return folder;
}

type Change = (folder: string) => void;
const ODD: readonly (readonly [string, Change])[] = [
  ['a colon', (folder) => writeFileSync(join(folder, 'epoch:1'), 'x')],
  ['a question mark', (folder) => writeFileSync(join(folder, 'why?'), 'x')],
  ['a line break', (folder) => writeFileSync(join(folder, 'a\nb'), 'x')],
  ['a backslash', (folder) => writeFileSync(join(folder, 'a\\b'), 'x')],
  ['a trailing dot', (folder) => writeFileSync(join(folder, 'end.'), 'x')],
  ['two names that differ in case', (folder) => writeFileSync(join(folder, 'Model.bin'), 'x')],
  [
    'a name that is no UTF-8',
    (folder) => writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x41])]), 'x'),
  ],
  ['a link', (folder) => symlinkSync('model.bin', join(folder, 'latest'))],
  ['an empty folder', (folder) => mkdirSync(join(folder, 'empty'))],
  ['an executable', (folder) => chmodSync(join(folder, 'model.bin'), 0o755)],
];

describe('needsPacking', () => {
  it('a plain tree goes up as it is', async () => {
    expect(needsPacking(await treeOf(plainCopy()))).toBeNull();
  });

  it.each(ODD)('%s makes it one tar (case C35)', async (_what, change) => {
    const folder = plainCopy();
    change(folder);
    expect(needsPacking(await treeOf(folder))).not.toBeNull();
  });
});

type Member = {
  readonly type: string;
  readonly linkname: string | null;
  readonly text: string;
  readonly mode: number;
};

async function membersOf(tar: Buffer): Promise<Map<string, Member>> {
  const members = new Map<string, Member>();
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const parts: Buffer[] = [];
    for await (const part of entry) {
      if (part instanceof Uint8Array) parts.push(Buffer.from(part));
    }
    const { name, type, linkname, mode } = entry.header;
    members.set(name, {
      type,
      linkname: linkname || null,
      text: Buffer.concat(parts).toString('utf8'),
      mode,
    });
  }
  return members;
}

describe('packTree', () => {
  it('keeps every name, content, mode and link (case C35)', async () => {
    const folder = plainCopy();
    for (const [, change] of ODD) change(folder);
    const to = join(home, 'all.tar');
    await packTree(folder, await treeOf(folder), to);
    const members = await membersOf(readFileSync(to));
    expect(members.get('epoch:1')).toMatchObject({ type: 'file', text: 'x' });
    expect(members.get('a\nb')).toMatchObject({ text: 'x' });
    expect(members.get('Model.bin')).toMatchObject({ text: 'x' });
    expect(members.get('model.bin')).toMatchObject({ text: 'weights', mode: 0o755 });
    expect(members.get('log/train.txt')).toMatchObject({ text: 'loss' });
    expect(members.get('latest')).toMatchObject({ type: 'symlink', linkname: 'model.bin' });
    expect([...members.keys()].filter((name) => name.startsWith('empty'))).toHaveLength(1);
    expect(members.get('\u00ffA')).toMatchObject({ text: 'x' });
  });
});

describe('actionsKeep', () => {
  let service: ResultsService;
  const before = { ...process.env };
  beforeAll(async () => {
    service = await resultsService();
  });
  afterAll(() => service.close());
  afterEach(() => {
    for (const name of ['ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN', 'GITHUB_SERVER_URL']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  function keepIn(env: Readonly<Record<string, string>>): Keep {
    // The library reads the process's environment itself.
    Object.assign(process.env, env);
    const lines: string[] = [];
    const log = { say: (_level: string, line: string) => void lines.push(line), progress: () => undefined };
    return actionsKeep({ env, folder: home, log, chance: nodeChance() });
  }

  const github = () => ({ ...service.env, GITHUB_SERVER_URL: 'http://github.localhost' });

  it('uploads files under the name, and says the id by which they are found', async () => {
    const kept = await keepIn(github()).keep({ place: plainCopy(), name: 'podtrack-a-1' });
    expect(kept).toEqual({ kind: 'seen', value: 'artifact podtrack-a-1 (id 1000)' });
    expect(zipNames(service.artifacts().at(-1)?.bytes ?? Buffer.alloc(0))).toEqual([
      'log/train.txt',
      'model.bin',
    ]);
  });

  it('a taken name gets a number: nothing is overwritten', async () => {
    const kept = await keepIn(github()).keep({ place: plainCopy(), name: 'podtrack-a-1' });
    expect(kept).toMatchObject({ value: expect.stringContaining('podtrack-a-1-2') });
    expect(service.artifacts().map(({ name }) => name)).toEqual(['podtrack-a-1', 'podtrack-a-1-2']);
  });

  it('odd names go up as one tar, which does not stay behind here (case C35)', async () => {
    const folder = plainCopy();
    writeFileSync(join(folder, 'epoch:1'), 'x');
    await keepIn(github()).keep({ place: folder, name: 'podtrack-b-1' });
    const [only, ...more] = zipNames(service.artifacts().at(-1)?.bytes ?? Buffer.alloc(0));
    expect(only).toMatch(/^podtrack-b-1-.*\.tar$/);
    expect(more).toEqual([]);
    expect(readdirSync(home).filter((name) => name.startsWith('podtrack-b-1'))).toEqual([]);
  });

  it('an empty copy is kept without an upload', async () => {
    const count = service.artifacts().length;
    expect(await keepIn(github()).keep({ place: freshFolder(), name: 'podtrack-c-1' })).toMatchObject({
      kind: 'seen',
    });
    expect(service.artifacts().length).toBe(count);
  });

  it.each([
    ['a server of one’s own', { GITHUB_SERVER_URL: 'https://git.example.org' }, /git\.example\.org/],
    ['a step without the service', { ACTIONS_RESULTS_URL: '' }, /ACTIONS_RESULTS_URL/],
    ['a step without its token', { ACTIONS_RUNTIME_TOKEN: '' }, /ACTIONS_RUNTIME_TOKEN/],
  ])('%s: not kept, and says why', async (_what, change, words) => {
    const kept = await keepIn({ ...github(), ...change }).keep({ place: plainCopy(), name: 'podtrack-d-1' });
    expect(kept).toMatchObject({ kind: 'unseen', reason: expect.stringMatching(words) });
  });
});
