/** Verified: by list, size and digest, twice, and never fewer than before. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareManifests, isSame, type Manifest, type Pulled, verify } from '../../src/domain/artifacts.ts';

const file = (path: string, size = 3, sha256 = 'aa') => ({ path, size, sha256 });
const tree = (...files: Manifest['files']): Manifest => ({ files, links: [], others: [] });
const pulled = (remote: Manifest, of: Partial<Pulled> = {}): Pulled => ({
  remote,
  leftOut: 0,
  files: remote.files.length,
  bytes: 3,
  place: '/tmp/x',
  digest: 'd',
  moving: [],
  refused: [],
  ...of,
});
const base = { before: null, allowEmpty: false };

describe('verify', () => {
  it.each([
    ['the same twice', { ...base, pulled: pulled(tree(file('a'))), later: tree(file('a')) }, 'verified'],
    ['nothing there', { ...base, pulled: pulled(tree()), later: tree() }, 'nothing-there'],
    [
      'nothing there, allowed',
      { ...base, allowEmpty: true, pulled: pulled(tree()), later: tree() },
      'verified',
    ],
    [
      'only empty files (case C33)',
      { ...base, pulled: pulled(tree(file('a', 0))), later: tree(file('a', 0)) },
      'only-empty-files',
    ],
    [
      'fewer than the last good mirror',
      { ...base, before: 2, pulled: pulled(tree(file('a'))), later: tree(file('a')) },
      'fewer-than-before',
    ],
    [
      'an entry was refused',
      {
        ...base,
        pulled: pulled(tree(file('a')), { refused: [{ path: '../x', reason: 'outside' }] }),
        later: tree(file('a')),
      },
      'entries-refused',
    ],
    [
      'changed since by size',
      { ...base, pulled: pulled(tree(file('a'))), later: tree(file('a', 4)) },
      'changed-since',
    ],
    [
      'changed since by digest',
      { ...base, pulled: pulled(tree(file('a'))), later: tree(file('a', 3, 'bb')) },
      'changed-since',
    ],
    [
      'grown since',
      { ...base, pulled: pulled(tree(file('a'))), later: tree(file('a'), file('b')) },
      'changed-since',
    ],
    [
      'vanished since',
      { ...base, pulled: pulled(tree(file('a'), file('b'))), later: tree(file('a')) },
      'changed-since',
    ],
    [
      'moving through every round: the last pull counts',
      { ...base, pulled: pulled(tree(file('a')), { moving: ['a'] }), later: tree(file('a', 9)) },
      'verified',
    ],
  ])('%s', (_what, input, expected) => {
    const judged = verify(input);
    expect(judged.kind === 'verified' ? 'verified' : judged.reason).toBe(expected);
  });

  it('two trees are the same exactly when neither misses, changes or adds', () => {
    const some = fc.uniqueArray(
      fc.record({ path: fc.constantFrom('a', 'b', 'c'), size: fc.nat(2), sha256: fc.constantFrom('x', 'y') }),
      { selector: (one) => one.path },
    );
    fc.assert(
      fc.property(some, some, (left, right) => {
        const sorted = (files: typeof left) => [...files].sort((a, b) => a.path.localeCompare(b.path));
        const same = isSame(compareManifests(tree(...left), tree(...right)));
        expect(same).toBe(JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)));
      }),
    );
  });
});
