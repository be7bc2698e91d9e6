/** A pod that lies: whatever its lists and streams say, nothing is written outside the target and nothing bad is promoted. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localTree } from '../../../src/adapters/ssh/mirror/local-tree.ts';
import { sshMirror } from '../../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Pulled } from '../../../src/domain/artifacts.ts';
import { WorldError } from '../../../src/domain/errors.ts';
import { quiet } from '../shell/house.ts';
import { type Answers, craftedSession, listed, listing, type Member, tar } from './crafted.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-hostile-'));
  mkdirSync(join(base, 'home'));
  writeFileSync(join(base, 'home', 'bashrc'), 'mine');
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const ok = listed('results/ok.txt', 'yes');
const okMember: Member = { name: './results/ok.txt', content: 'yes' };

type More = { rounds?: number; silenceMs?: number; freeBytes?: () => number; reserveBytes?: number };

function pull(answers: Answers, more: More = {}): Promise<Pulled> {
  const mirror = sshMirror({ root: join(base, 'mirror'), clock: systemClock(), log: quiet, ...more });
  const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: null, budgetMs: 20_000 };
  return mirror.pull(craftedSession(answers), spec);
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  return error instanceof WorldError ? error.failure : `no WorldError: ${String(error)}`;
}

/** Everything below the test's folder that is not in the mirror's target or its own side folder. */
function outside(): string[] {
  const tree = localTree(base);
  return [...tree.files.keys(), ...tree.links.keys(), ...tree.others].filter(
    (name) => !name.startsWith('mirror/'),
  );
}

describe('a stream with members that nobody asked for', () => {
  const members: readonly (readonly [string, Member])[] = [
    ['a file that was not announced', { name: './results/extra.txt', content: 'x' }],
    ['a link to the outside', { name: './results/out', type: '2', target: '../../../home' }],
    ['a link to an absolute path', { name: './results/data', type: '2', target: '/workspace' }],
    ['a FIFO', { name: './results/pipe', type: '6' }],
    ['a device', { name: './results/null', type: '3' }],
    ['a folder', { name: './results/sub/', type: '5' }],
    ['the same file twice', { name: './results/ok.txt', content: 'no!' }],
    ['the same file by another spelling', { name: '././results/ok.txt', content: 'no!' }],
    ['a member of a type that does not exist', { name: './results/odd', type: 'Z' }],
    ['an empty name', { name: '', content: 'x' }],
  ];
  it.each(members)('drops %s, lists it, and keeps what was announced (case C37)', async (_, member) => {
    const pulled = await pull({ listings: [listing([ok])], tars: [tar([okMember, member])] });
    expect(pulled.refused).toHaveLength(1);
    expect([...localTree(pulled.place).files]).toEqual([['results/ok.txt', 3]]);
    expect(readFileSync(join(pulled.place, 'results/ok.txt'), 'utf8')).toBe('yes');
    expect(localTree(pulled.place).links.size).toBe(0);
    expect(outside()).toEqual(['home/bashrc']);
  });

  const escapes: readonly (readonly [string, Member])[] = [
    ['a parent path', { name: '../../home/bashrc', content: 'evil' }],
    ['a parent path behind a dot', { name: './results/../../../home/bashrc', content: 'evil' }],
    ['an absolute path', { name: '/tmp/podtrack-evil', content: 'evil' }],
  ];
  it.each(escapes)('refuses the whole pull for %s (case C37)', async (_, member) => {
    const pulling = pull({ listings: [listing([ok])], tars: [tar([okMember, member])] });
    expect(await failureOf(pulling)).toBe('unexpected-answer');
    expect(existsSync(join(base, 'mirror', 'pod-1'))).toBe(false);
    expect(readFileSync(join(base, 'home/bashrc'), 'utf8')).toBe('mine');
    expect(existsSync('/tmp/podtrack-evil')).toBe(false);
  });

  it('refuses a folder with content at once: nobody waits for bytes that a reader never asks for', async () => {
    const folder: Member = { name: './results/sub', type: '5', content: 'never read' };
    const pulling = pull({ listings: [listing([ok])], tars: [tar([folder, okMember])] });
    expect(await failureOf(pulling)).toBe('unexpected-answer');
  });

  it('never writes a file through a link of the same stream (case C37)', async () => {
    const link: Member = { name: './results/out', type: '2', target: '../../../home' };
    const through: Member = { name: './results/out/bashrc', content: 'evil' };
    const announced = [ok, listed('results/out/bashrc', 'evil')];
    const pulled = await pull({ listings: [listing(announced)], tars: [tar([okMember, link, through])] });
    expect(readFileSync(join(base, 'home/bashrc'), 'utf8')).toBe('mine');
    expect(pulled.refused.map((entry) => entry.path)).toEqual(['results/out']);
    expect(lstatSync(join(pulled.place, 'results/out')).isDirectory()).toBe(true);
  });

  it('never writes through a link that the list announces beside a file below it (case C37)', async () => {
    const announced = [ok, listed('results/out/bashrc', 'evil')];
    const list = listing(announced, [['results/out', '../home']]);
    const through: Member = { name: './results/out/bashrc', content: 'evil' };
    const pulled = await pull({ listings: [list], tars: [tar([okMember, through])] });
    expect(readFileSync(join(base, 'home/bashrc'), 'utf8')).toBe('mine');
    expect(pulled.refused.map((entry) => entry.path)).toEqual(['results/out']);
  });

  const hardLinks: readonly (readonly [string, string])[] = [
    ['to a parent path', '../../home/bashrc'],
    ['to an absolute path', '/etc/passwd'],
    ['to something that was not announced', './results/other'],
  ];
  it.each(hardLinks)('refuses a hard link %s (case C37)', async (_, target) => {
    const member: Member = { name: './results/hl', type: '1', target };
    const list = listing([ok, listed('results/hl', 'yes')]);
    const pulled = await pull({ listings: [list], tars: [tar([okMember, member])] });
    expect(pulled.refused.map((entry) => entry.path)).toContain('results/hl');
    expect([...localTree(pulled.place).files.keys()]).toEqual(['results/ok.txt']);
  });

  it('gives up on a stream of strangers (case C37)', async () => {
    const strangers = Array.from({ length: 1500 }, (_, index) => ({ name: `./s${index}` }));
    const pulling = pull({ listings: [listing([ok])], tars: [tar(strangers)] });
    expect(await failureOf(pulling)).toBe('unexpected-answer');
  });
});

