/** The type-aware linter refuses promises that nobody waits for, open switches and functions that grew too long. */
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const long = `export function a(): number {\n  let b = 0;\n${'  b += 1;\n'.repeat(60)}  return b;\n}`;
const later = 'async function later(): Promise<number> {\n  return await Promise.resolve(1);\n}\n';

const BREACHES: ReadonlyArray<readonly [path: string, rule: string, says: string]> = [
  ['src/flows/floating.ts', 'no-floating-promises', `${later}export function a(): void {\n  later();\n}`],
  ['src/flows/voided.ts', 'no-floating-promises', `${later}export function a(): void {\n  void later();\n}`],
  [
    'src/flows/misused.ts',
    'no-misused-promises',
    `${later}export const a = (): number => (later() ? 1 : 2);`,
  ],
  [
    'src/flows/in-a-callback.ts',
    'no-misused-promises',
    `export const a = (b: string[]): void => b.forEach(async () => {\n  await Promise.resolve();\n});`,
  ],
  [
    'src/flows/nothing-to-await.ts',
    'await-thenable',
    'export async function a(): Promise<void> {\n  await 1;\n}',
  ],
  [
    'src/flows/open-switch.ts',
    'switch-exhaustiveness-check',
    "export function a(b: 'c' | 'd'): number {\n  switch (b) {\n    case 'c':\n      return 1;\n  }\n  return 2;\n}",
  ],
  ['src/flows/long.ts', 'max-lines-per-function', long],
  [
    'src/flows/greedy.ts',
    'max-params',
    'export const a = (b: 1, c: 1, d: 1, e: 1, f: 1): number => b + c + d + e + f;',
  ],
  ['test/floating.test.ts', 'no-floating-promises', `${later}later();`],
];

const tree = layTree(
  Object.fromEntries(BREACHES.map(([path, , says]) => [path, `/** A breach. */\n${says}\n`])),
);
afterAll(() => tree.remove());

const { code, said } = tree.tool('oxlint', '--type-aware', '--deny-warnings', '--format=unix');

it.each(BREACHES)('%s is refused: %s', (path, rule) => {
  expect(code).not.toBe(0);
  expect(said.split('\n').filter((line) => line.includes(path))).toContainEqual(
    expect.stringContaining(rule),
  );
});

it('the house around the breaches is not named', () => {
  const named = said.split('\n').filter((line) => line.includes('.ts:'));
  expect(named.filter((line) => !BREACHES.some(([path]) => line.includes(path)))).toEqual([]);
});

it('without type information the floating promise would pass, so the flag must stay', () => {
  expect(tree.tool('oxlint', 'src/flows/floating.ts').said).not.toContain('no-floating-promises');
});
