/** The whole tree sent unasked while the pod still looks: a head start, and never what decides. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import { quiet } from '../shell/house.ts';
import { type Answers, announced, craftedSession, listed, listing, type Member, tar } from './crafted.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-whole-'));
  writeFileSync(join(base, 'bashrc'), 'mine');
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const a: Member = { name: './a', content: 'yes' };
const b: Member = { name: './d/b', content: 'b'.repeat(700) };
const TREE = { a: 'yes', 'd/b': 'b'.repeat(700) };
const listOf = (files: Readonly<Record<string, string>>): Buffer =>
  listing(Object.entries(files).map(([path, content]) => listed(path, content)));
/** What a pod says that announces what it then lists. */
const looked = (files: Readonly<Record<string, string>> = TREE, later = files): Buffer =>
  Buffer.concat([announced(Object.entries(files).map(([path, text]) => [path, text.length])), listOf(later)]);

async function pull(answers: Answers, more: { freeBytes?: () => number; exclude?: string[] } = {}) {
  const session = craftedSession(answers);
  const { exclude, ...options } = more;
  const mirror = sshMirror({
    root: join(base, 'mirror'),
    clock: systemClock(),
    log: quiet,
    reserveBytes: 0,
    rounds: 2,
    ...options,
  });
  const choice = exclude === undefined ? null : { include: [], exclude };
  const spec = { podId: 'pod-1', remotePath: '/r', choice, localPath: null, budgetMs: 5_000 };
  const ended = await mirror.pull(session, spec).catch((reason: unknown) => reason);
  return { ended, asked: session.asked, cancelled: session.cancelled };
}

