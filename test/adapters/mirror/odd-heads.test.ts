/** Heads of a tar stream that say one thing in two places, or nothing that can be: nothing lands outside, nothing hangs, nothing false counts. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Pulled } from '../../../src/domain/artifacts.ts';
import { quiet } from '../shell/house.ts';
import { craftedSession, listed, listing, type Member, tar } from './crafted.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-heads-'));
  mkdirSync(join(base, 'home'));
  writeFileSync(join(base, 'home', 'bashrc'), 'mine');
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const END = Buffer.alloc(1024);
const ours: Member = { name: './results/ok.txt', content: 'yes' };
/** A file under our name with other content: to be written where another head says. */
const bait: Member = { name: './results/ok.txt', content: 'no!' };
const open = (...members: Member[]): Buffer => tar(members).subarray(0, -1024);
const archive = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, END]);

/** "length key=value" lines, as an extended head holds them. */
function lines(values: Readonly<Record<string, string>>): string {
  const line = ([key, value]: [string, string]): string => {
    const rest = ` ${key}=${value}\n`;
    return `${rest.length + String(rest.length + 2).length}${rest}`;
  };
  return Object.entries(values).map(line).join('');
}
const extended = (values: Readonly<Record<string, string>>, type = 'x'): Buffer =>
  open({ name: 'x', type, content: lines(values) });
const long = (text: string, type = 'L'): Buffer => open({ name: './@LongLink', type, content: `${text}\0` });

/** A member whose head was changed by hand, its sum put right. */
function changed(member: Member, change: (head: Buffer) => void): Buffer {
  const bytes = Buffer.from(open(member));
  const head = bytes.subarray(0, 512);
  change(head);
  head.fill(' ', 148, 156);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

function pull(stream: Buffer): Promise<Pulled> {
  const file = listed('results/ok.txt', 'yes');
  const mirror = sshMirror({ root: join(base, 'mirror'), clock: systemClock(), log: quiet, rounds: 1 });
  const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: null, budgetMs: 20_000 };
  return mirror.pull(craftedSession({ listings: [listing([file])], tars: [stream] }), spec);
}

function untouched(): void {
  const tree = localTree(base);
  const all = [...tree.files.keys(), ...tree.links.keys(), ...tree.others];
  expect(all.filter((name) => !name.startsWith('mirror/'))).toEqual(['home/bashrc']);
  expect(readFileSync(join(base, 'home', 'bashrc'), 'utf8')).toBe('mine');
  expect(existsSync('/tmp/podtrack-evil')).toBe(false);
}

it.each<[string, Buffer, string]>([
  ['a pax path', archive(extended({ path: './../../home/bashrc' }), open(bait)), '"../../home/bashrc"'],
  [
    'an absolute pax path',
    archive(extended({ path: '/tmp/podtrack-evil' }), open(bait)),
    '"/tmp/podtrack-evil"',
  ],
  [
    'a pax path with a zero byte',
    archive(extended({ path: './results/ok.txt\0/../x' }), open(bait)),
    '/../x"',
  ],
  ['a GNU long name', archive(long('./../../home/bashrc'), open(bait)), '"../../home/bashrc"'],
  [
    'the prefix of a ustar head',
    archive(changed({ name: 'bashrc', content: 'no!' }, (head) => head.write('../../home', 345))),
    '"../../home/bashrc"',
  ],
])('the way out by %s is refused and told by its name (case C37)', async (_what, stream, name) => {
  await expect(pull(stream)).rejects.toMatchObject({
    failure: 'unexpected-answer',
    message: expect.stringContaining(name),
  });
  untouched();
});

