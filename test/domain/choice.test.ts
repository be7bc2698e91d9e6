/** Patterns: which are taken, what they choose, and what they can never do whatever the names are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/adapters/ssh/mirror/choice.ts';
import { filesBefore, type Manifest, mirrorFacts } from '../../src/domain/artifacts.ts';
import {
  type Choice,
  choice,
  choose,
  chooser,
  parseChoice,
  patternFault,
  sameChoice,
  saysChoice,
} from '../../src/domain/choice.ts';
import { ConfigError } from '../../src/domain/errors.ts';
import { artifactSpec } from '../../src/domain/pod.ts';

const file = (path: string) => ({ path, size: 3, sha256: 'aa' });
const tree = (...paths: string[]): Manifest => ({ files: paths.map(file), links: [], others: [] });
const of = (include: string[], exclude: string[] = []): Choice => ({ include, exclude });
const chosen = (by: Choice | null, ...paths: string[]): string[] =>
  choose(tree(...paths), chooser(by, compile)).manifest.files.map(({ path }) => path);

/** A byte that is no UTF-8, as the mirror writes it. */
const BYTE = '\udcff';

describe('what a pattern matches', () => {
  it.each<[string, string, boolean]>([
    ['*.pt', 'a.pt', true],
    ['*.pt', 'runs/a.pt', false],
    ['**/*.pt', 'runs/7/a.pt', true],
    ['**/*.pt', 'a.pt', true],
    ['runs/*/a.pt', 'runs/7/a.pt', true],
    ['runs/*/a.pt', 'runs/7/8/a.pt', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a?c', 'aüc', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['{ckpt,log}/**', 'log/1/x', true],
    ['{ckpt,log}/**', 'data/x', false],
    // A folder stands for what lies below it, as in every tool of this kind.
    ['runs', 'runs/7/a.pt', true],
    ['runs', 'runs2/a.pt', false],
    ['runs/', 'runs/7/a.pt', true],
    ['runs/', 'runs', false],
    ['**', 'x/.y/z', true],
    // Dotfiles are files.
    ['*', '.env', true],
    ['**/*.log', '.cache/.x.log', true],
    // Names are bytes of the pod, nothing in them is magic.
    ['*.pt', `we${BYTE}ird.pt`, true],
    [`a?.pt`, `a${BYTE}.pt`, true],
    ['**', 'a\nb/c\nd', true],
    ['a*c', 'a\nc', true],
    ['*', '-rf', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a*', 'a\\b', true],
    ['a/b', 'a\\b', false],
    ['#x', '#x', true],
    ['*(a)', 'xx(a)', true],
    ['*.PT', 'a.pt', false],
    ['[a', '[a', true],
    ['{a', '{a', true],
  ])('%j on %j: %s', (pattern, path, matches) => {
    expect(compile([pattern])(path)).toBe(matches);
  });
});

describe('which files are chosen', () => {
  const all = ['a.pt', 'a.tmp', 'ckpt/1.pt', 'ckpt/1.tmp', '.hidden/x'];

  it.each<[string, Choice | null, string[]]>([
    ['no patterns: all', null, all],
    ['only excludes: the rest', of([], ['**/*.tmp']), ['a.pt', 'ckpt/1.pt', '.hidden/x']],
    ['includes alone', of(['ckpt']), ['ckpt/1.pt', 'ckpt/1.tmp']],
    ['several includes add up', of(['ckpt', '*.pt']), ['a.pt', 'ckpt/1.pt', 'ckpt/1.tmp']],
    ['exclude wins', of(['ckpt', '*.pt'], ['ckpt/*.tmp', 'a.pt']), ['ckpt/1.pt']],
    ['exclude wins over the very same include', of(['ckpt'], ['ckpt']), []],
    ['nothing matches', of(['nowhere/**']), []],
  ])('%s', (_what, by, wanted) => {
    expect(chosen(by, ...all)).toEqual(wanted);
  });

  it('counts what is left out, and chooses links and devices by their own path', () => {
    const manifest = {
      ...tree('a/1', 'b/1', 'b/2'),
      links: [
        { path: 'a/l', target: '../b/1' },
        { path: 'b/l', target: '1' },
      ],
      others: ['a/pipe', 'b/pipe'],
    };
    const { manifest: kept, leftOut } = choose(manifest, chooser(of(['a']), compile));
    expect(leftOut).toBe(2);
    expect(kept.links.map(({ path }) => path)).toEqual(['a/l']);
    expect(kept.others).toEqual(['a/pipe']);
  });
});

const aName = fc.constantFrom('a', 'b', '.c', 'a.pt', 'b.tmp', 'x\ny', `q${BYTE}`, '\\', '*', '[a', '😀');
const aPath = fc.array(aName, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const aPattern = fc
  .array(fc.constantFrom('a', 'b', '*', '**', '?', '.c', '*.pt', '{a,b}', '[ab]', '[!a]*', 'q*'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('/'));
const patterns = fc.array(aPattern, { maxLength: 5 });
const aChoice = fc.record({ include: patterns, exclude: patterns });
const paths = fc.uniqueArray(aPath, { maxLength: 30 });

describe('for all names and patterns', () => {
  it('the choice does not depend on the order of files or of patterns', () => {
    fc.assert(
      fc.property(aChoice, paths, (by, names) => {
        const turned = of(by.include.toReversed(), by.exclude.toReversed());
        expect(sameChoice(by, turned)).toBe(true);
        expect(chosen(turned, ...names.toReversed()).toSorted()).toEqual(chosen(by, ...names).toSorted());
      }),
    );
  });

  it('exclude wins: what it matches is never chosen, and without it nothing is lost but that', () => {
    fc.assert(
      fc.property(aChoice, paths, (by, names) => {
        const open = chosen(of(by.include), ...names);
        const isExcluded = compile(by.exclude);
        expect(chosen(by, ...names)).toEqual(open.filter((name) => !isExcluded(name)));
      }),
    );
  });

  it('a choice of a choice is the same choice, so both sides agree on what they hold', () => {
    fc.assert(
      fc.property(aChoice, paths, (by, names) => {
        const once = chosen(by, ...names);
        expect(chosen(by, ...once)).toEqual(once);
      }),
    );
  });

  it('every name is taken as it is, whatever the pattern: no crash, and a folder stands for its files', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), aPath, (pattern, name) => {
        fc.pre(patternFault(pattern) === null);
        const isMatch = compile([pattern]);
        expect(isMatch(name) && !isMatch(`${name}/below`)).toBe(false);
      }),
    );
  });
});