const place = (): string => join(base, 'mirror', 'pod-1');
const shape = (folder: string): Record<string, string> =>
  Object.fromEntries(
    [...localTree(folder).files.keys()]
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
const outside = (): string[] => readdirSync(base).sort();

describe('a tree that is sent unasked', () => {
  it('is the copy, when it is what the list says: no file is asked for by name', async () => {
    const { ended, asked } = await pull({ listings: [looked()], tars: [], whole: tar([a, b]) });
    expect(ended).toMatchObject({ files: 2, moving: [], refused: [] });
    expect(asked).toEqual(['look', 'whole']);
    expect(shape(place())).toEqual(TREE);
  });

  it('may hold a file that is younger than the announcement: passed over, then brought by the list', async () => {
    const young: Member = { name: './young', content: 'new' };
    const alias: Member = { name: './alias', type: '1', target: './young' };
    const { ended, asked } = await pull({
      listings: [looked(TREE, { ...TREE, young: 'new', alias: 'new' })],
      whole: tar([young, alias, a, b]),
      tars: [tar([young, alias])],
    });
    expect(ended).toMatchObject({ files: 4, moving: [], refused: [] });
    expect(asked).toEqual(['look', 'whole', './young|./alias|']);
    expect(shape(place())).toEqual({ ...TREE, young: 'new', alias: 'new' });
  });

  it('may hold a file that changed since the announcement: only that one comes again', async () => {
    const { ended, asked } = await pull({
      listings: [looked(TREE, { ...TREE, a: 'new' })],
      whole: tar([a, b]),
      tars: [tar([{ name: './a', content: 'new' }])],
    });
    expect(ended).toMatchObject({ files: 2, moving: [], refused: [] });
    expect(asked).toEqual(['look', 'whole', './a|']);
    expect(shape(place())).toEqual({ ...TREE, a: 'new' });
  });

  it('may lack a file that is there: it comes by name', async () => {
    const { ended, asked } = await pull({ listings: [looked()], whole: tar([a]), tars: [tar([b])] });
    expect(ended).toMatchObject({ files: 2, moving: [], refused: [] });
    expect(asked).toEqual(['look', 'whole', './d/b|']);
  });

  it('that is cut leaves whole files as unverified and promotes nothing; the next pull asks by name', async () => {
    const cut = tar([a, b]).subarray(0, 1400);
    const first = await pull({ listings: [looked()], whole: cut, tars: [] });
    expect(first.ended).toBeInstanceOf(WorldError);
    expect(existsSync(place())).toBe(false);
    expect(shape(join(base, 'mirror', '.podtrack-pod-1', 'unverified'))).toEqual({ a: 'yes' });
    const next = await pull({ listings: [looked()], whole: tar([a, b]), tars: [tar([b])] });
    expect([next.ended, next.asked]).toMatchObject([{ files: 2, refused: [] }, ['look', './d/b|']]);
  });
});

describe('a tree that is sent unasked is never read', () => {
  const neverRead = async function* (): AsyncGenerator<Buffer> {
    yield await Promise.reject(new Error('somebody read it'));
  };

  it.each([
    ['where a name must not be written', { ...TREE, '../bashrc': 'evil' }],
    ['where a name is too long for this disk', { ...TREE, ['x'.repeat(256)]: 'x' }],
  ])('%s: what may come is asked for by name', async (_, files) => {
    const { ended, asked, cancelled } = await pull({
      listings: [looked(files)],
      whole: neverRead,
      tars: [tar([a, b])],
    });
    expect(ended).toMatchObject({ files: 2, refused: [{ path: Object.keys(files)[2] }] });
    expect(asked).toEqual(['look', 'whole', './a|./d/b|']);
    expect(cancelled).toContain('whole');
    expect(outside()).toEqual(['bashrc', 'mirror']);
  });

  it('where a file is mostly holes, which would travel as zeros for hours', async () => {
    const hollow = { path: 'hollow', size: 2 ** 40, sha256: 'hollow', onDisk: 512 };
    const said = announced([
      ['a', 3],
      ['hollow', 2 ** 40, 1],
    ]);
    const list = Buffer.concat([said, listing([listed('a', 'yes'), hollow])]);
    const { ended, asked, cancelled } = await pull({ listings: [list], whole: neverRead, tars: [tar([a])] });
    expect(ended).toMatchObject({ files: 1, refused: [{ path: 'hollow' }] });
    expect([asked, cancelled]).toEqual([['look', 'whole', './a|'], expect.arrayContaining(['whole'])]);
  });

  it('where it does not fit here: refused with the numbers, nothing is left', async () => {
    const full = { freeBytes: () => 100 };
    const { ended, cancelled } = await pull({ listings: [looked()], whole: neverRead, tars: [] }, full);
    expect(ended).toMatchObject({ failure: 'no-space' });
    expect(cancelled).toContain('whole');
    expect(existsSync(place())).toBe(false);
  });

  it('where the image announces nothing: the list decides, and what it names is asked for', async () => {
    const { ended, asked, cancelled } = await pull({
      listings: [listOf(TREE)],
      whole: neverRead,
      tars: [tar([a, b])],
    });
    expect(ended).toMatchObject({ files: 2, refused: [] });
    expect(asked).toEqual(['look', 'whole', './a|./d/b|']);
    expect(cancelled).toContain('whole');
  });

  it('nor asked for where patterns choose, or where a copy lies here already', async () => {
    const chosen = await pull(
      { listings: [looked()], whole: neverRead, tars: [tar([a])] },
      { exclude: ['d/**'] },
    );
    expect(chosen.asked).toEqual(['look', './a|']);
    const again = await pull({ listings: [looked()], whole: neverRead, tars: [tar([b])] });
    expect(again.asked).toEqual(['look', './d/b|']);
  });
});

describe('a hostile tree that is sent unasked', () => {
  it.each([
    ['a parent path', { name: '../bashrc', content: 'evil' }],
    ['an absolute path', { name: '/tmp/podtrack-evil', content: 'evil' }],
  ])('with %s ends the pull, and nothing is written there', async (_, member) => {
    const { ended } = await pull({ listings: [looked()], whole: tar([a, member, b]), tars: [] });
    expect(ended).toMatchObject({ failure: 'unexpected-answer' });
    expect(existsSync(place())).toBe(false);
    expect(existsSync('/tmp/podtrack-evil')).toBe(false);
    expect(readFileSync(join(base, 'bashrc'), 'utf8')).toBe('mine');
  });

  it('with links, devices and folders has them told, and none of them made', async () => {
    const members: Member[] = [
      { name: './out', type: '2', target: '../..' },
      { name: './null', type: '3' },
      { name: './sub/', type: '5' },
      { name: './hl', type: '1', target: '../../bashrc' },
    ];
    const files = { ...TREE, hl: 'mine' };
    const { ended } = await pull({
      listings: [looked(files)],
      whole: tar([a, ...members, b]),
      tars: [tar([])],
    });
    expect(ended).toMatchObject({ files: 2 });
    const refused = (ended as { refused: { path: string }[] }).refused.map(({ path }) => path);
    expect(refused.sort()).toEqual(['hl', 'null', 'out', 'sub/']);
    expect(shape(place())).toEqual(TREE);
  });

  it('without an end is cut: strangers count as bytes, and what is announced comes by name', async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      const stranger = tar([{ name: './s', content: Buffer.alloc(60_000) }]).subarray(0, 60_928);
      const many = Buffer.concat(Array.from({ length: 64 }, () => stranger));
      for (;;) {
        sent += many.length;
        yield many;
      }
    }
    const { ended } = await pull({ listings: [looked()], whole: endless, tars: [tar([a, b])] });
    expect(ended).toMatchObject({ files: 2, refused: [] });
    expect(sent).toBeLessThan(300 * 1024 ** 2);
    expect(shape(place())).toEqual(TREE);
  });
});