describe('a bomb', () => {
  it('that claims more than was announced is not stored (case C37)', async () => {
    const huge: Member = {
      name: './results/ok.txt',
      claims: 70 * 1024 * 1024,
      content: Buffer.alloc(70 * 1024 * 1024),
    };
    const pulled = await pull({ listings: [listing([ok])], tars: [tar([huge])] }, { rounds: 1 });
    expect(pulled.files).toBe(0);
    expect(pulled.refused.map((entry) => entry.path)).toEqual(['results/ok.txt']);
  });

  it('without an end is cut, and what came whole before it stays (case C37)', async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield tar([okMember]).subarray(0, 1024);
      yield tar([{ name: './never', claims: 7 * 1024 ** 3 }]).subarray(0, 512);
      const zeros = Buffer.alloc(8 * 1024 * 1024);
      for (;;) {
        sent += zeros.length;
        yield zeros;
      }
    }
    const pulled = await pull({ listings: [listing([ok])], tars: [endless] });
    expect(pulled.files).toBe(1);
    expect(pulled.refused.map((entry) => entry.path)).toEqual(['never']);
    expect(sent).toBeLessThan(400 * 1024 * 1024);
  });
});

describe('a list that lies', () => {
  it('about names is listed, asked for nothing, and nothing of it is written (case C37)', async () => {
    const names = [
      '../../home/bashrc',
      '/etc/cron.d/x',
      'a//b',
      'a/./b',
      'a/../b',
      `${'x'.repeat(256)}`,
      'y/'.repeat(3000),
    ];
    const session = craftedSession({
      listings: [listing([ok, ...names.map((name) => listed(name, 'evil'))])],
      tars: [tar([okMember])],
    });
    const mirror = sshMirror({ root: join(base, 'mirror'), clock: systemClock(), log: quiet });
    const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: null, budgetMs: 20_000 };
    const pulled = await mirror.pull(session, spec);
    expect(session.asked).toEqual(['look', './results/ok.txt|']);
    expect(pulled.refused.map((entry) => entry.path)).toEqual(names);
    expect(outside()).toEqual(['home/bashrc']);
  });

  it('about a digest is never taken for a verified copy (case C33)', async () => {
    const lie = { ...ok, sha256: '0'.repeat(64) };
    const pulled = await pull({ listings: [listing([lie])], tars: [tar([okMember])] });
    expect(pulled.moving).toEqual(['results/ok.txt']);
  });

  it('names a file twice', async () => {
    const pulled = await pull({ listings: [listing([ok, ok])], tars: [tar([okMember])] });
    expect(pulled.refused).toEqual([{ path: 'results/ok.txt', reason: 'listed twice' }]);
  });

  it('makes a file a folder as well', async () => {
    const list = listing([ok, listed('results/ok.txt/below', 'x')]);
    const members = [okMember, { name: './results/ok.txt/below', content: 'x' }];
    const pulled = await pull({ listings: [list], tars: [tar(members)] });
    expect(pulled.refused.map((entry) => entry.path)).toContain('results/ok.txt/below');
    expect(pulled.files).toBe(1);
  });

  it('is cut short, wherever, and is an incomplete answer (case C33)', async () => {
    const whole = listing([ok, listed('b', 'b')], [['l', 'b']]);
    for (let cut = 0; cut < whole.length; cut += 1) {
      const pulling = pull({ listings: [whole.subarray(0, cut)], tars: [] });
      expect([cut, await failureOf(pulling)]).toEqual([cut, 'incomplete-answer']);
    }
  });
});