describe('the cost', () => {
  it('is no regular expression that backtracks: the classic killers end, on the longest names a disk takes', () => {
    const killers = [
      `${'*a'.repeat(120)}*b`,
      `${'**/a/'.repeat(50)}b`,
      `${'[ab]*'.repeat(50)}c`,
      `${'a?*'.repeat(80)}c`,
    ];
    const names = [
      'a'.repeat(255),
      Array.from({ length: 2000 }, () => 'a').join('/'),
      `${'ab'.repeat(127)}a`,
    ];
    for (const killer of killers) {
      expect(patternFault(killer)).toBeNull();
      for (const name of names) expect(compile([killer])(name)).toBe(false);
    }
  });

  it('keeps a hundred thousand names in reach', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `run-${index % 97}/step-${index}/weights.pt`);
    const isWanted = chooser(of(['run-1/**', '**/*5/*.pt'], ['**/step-1*']), compile);
    expect(names.filter(isWanted).length).toBe(
      names.filter((name) => /^run-1\/|5\/w/.test(name) && !/\/step-1/.test(name)).length,
    );
  });
});

describe('hostile and silly patterns', () => {
  const many = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}`).join('\n');

  it.each<[string, string, RegExp]>([
    ['absolute', '/workspace/results/*.pt', /absolute/],
    ['a home', '~/x', /absolute/],
    ['out of the root', '../other/*', /leads out/],
    ['out of the root, later', 'a/../../x', /leads out/],
    ['a negation', '!*.tmp', /negation/],
    ['an empty part', 'a//b', /empty part/],
    ['a dot', '.', /empty part/],
    ['too long', 'x'.repeat(257), /longer than 256/],
    ['a zero byte', 'a\0b', /control character/],
    ['letters turned round', 'a\u202ekpt', /control character/],
    ['too many', many(65), /at most 64/],
    ['braces without end', `${'{a,b}'.repeat(9)}`, /too many alternatives/],
    ['braces without end, by escapes', `${'{a\\},b,c}'.repeat(9)}`, /too many alternatives/],
    ['braces without end, together', `${'{a,b}'.repeat(7)}\n${'{a,b}'.repeat(8)}`, /unfold/],
    ['a count', 'x{1..1000000000}', /counts/],
    ['comments alone', '# nothing\n\n', /no line/],
    ['nothing at all', '', /no line/],
  ])('%s is refused with the input named', (_what, text, why) => {
    const exclude = (): unknown => parseChoice({ include: [], exclude: [text] }, '--');
    expect(exclude).toThrow(ConfigError);
    expect(exclude).toThrow(why);
    expect(() => parseChoice({ include: [text], exclude: [] }, '')).toThrow(
      expect.objectContaining({ input: 'include' }),
    );
    expect(exclude).toThrow(expect.objectContaining({ input: '--exclude' }));
  });

  it('reads one pattern a line, with comments, blanks and a leading ./', () => {
    const text = '\n# weights\n  ckpt/**/*.pt \r\n./logs\n';
    expect(parseChoice({ include: [text], exclude: ['*.tmp', 'x'] }, '')).toEqual(
      of(['ckpt/**/*.pt', 'logs'], ['*.tmp', 'x']),
    );
    expect(parseChoice({ include: [], exclude: [] }, '')).toBeNull();
  });

  it('no record can carry what no input may say', () => {
    expect(choice.safeParse(of(['../x'])).success).toBe(false);
    expect(choice.safeParse(of(Array.from({ length: 65 }, () => 'x'))).success).toBe(false);
    expect(choice.safeParse(of(['x'], ['**/*.tmp'])).success).toBe(true);
  });
});

describe('a choice in the record', () => {
  it('a record and a mirror from before there were patterns speak of every file', () => {
    expect(artifactSpec.parse({ remotePath: '/r', none: false }).choice).toBeNull();
    const old = mirrorFacts.parse({ files: 3, bytes: 9, digest: 'd', verified: true });
    expect(old).toMatchObject({ choice: null, leftOut: 0 });
  });

  it('the count of the last good mirror is compared for the same choice alone', () => {
    const last = {
      files: 3,
      bytes: 9,
      digest: 'd',
      verified: true,
      moving: 0,
      leftOut: 0,
      choice: of(['a', 'b']),
    };
    expect(filesBefore(last, of(['b', 'a']))).toBe(3);
    expect(filesBefore(last, of(['b']))).toBeNull();
    expect(filesBefore(last, null)).toBeNull();
    expect(filesBefore({ ...last, choice: null }, null)).toBe(3);
    expect(filesBefore({ ...last, verified: false }, of(['a', 'b']))).toBeNull();
    expect(filesBefore(null, null)).toBeNull();
  });

  it('is told in words', () => {
    expect(saysChoice(of(['a', 'b'], ['*.tmp']))).toBe('only a b, without *.tmp');
    expect(saysChoice(null)).toBeNull();
  });
});
