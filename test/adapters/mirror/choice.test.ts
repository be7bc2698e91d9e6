/** A choice of files on real pods: what nobody chose cannot hinder a pull, and what was good before is not lost over it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chosenOf } from '../../../src/adapters/ssh/mirror/choice.ts';
import { CLOSED_FOLDER, type Listing, readListing } from '../../../src/adapters/ssh/mirror/listing.ts';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { bytesOf, nameOf } from '../../../src/adapters/ssh/mirror/names.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Pulled } from '../../../src/domain/artifacts.ts';
import type { Choice } from '../../../src/domain/choice.ts';
import { type PodFolder, podFolder } from './pod-folder.ts';

let pod: PodFolder;
let said: string[];
beforeEach(async () => {
  pod = await podFolder();
  said = [];
});
afterEach(() => pod.close());

const of = (include: string[], exclude: string[] = []): Choice => ({ include, exclude });

function pull(choice: Choice | null): Promise<Pulled> {
  const log = { say: (_level: string, line: string) => said.push(line), progress: () => undefined };
  return sshMirror({ root: pod.here, clock: systemClock(), log }).pull(pod.session, pod.spec({ choice }));
}

const copied = (): string[] => [...localTree(join(pod.here, 'results')).files.keys()].sort();
const beside = (): string[] => readdirSync(join(pod.here, '.podtrack-results'));

describe('a copy of another choice before', () => {
  it('a narrower one keeps the fuller copy beside, and says where', async () => {
    pod.lay({ 'a.pt': '1', 'b.log': '2', 'c.log': '3' });
    await pull(null);
    await pull(of(['*.pt']));
    expect(copied()).toEqual(['a.pt']);
    expect(said.join()).toMatch(
      /the choice holds 1 files, the copy before had 3; that one is now in .*previous/,
    );
    expect([...localTree(join(pod.here, '.podtrack-results', 'previous')).files.keys()].sort()).toEqual([
      'a.pt',
      'b.log',
      'c.log',
    ]);
  });

  it('another one of as many files is kept too: nothing that was good is deleted for not being chosen', async () => {
    pod.lay({ 'a.pt': '1', 'b.log': '2' });
    await pull(of(['*.pt']));
    await pull(of(['*.log']));
    expect(copied()).toEqual(['b.log']);
    const [kept = ''] = beside().filter((name) => name.startsWith('kept-'));
    expect(existsSync(join(pod.here, '.podtrack-results', kept, 'a.pt'))).toBe(true);
    expect(said.join()).toMatch(/the copy before was of another choice of files; that one is now in .*kept-/);
  });

  it('a wider one holds it all, so nothing is set aside', async () => {
    pod.lay({ 'a.pt': '1', 'b.log': '2' });
    await pull(of(['*.pt']));
    await pull(null);
    expect(copied()).toEqual(['a.pt', 'b.log']);
    expect(beside()).toEqual(['manifest.json']);
    expect(said).toEqual([]);
  });

  it('the same choice again, with its patterns in another order, is no other choice', async () => {
    pod.lay({ 'a.pt': '1', 'b.log': '2' });
    await pull(of(['*.pt', '*.log']));
    pod.remove('a.pt');
    pod.lay({ 'c.pt': '3' });
    await pull(of(['*.log', '*.pt']));
    expect(copied()).toEqual(['b.log', 'c.pt']);
    expect(beside()).toEqual(['manifest.json']);
  });
});

describe('names of any bytes', () => {
  it('are chosen by their bytes, and left out by them', async () => {
    const odd = Buffer.from([0x77, 0xff, 0x2e, 0x70, 0x74]);
    mkdirSync(pod.results, { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${pod.results}/`), odd]), 'odd');
    pod.lay({ 'two\nlines.pt': '2', '-rf.pt': '3', 'back\\slash.pt': '4', 'x.log': '5' });
    const { files, leftOut } = await pull(of(['w?.pt', '*lines.pt', '-*', 'back\\\\*']));
    expect([files, leftOut]).toEqual([4, 1]);
    expect(copied()).toContain(nameOf(odd));
    expect((await pull(of([], ['w?.pt', '*\\\\*']))).files).toBe(3);
    expect(bytesOf(nameOf(odd))).toEqual(odd);
  });
});

describe('what could not be read', () => {
  const refused = [
    { path: 'cache/secret', reason: 'it could not be read on the pod' },
    { path: 'closed', reason: CLOSED_FOLDER },
    { path: '../../etc/passwd', reason: 'a path that leads out of the target' },
    { path: '/etc/shadow', reason: 'an absolute path' },
    { path: "find: './cl\\303\\274sed'", reason: CLOSED_FOLDER },
  ];
  const listing: Listing = {
    manifest: { files: [], links: [], others: [] },
    allocated: new Map(),
    refused,
    leftOut: 0,
  };
  const stays = (choice: Choice): string[] => chosenOf(listing, choice).refused.map(({ path }) => path);
  const always = refused.slice(2).map(({ path }) => path);

  it.each<[string, Choice, string[]]>([
    ['counts where it was chosen', of(['cache', 'closed']), ['cache/secret', 'closed']],
    ['does not count where it was not', of(['ckpt/**']), []],
    ['does not count where it was left out', of([], ['cache', 'closed']), []],
    ['a folder left out by what lies below it', of([], ['cache/**', 'closed/**']), []],
    ['a closed folder may hold what is wanted', of(['**/*.pt']), ['closed']],
    ['a closed folder above what is wanted', of(['closed/7/*.pt']), ['closed']],
    ['a closed folder of which a part is left out', of([], ['cache/*', 'closed/*.tmp']), ['closed']],
    ['a closed folder left out by its end', of(['**'], ['**/closed/']), ['cache/secret']],
  ])('%s', (_what, choice, wanted) => {
    expect(stays(choice)).toEqual([...wanted, ...always]);
  });

  const closedOf = (folders: readonly string[], choice: Choice): string[] => {
    const complaints = folders.map((folder) => `find: ./${folder}: Permission denied`).join('\n');
    const answer = readListing(Buffer.from('E\x001\0'), complaints);
    if ('kind' in answer) throw new Error(answer.detail);
    return chosenOf(answer, choice).refused.map(({ path }) => path);
  };

  it('many folders that were left out do not hide one that was not', () => {
    const folders = [...Array.from({ length: 60 }, (_, index) => `cache/${index}`), 'ckpt'];
    expect(closedOf(folders, of([], ['cache']))).toEqual(['ckpt']);
  });

  it('nor do so many that the complaints were cut off', () => {
    const folders = Array.from({ length: 3000 }, (_, index) => `cache/${index}`);
    expect(closedOf(folders, of([], ['cache']))).toEqual([expect.stringContaining('cut off')]);
  });
});
