/** Lists and tar streams as nobody honest makes them, by the thousand: a copy or a named error, and nothing outside the target. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readListing } from '../../src/adapters/ssh/mirror/listing.ts';
import { localTree } from '../../src/adapters/ssh/mirror/local-tree.ts';
import { nameFault } from '../../src/adapters/ssh/mirror/names.ts';
import { sshMirror } from '../../src/adapters/ssh-mirror.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { Pulled } from '../../src/domain/artifacts.ts';
import { WorldError } from '../../src/domain/errors.ts';
import {
  craftedSession,
  type Listed,
  listed,
  listing,
  type Member,
  tar,
} from '../adapters/mirror/crafted.ts';
import { quiet } from '../adapters/shell/house.ts';
import { rounds, Tally, tell } from './runs.ts';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'podtrack-fuzz-'));
  mkdirSync(join(base, 'home'));
  writeFileSync(join(base, 'home', 'bashrc'), 'mine');
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

/** Stands for the test's own folder in names: an absolute path that would be missed if it were written. */
const BASE = '@base@';
const NAMES = [
  ...['./a', './b', './d/x', './d/y', 'a', './A', './d', './d/', './d//x', '././a', './.', '.', '', './'],
  ...['../home/bashrc', './../../home/bashrc', './d/../../../home/bashrc', '..', './..', './d/..'],
  ...[
    `${BASE}/home/bashrc`,
    `${BASE}/home/new`,
    '/',
    '//etc/podtrack',
    './\u0000',
    './new\nline',
    './é',
    './e\u0301',
  ],
  ...[`./${'n'.repeat(90)}`, './C:\\x', './-rf', './con', './~', '~/x', './$HOME'],
];
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('./a', './b', './d/x') },
  fc.constantFrom(...NAMES),
);
const honest: Readonly<Record<string, string>> = { a: 'yes', b: 'b'.repeat(700), 'd/x': '' };

/** An extended head: "length key=value" lines, right or wrong in their length. */
const extended = fc
  .tuple(fc.constantFrom('path', 'linkpath', 'size', 'GNU.sparse.name', 'mtime', 'x'), name, fc.nat(200))
  .map(([key, value, wrong]) => {
    const rest = ` ${key}=${value}\n`;
    const length = rest.length + String(rest.length + 2).length;
    return `${wrong < 150 ? length : wrong}${rest}`;
  });
const content = fc.oneof(
  fc.constantFrom(...Object.values(honest)),
  extended,
  name.map((text) => `${text}\0`),
  fc.string({ maxLength: 1500 }),
);
const parts = {
  name,
  type: fc.oneof(
    { weight: 3, arbitrary: fc.constant('0') },
    fc.constantFrom(...'1234567gxLKSVZDN\0'.split('')),
  ),
  content,
  target: name,
  mode: fc.constantFrom(0, 0o644, 0o4755, 0o7777),
};
const claims = fc.constantFrom(0, 1, 511, 513, 70_000, 8 ** 11 - 1);
const requiredKeys: ['name', 'content'] = ['name', 'content'];
/** Few lie about their size: behind such a lie the rest of a stream is noise, and noise tests little. */
const member: fc.Arbitrary<Member> = fc.oneof(
  { weight: 12, arbitrary: fc.record(parts, { requiredKeys }) },
  fc.record({ ...parts, claims }, { requiredKeys }),
);

