/** The compiler refuses what the strict flags forbid, and seals the domain off from Node. */
import { afterAll, describe, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const SEALED = {
  'src/domain/a-process.ts': "process.env['A']",
  'src/domain/a-fetch.ts': "fetch('http://a')",
  'src/domain/a-timer.ts': 'setTimeout(() => {}, 1)',
  'src/domain/a-console.ts': "console.log('a')",
  'src/domain/a-buffer.ts': "Buffer.from('a')",
  'src/domain/a-node.ts': "import('node:fs')",
};

const STRICT = {
  'src/flows/index-signature.ts': 'export const a = (b: Record<string, string>): string => b.c;',
  'src/flows/unchecked-index.ts':
    "export const a = (b: string[]): string => b[0] + '';\nexport const c: string = [''][0];",
  'src/flows/optional.ts': 'export const a: { b?: string } = { b: undefined };',
  'src/flows/enumerated.ts': 'export enum A {\n  B,\n}',
  'src/flows/unused.ts': 'export function a(): void {\n  const b = 1;\n}',
  'src/flows/value-import.ts':
    "import { Provider } from '../ports.ts';\nexport const a = (b: Provider): Provider => b;",
  'scripts/untyped.mjs': 'export const a = (b) => b;',
};

const tree = layTree({
  ...Object.fromEntries(
    Object.entries(SEALED).map(([path, says]) => [
      path,
      `/** A breach. */\nexport const held = (): unknown => ${says};\n`,
    ]),
  ),
  ...Object.fromEntries(Object.entries(STRICT).map(([path, says]) => [path, `/** A breach. */\n${says}\n`])),
});
afterAll(() => tree.remove());

describe('the sealed domain', () => {
  const { code, said } = tree.tool('tsc', '-p', 'src/domain', '--pretty', 'false');

  it.each(Object.keys(SEALED))('%s is refused', (path) => {
    expect(code).not.toBe(0);
    expect(said).toMatch(new RegExp(`^${path}\\(\\d+,\\d+\\): error TS`, 'm'));
  });
});

describe('the strict flags', () => {
  const { code, said } = tree.tool('tsc', '-p', '.', '--pretty', 'false');

  it.each(Object.keys(STRICT))('%s is refused', (path) => {
    expect(code).not.toBe(0);
    expect(said).toMatch(new RegExp(`^${path}\\(\\d+,\\d+\\): error TS`, 'm'));
  });

  it('the root alone would let the domain use Node, so both must run', () => {
    expect(said).not.toContain('src/domain/a-process.ts');
  });
});
