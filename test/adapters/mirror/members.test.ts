/** Members that are cut out of a stream without tar-stream are what tar-stream alone would have read, whatever the stream. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { type Entry, readMembers } from '../../../src/adapters/ssh/mirror/members.ts';
import { nameOf, withoutDot } from '../../../src/adapters/ssh/mirror/names.ts';
import { type Member, tar } from './crafted.ts';

/** What is told of each member, and `error` behind the last one of a damaged stream. */
type Told = { readonly by: 'cut' | 'library'; readonly text: string };

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Facts = readonly [size: number, mode: number, mtimeMs: number];

function text(name: string, [size, mode, mtimeMs]: Facts, content: Buffer): string {
  return JSON.stringify([withoutDot(name), size, mode & 0o7777, mtimeMs, content.toString('base64')]);
}

function listen(entry: Entry, tell: (text: string) => void, done: () => void): void {
  const parts: Buffer[] = [];
  entry.on('data', (chunk) => {
    if (chunk instanceof Buffer) parts.push(chunk);
  });
  entry.once('end', () => {
    const { name, size, mode, mtime, type } = entry.header;
    const told = text(
      nameOf(Buffer.from(name, 'latin1')),
      [size, mode, mtime.getTime()],
      Buffer.concat(parts),
    );
    tell(type === 'file' ? told : `${type} ${told}`);
    done();
  });
}

async function ours(bytes: Buffer, size: number): Promise<Told[]> {
  const told: Told[] = [];
  const takers = {
    file(name: string, head: { size: number; mode: number; modifiedS: number }, content: Buffer): null {
      told.push({ by: 'cut', text: text(name, [head.size, head.mode, head.modifiedS * 1000], content) });
      return null;
    },
    asEntry: () => false,
    entry: (entry: Entry, done: () => void) =>
      listen(entry, (said) => told.push({ by: 'library', text: said }), done),
  };
  const limits = { bound: 1e9, signal: new AbortController().signal };
  const failed = await readMembers(inChunks(bytes, size), takers, limits).then(
    () => false,
    () => true,
  );
  await new Promise(setImmediate);
  if (failed) told.push({ by: 'library', text: 'error' });
  return told;
}

async function alone(bytes: Buffer): Promise<string[]> {
  const told: string[] = [];
  const asBytes = { highWaterMark: 64 * 1024, filenameEncoding: 'latin1' };
  const archive = extract(asBytes);
  archive.on('entry', (_, entry, next) => {
    entry.on('error', () => undefined);
    listen(entry, (said) => told.push(said), next);
  });
  let failed = false;
  await new Promise<void>((resolve) => {
    archive.once('close', resolve);
    archive.once('error', () => {
      failed = true;
    });
    archive.end(bytes);
  });
  // The last member may end behind the archive's own end.
  await new Promise(setImmediate);
  if (failed) told.push('error');
  return told;
}

const words = async (bytes: Buffer, size: number): Promise<string[]> =>
  (await ours(bytes, size)).map((told) => told.text);

const member: fc.Arbitrary<Member> = fc.record(
  {
    name: fc.constantFrom(
      './a',
      './d/b',
      'plain',
      './d/',
      '',
      './',
      '../up',
      './\u00e9',
      `./${'n'.repeat(97)}`,
    ),
    type: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('0', '\0') },
      fc.constantFrom('1', '7', 'L', 'K', '2', '3', '6', 'x', 'Z'),
    ),
    content: fc.oneof(
      fc.string({ maxLength: 1200 }),
      fc.constantFrom('', './long/name\0', '19 path=./by/pax\n', 'x'.repeat(70_000)),
    ),
    mode: fc.constantFrom(0, 0o644, 0o7777),
  },
  { requiredKeys: ['name', 'content'] },
);
const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 });

describe('a stream', () => {
  it('of any members, several archives, damaged or cut, reads as by the library alone', async () => {
    const drawn = fc.tuple(fc.array(fc.array(member, { maxLength: 5 }), { maxLength: 3 }), damage, fc.nat(9));
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(drawn, fc.integer({ min: 1, max: 3000 }), async ([archives, changes, short], size) => {
        const bytes = Buffer.concat(archives.map((members) => tar(members)));
        for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
        const whole = short === 0 ? bytes.subarray(0, Math.floor(bytes.length * 0.7)) : bytes;
        const told = await ours(whole, size);
        cut += told.filter(({ by }) => by === 'cut').length;
        expect(told.map((each) => each.text)).toEqual(await alone(whole));
      }),
      // What the library makes of an empty extra head depends on how its bytes are cut.
      { numRuns: 600, seed: 20_260_301 },
    );
    expect(cut).toBeGreaterThan(300);
  });

  it('cut at every place reads as by the library alone', async () => {
    const long = { name: '././@LongLink', type: 'L', content: `./${'l'.repeat(150)}\0` };
    const bytes = tar([
      { name: './a', content: 'yes' },
      long,
      { name: './cut', content: 'long' },
      { name: './b', content: 'b'.repeat(600) },
    ]);
    for (let end = 0; end <= bytes.length; end += 37)
      expect([end, await words(bytes.subarray(0, end), 500)]).toEqual([
        end,
        await alone(bytes.subarray(0, end)),
      ]);
  });

  it.each(['gnu', 'ustar', 'posix'])(
    'of system tar as %s reads the same, and plain files are cut out',
    async (format) => {
      const folder = mkdtempSync(join(tmpdir(), 'podtrack-members-'));
      try {
        mkdirSync(join(folder, 'd'.repeat(90)), { recursive: true });
        for (const name of ['a', `${'d'.repeat(90)}/${'e'.repeat(60)}`, 'big'])
          writeFileSync(join(folder, name), name === 'big' ? Buffer.alloc(200_000, 7) : name);
        const bytes = execFileSync('tar', [`--format=${format}`, '-cf', '-', '-C', folder, '.']);
        const told = await ours(Buffer.concat([bytes, bytes]), 32_768);
        expect(told.map((each) => each.text)).toEqual(await alone(Buffer.concat([bytes, bytes])));
        expect(told.length).toBe(2 * 5);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
