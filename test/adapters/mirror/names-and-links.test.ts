/** Names without loss, and links followed as a kernel follows them: properties over many random ones. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/adapters/ssh/mirror/digest.ts';
import { sortLinks } from '../../../src/adapters/ssh/mirror/links.ts';
import { bytesOf, escapes, foldersOf, nameFault, nameOf } from '../../../src/adapters/ssh/mirror/names.ts';

describe('names', () => {
  it('any bytes become a name and the same bytes again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (raw) => {
        const bytes = Buffer.from(raw);
        expect(bytesOf(nameOf(bytes))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  it('text stays the text it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(nameOf(Buffer.from(text))).toBe(text);
      }),
    );
  });

  it('no accepted name leaves the folder, whatever it is made of (case C37)', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b', '...', '..a', ' ', '\\', '\0');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const name = parts.join('/');
        if (nameFault(name) !== null) return;
        expect(escapes(name)).toBe(false);
        expect(join('/target', name).startsWith('/target/')).toBe(true);
        for (const folder of foldersOf(name)) expect(nameFault(folder)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('digestOf', () => {
  it('does not depend on the order, and depends on everything else', () => {
    const a = { path: 'a', size: 1, sha256: '0'.repeat(64) };
    const b = { path: 'b', size: 2, sha256: '1'.repeat(64) };
    const link = { path: 'l', target: 'a' };
    const whole = digestOf([a, b], [link]);
    expect(digestOf([b, a], [link])).toBe(whole);
    const others = [
      digestOf([a], [link]),
      digestOf([a, b], []),
      digestOf([a, { ...b, size: 3 }], [link]),
      digestOf([a, { ...b, path: 'c' }], [link]),
      digestOf([a, b], [{ ...link, target: 'b' }]),
    ];
    expect(new Set([whole, ...others]).size).toBe(6);
  });
});

describe('links', () => {
  const sorted = (...links: [string, string][]) => {
    const { inside, outside, refused } = sortLinks(links.map(([path, target]) => ({ path, target })));
    return {
      inside: inside.map((l) => l.path),
      outside: outside.map((l) => l.path),
      refused: refused.map((l) => l.path),
    };
  };

  it('that leave through another link are found out, though their text looks harmless (case C37)', () => {
    const tricks = sorted(['a/b/up', '../..'], ['escape', 'a/b/up/../x']);
    expect(tricks).toEqual({ inside: ['a/b/up'], outside: [], refused: ['escape'] });
  });

  it('in circles lead nowhere and hang nothing (case C37)', () => {
    expect(sorted(['x', 'x'], ['y', 'z'], ['z', 'y'], ['d/loop', '.'])).toEqual({
      inside: ['x', 'y', 'z', 'd/loop'],
      outside: [],
      refused: [],
    });
  });

  it('called inside never end outside on a real disk (case C37)', () => {
    const part = fc.constantFrom('a', 'b', 'c', '..', '.');
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'));
    const target = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const link = fc.record({ path, target });
    fc.assert(
      fc.property(fc.uniqueArray(link, { maxLength: 5, selector: (each) => each.path }), (links) => {
        const base = mkdtempSync(join(tmpdir(), 'podtrack-links-'));
        const root = realpathSync(base);
        const made: string[] = [];
        try {
          for (const { path: at, target: to } of sortLinks(links).inside) {
            try {
              mkdirSync(dirname(join(root, 'tree', at)), { recursive: true });
              symlinkSync(to, join(root, 'tree', at));
              made.push(at);
            } catch {
              // A path of one is a folder of another: no pod can hold both.
            }
          }
          for (const at of made) {
            try {
              expect(`${realpathSync(join(root, 'tree', at))}/`.startsWith(join(root, 'tree/'))).toBe(true);
            } catch (error) {
              if (!(error instanceof Error && 'code' in error)) throw error;
            }
          }
        } finally {
          rmSync(base, { recursive: true, force: true });
        }
      }),
      { numRuns: 100 },
    );
  });
});