const announced: fc.Arbitrary<Listed> = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.constantFrom(...Object.entries(honest).map(([path, text]) => listed(path, text))),
  },
  fc.record({
    path: name.map((text) => text.replace(/^\.\//, '')),
    size: fc.constantFrom(0, 3, 700, 10 ** 6, 2 ** 53),
    sha256: fc.constantFrom(listed('a', 'yes').sha256, '-', 'hollow', 'gone', '0'.repeat(64), 'z'),
    onDisk: fc.constantFrom(0, 3, 10 ** 9),
  }),
);
const links = fc.array(
  fc.tuple(
    name.map((text) => text.replace(/^\.\//, '')),
    name,
  ),
  { maxLength: 3 },
);

function placed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(BASE, base)) as T;
}

/** Everything below the test's folder that is not in the mirror, with its content. */
function outside(): string[] {
  const tree = localTree(base);
  return [...tree.files.keys(), ...tree.links.keys(), ...tree.others]
    .filter((path) => !path.startsWith('mirror/'))
    .map((path) => `${path}=${readFileSync(join(base, path), 'utf8')}`);
}

/** What was promoted is what was listed and nothing else, or it is told. */
function expectHonest(pulled: Pulled): void {
  const tree = localTree(pulled.place);
  const known = new Map(pulled.remote.files.map((file) => [file.path, file]));
  const moving = new Set(pulled.moving);
  expect(tree.others).toEqual([]);
  for (const path of tree.files.keys()) {
    const sha256 = createHash('sha256')
      .update(readFileSync(join(pulled.place, path)))
      .digest('hex');
    expect([path, moving.has(path) ? sha256 : known.get(path)?.sha256]).toEqual([path, sha256]);
  }
  const missing = pulled.remote.files.filter((file) => !tree.files.has(file.path));
  const refused = new Set(pulled.refused.map((entry) => entry.path));
  expect(missing.filter((file) => pulled.files > 0 && !refused.has(file.path))).toEqual([]);
  for (const [path, target] of tree.links) {
    const end = join('/root/', path, '..', target);
    expect([path, target.startsWith('/'), end.startsWith('/root')]).toEqual([path, false, true]);
  }
}

describe('hostile pods', () => {
  it(
    'get nothing written outside the target, and every pull ends in a copy or in a named error',
    async () => {
      const tally = new Tally();
      let pulls = 0;
      const mirror = sshMirror({
        root: join(base, 'mirror'),
        clock: systemClock(),
        log: quiet,
        reserveBytes: 0,
      });
      const spec = { podId: 'pod-1', remotePath: '/r', choice: null, localPath: null, budgetMs: 20_000 };
      const stream = fc.tuple(fc.array(member, { maxLength: 6 }), fc.nat(9));
      const pod = fc.tuple(
        fc.uniqueArray(announced, { minLength: 1, maxLength: 5, selector: ({ path }) => path }),
        links,
        fc.array(stream, { minLength: 1, maxLength: 3 }),
      );
      await fc.assert(
        fc.asyncProperty(pod, async (drawn) => {
          const [files, drawnLinks, streams] = placed(drawn);
          // Every other run starts on what the run before left behind.
          if (pulls % 2 === 0) rmSync(join(base, 'mirror'), { recursive: true, force: true });
          const tars = streams.map(([members, cut]) => {
            const bytes = tar(members);
            return cut === 0 ? bytes.subarray(0, Math.floor(bytes.length * 0.7)) : bytes;
          });
          pulls += 1;
          for (const _ of streams.flatMap(([members]) => members)) tally.add('members');
          const session = craftedSession({ listings: [listing(files, drawnLinks)], tars });
          const ended: unknown = await mirror.pull(session, spec).catch((reason: unknown) => reason);
          expect(outside()).toEqual(['home/bashrc=mine']);
          if (!(ended instanceof Error)) {
            const pulled = ended as Pulled;
            tally.add('ended in a copy');
            if (pulled.refused.length > 0) tally.add('dropped and told');
            if (pulled.files > 0) expectHonest(pulled);
            return;
          }
          expect(ended).toBeInstanceOf(WorldError);
          if (ended instanceof WorldError) tally.add(`ended as ${ended.failure}`);
        }),
        { numRuns: rounds(1200, 8_000) },
      );
      tell(`${pulls} hostile tar streams, 0 writes outside, 0 nameless errors`, tally.counts);
      expect(tally.counts.get('ended in a copy')).toBeGreaterThan(20);
      expect(tally.counts.get('ended as unexpected-answer')).toBeGreaterThan(20);
    },
    rounds(180_000, 600_000),
  );
});

describe('lists', () => {
  it('of anything are read or called damaged, and no name in one leads out of the target', () => {
    const tally = new Tally();
    const field = fc.oneof(
      fc.constantFrom(
        'B',
        'L',
        'O',
        'E',
        'X',
        '0',
        '1',
        '2',
        '-1',
        '1e9',
        'absent',
        'lacking',
        '3 8 512',
        '- - -',
        '3',
      ),
      name,
      fc.constantFrom(
        `${listed('a', 'yes').sha256}  ./a`,
        `\\${'0'.repeat(64)}  x`,
        '-',
        'gone',
        'hollow',
        '1 1 1\n2 2 2',
      ),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    const file = fc.tuple(
      name,
      fc.constantFrom('3 8 512', '- - -', '9'),
      fc.constantFrom('-', listed('a', 'yes').sha256),
    );
    const batch = file.map(([path, size, hash]) => ['B', '1', path, size, hash]);
    const record = fc.oneof(batch, fc.tuple(fc.constant('L'), name, name), fc.array(field, { maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), fc.boolean(), (records, closed) => {
        const fields = [...records.flat(), ...(closed ? ['E', '0'] : [])];
        const read = readListing(Buffer.from(fields.map((text) => `${text}\0`).join(''), 'latin1'), '');
        if ('kind' in read) {
          tally.add('called damaged');
          return;
        }
        tally.add('read');
        const { files, links: found, others } = read.manifest;
        for (const path of [...files, ...found].map((entry) => entry.path).concat(others))
          expect([path, nameFault(path)]).toEqual([path, null]);
        expect(new Set(files.map((entry) => entry.path)).size).toBe(files.length);
      }),
      { numRuns: rounds(5000, 300_000) },
    );
    tell('manifests of a hostile pod, 0 names that lead outside', tally.counts);
    expect(tally.counts.get('read')).toBeGreaterThan(500);
  });
});
