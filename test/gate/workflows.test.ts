/** The workflows of this repository are lint-free, pin what they use by commit, and a broken one is refused. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const workflows = ['.github/workflows', 'workflows-examples']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.yml'));
const texts = Object.fromEntries(workflows.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

const tree = layTree(texts);
afterAll(() => tree.remove());

it('this repository has a workflow that runs .ci/run', () => {
  expect(texts['.github/workflows/ci.yml']).toContain('bash .ci/run');
});

it('no workflow has a finding', () => {
  const { code, said } = tree.script('lint-workflows.mjs', '.github/workflows', 'workflows-examples');
  expect(code, said).toBe(0);
  expect(said).toContain(`${workflows.length} workflow(s), 0 finding(s)`);
});

it('our own workflow uses the actions of others by commit only', () => {
  const used = [...(texts['.github/workflows/ci.yml'] ?? '').matchAll(/uses: (\S+)/g)].map(
    ([, what]) => what,
  );
  expect(used.length).toBeGreaterThan(0);
  for (const what of used) expect(what).toMatch(/@[0-9a-f]{40}$/);
});

it('a workflow with a misspelt key and an unknown context is refused', () => {
  tree.put({
    'broken/a.yml': `name: a
on: push
jobs:
  b:
    runs-on: ubuntu-latest
    step: []
    steps:
      - run: echo \${{ githup.ref }}
`,
  });
  const { code, said } = tree.script('lint-workflows.mjs', 'broken');
  expect(code).toBe(1);
  expect(said).toContain('"step"');
  expect(said).toContain('githup');
});

it('words that GitHub learned after the linter are not held against a workflow', () => {
  tree.put({
    'newer/a.yml': `name: a
on: push
concurrency:
  group: a
  queue: max
jobs:
  b:
    runs-on: ubuntu-latest
    steps:
      - uses: $/register
      - run: echo "\${{ job.check_run_id }}"
`,
  });
  const { code, said } = tree.script('lint-workflows.mjs', 'newer');
  expect(code, said).toBe(0);
});