describe('anything at all', () => {
  it('as a list or as a stream ends in a copy or in a named error, and never outside', async () => {
    const honest = tar([okMember, { name: './b', content: 'b'.repeat(700) }]);
    const list = listing([ok, listed('b', 'b'.repeat(700))], [['l', 'b']]);
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 12 });
    const damaged = (bytes: Buffer, changes: [number, number][]): Buffer => {
      const copy = Buffer.from(bytes);
      for (const [at, byte] of changes) copy[at % copy.length] = byte;
      return copy;
    };
    await fc.assert(
      fc.asyncProperty(damage, damage, fc.boolean(), async (first, second, both) => {
        rmSync(join(base, 'mirror'), { recursive: true, force: true });
        const answers = { listings: [both ? damaged(list, first) : list], tars: [damaged(honest, second)] };
        const ended: unknown = await pull(answers, { silenceMs: 5000 }).catch((reason: unknown) => reason);
        expect(ended instanceof WorldError || !(ended instanceof Error)).toBe(true);
        expect(outside()).toEqual(['home/bashrc']);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a second pull into a place that already holds a link to the outside', () => {
  it('writes nothing through it: the link goes, the file comes (case C37)', async () => {
    const place = join(base, 'mirror', 'pod-1');
    mkdirSync(join(place, 'results'), { recursive: true });
    symlinkSync('../../../home', join(place, 'results/out'));
    const again = listed('results/out/again.txt', 'hello');
    const member: Member = { name: './results/out/again.txt', content: 'hello' };
    const pulled = await pull({ listings: [listing([again])], tars: [tar([member])] });
    expect(outside()).toEqual(['home/bashrc']);
    expect(lstatSync(join(place, 'results/out')).isDirectory()).toBe(true);
    expect(readFileSync(join(pulled.place, 'results/out/again.txt'), 'utf8')).toBe('hello');
  });
});

describe('what the pod lists is more than this disk has', () => {
  const gb = 1_000_000_000;
  const big = (path: string, size: number, onDisk = size) => ({ ...listed(path, 'x'), size, onDisk });
  const ckpt = big('results/ckpt.pt', 4.2 * gb);
  const scratch = { ...big('results/scratch.img', 1000 * gb, 1_258_291_200), sha256: 'hollow' };
  const more = big('results/more.bin', 7 * gb);

  it.each([
    ['two that fit one by one', [ckpt, more], 9 * gb, /11\.2 GB are to come and 9\.0 GB are free/],
    ['all three, the sparse one too', [ckpt, scratch, more], 9 * gb, /9\.0 GB are free.*more\.bin 7\.0 GB/],
    [
      'one that fits without the reserve',
      [ckpt],
      4.5 * gb,
      /4\.2 GB are to come and 4\.5 GB are free here, of which 1\.0 GB/,
    ],
    ['a disk that is full', [big('results/a', 1)], 0, /0 B are free/],
  ])('%s: refused with the numbers before a byte is asked for (case C38)', async (_, files, free, says) => {
    const asked = { listings: [listing(files)], tars: [] };
    const error: unknown = await pull(asked, { freeBytes: () => free, reserveBytes: gb }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ failure: 'no-space', message: expect.stringMatching(says) });
    expect(outside()).toEqual(['home/bashrc']);
    expect(existsSync(join(base, 'mirror', 'pod-1'))).toBe(false);
  });
});

describe('modes', () => {
  it('lose set-user-id, set-group-id and sticky, and stay readable for us (case C37)', async () => {
    const files = [listed('suid', 'a'), listed('none', 'b')];
    const members = [
      { name: './suid', content: 'a', mode: 0o7755 },
      { name: './none', content: 'b', mode: 0 },
    ];
    const pulled = await pull({ listings: [listing(files)], tars: [tar(members)] });
    const mode = (name: string): number => lstatSync(join(pulled.place, name)).mode & 0o7777;
    expect(mode('suid') & 0o7000).toBe(0);
    expect(mode('none') & 0o600).toBe(0o600);
  });
});