it.each<[string, Buffer]>([
  ['a pax size beyond the member', archive(extended({ size: '700' }), open(ours, ours))],
  ['a negative pax size', archive(extended({ size: '-5' }), open(ours))],
  ['a pax size that is no number', archive(extended({ size: 'abc' }), open(ours))],
  ['a pax size of 40 digits', archive(extended({ size: '9'.repeat(40) }), open(ours))],
  [
    'a pax head of megabytes',
    archive(open({ name: 'x', type: 'x', content: Buffer.alloc(20e6, 97) }), open(ours)),
  ],
  ['a negative size in base 256', archive(changed(ours, (head) => head.fill(0xff, 124, 136)))],
  [
    'an exabyte in base 256',
    archive(
      changed(ours, (head) => head.fill(0, 124, 136).writeUInt8(0x80, 124) && head.writeUInt8(0x7f, 128)),
    ),
  ],
  ['a negative octal size', archive(changed(ours, (head) => head.write('-0000000003\0', 124)))],
  ['a wrong sum', Buffer.from(archive(open(ours))).fill('A', 0, 1)],
  ['a page of HTML', Buffer.from('<html>502 Bad Gateway</html>'.repeat(99))],
  ['garbage behind the end', Buffer.concat([archive(open(ours)), Buffer.alloc(5000, 7)])],
  ['half a member', archive(open(ours)).subarray(0, 700)],
])('%s is an incomplete answer and no copy (case C33)', async (_what, stream) => {
  await expect(pull(stream)).rejects.toMatchObject({ failure: 'incomplete-answer' });
  expect(existsSync(join(base, 'mirror', 'pod-1'))).toBe(false);
  untouched();
});

it.each<[string, Buffer]>([
  ['GNU sparse', archive(open({ ...ours, type: 'S' }))],
  ['a type beyond ASCII', archive(changed(ours, (head) => head.writeUInt8(0xff, 156)))],
  ['a block device', archive(open({ name: ours.name, type: '4' }))],
  [
    'a link in its place, then the file',
    archive(open({ name: ours.name, type: '2', target: '../../../home/bashrc' }, bait)),
  ],
  [
    'a hard link to itself, then the file',
    archive(open({ name: ours.name, type: '1', target: ours.name }, bait)),
  ],
  ['nothing', END],
])('%s for a file that was announced leaves it out and says so (case C37)', async (_what, stream) => {
  const pulled = await pull(stream);
  expect(pulled.files).toBe(0);
  expect(pulled.refused.map(({ path }) => path)).toContain('results/ok.txt');
  untouched();
});

it.each<[string, Buffer]>([
  ['a pax path over a wrong name', archive(extended({ path: ours.name }), open({ ...ours, name: '../x' }))],
  ['times that are none', archive(extended({ mtime: '1e999' }), open(ours))],
  ['global heads', archive(extended({ path: '../x', size: '0' }, 'g'), open(ours))],
  [
    'a pax name of a sparse file',
    archive(extended({ 'GNU.sparse.name': '../x', 'GNU.sparse.realsize': '9999999999' }), open(ours)),
  ],
  ['an empty long name', archive(long(''), open(ours))],
  [
    'two long names, the last of which counts',
    archive(long('../x'), long(ours.name), open({ ...ours, name: 'y' })),
  ],
  [
    'a ustar prefix',
    archive(changed({ name: 'ok.txt', content: 'yes' }, (head) => head.write('./results', 345))),
  ],
  ['an old head without a type', archive(changed(ours, (head) => head.writeUInt8(0, 156)))],
  ['empty blocks before it', Buffer.concat([Buffer.alloc(2048), archive(open(ours))])],
  [
    'names that fold into ours',
    archive(open({ ...bait, name: './Results/OK.TXT' }, ours, { ...bait, name: '.\\results\\ok.txt' })),
  ],
])('%s beside what was announced changes nothing of it (case C37)', async (_what, stream) => {
  const pulled = await pull(stream);
  expect([...localTree(pulled.place).files]).toEqual([['results/ok.txt', 3]]);
  expect(readFileSync(join(pulled.place, 'results/ok.txt'), 'utf8')).toBe('yes');
  expect(pulled.moving).toEqual([]);
  untouched();
});
