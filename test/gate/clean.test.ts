/** The gate lets a house pass that keeps every law: without this, refusals prove nothing. */
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const tree = layTree();
afterAll(() => tree.remove());

it.each([
  ['tsc', ['-p', '.']],
  ['tsc', ['-p', 'src/domain']],
  ['oxlint', ['--type-aware', '--deny-warnings']],
  ['biome', ['ci', '--error-on-warnings', '.']],
  ['knip', ['--no-progress', '--include', 'files,exports,dependencies']],
])('%s %j passes a clean house', (name, args) => {
  const { code, said } = tree.tool(name, ...args);
  expect(code, said).toBe(0);
});

it.each([['laws.mjs'], ['embed-on-pod.mjs', '--check']])('%s passes a clean house', (name, ...args) => {
  const { code, said } = tree.script(name, ...args);
  expect(code, said).toBe(0);
});
