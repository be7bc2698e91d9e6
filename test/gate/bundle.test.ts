/** The gate refuses a dist/ that is not, byte for byte, what the sources build; and text that is not what on-pod/ holds. */
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const tree = layTree();
afterAll(() => tree.remove());

it('one byte too many in one file of dist is refused, and only that file is named', () => {
  const built = tree.script('build.mjs');
  expect(built.code, built.said).toBe(0);
  appendFileSync(join(tree.folder, 'dist', 'reap.js'), ' ');
  const refused = tree.script('build.mjs', '--check');
  expect(refused.code).toBe(1);
  expect(refused.said.match(/^ {2}.*/gm)).toEqual([expect.stringContaining('differs: reap.js')]);
}, 120_000);

it('a stub has two lines and opens its own door', () => {
  const stub = readFileSync(join(tree.folder, 'dist', 'cli.js'), 'utf8');
  expect(stub).toBe("#!/usr/bin/env node\nimport { door } from './index.js';\nawait door('cli');\n");
});

it('the embedded text is the script with its parts in place, sign by sign', async () => {
  const { onPodText } = await import(join(tree.folder, 'src', 'on-pod-text.ts'));
  const lines: string[] = onPodText.probe.split('\n');
  const written = readFileSync(join(tree.folder, 'on-pod', 'probe.sh'), 'utf8').split('\n');
  const part = readFileSync(join(tree.folder, 'on-pod', 'parts', 'ground.sh'), 'utf8').split('\n');
  expect(Object.keys(onPodText)).toEqual(['probe']);
  expect(lines).toContain(written.find((line) => line.startsWith('raw ')));
  expect(lines).toContain(part.find((line) => line.startsWith('raw()')));
  expect(lines.filter((line) => line.startsWith('. ./'))).toEqual([]);
});

it('a script that calls for a part that is not there is refused', () => {
  tree.put({ 'on-pod/lost.sh': '# Calls for a file outside parts.\n. ./elsewhere.sh\n' });
  const refused = tree.script('embed-on-pod.mjs', '--check');
  rmSync(join(tree.folder, 'on-pod', 'lost.sh'));
  expect(refused.code).not.toBe(0);
  expect(refused.said).toContain('on-pod/lost.sh');
});

it('a script changed after it was embedded is refused, by the build as well', () => {
  appendFileSync(join(tree.folder, 'on-pod', 'probe.sh'), 'true\n');
  const refused = tree.script('embed-on-pod.mjs', '--check');
  expect(refused.code).toBe(1);
  expect(refused.said).toContain('npm run embed');
  expect(tree.script('build.mjs', '--out', 'elsewhere').code).not.toBe(0);
});

it('a door that the entry does not open is refused', () => {
  tree.script('embed-on-pod.mjs');
  tree.put({ 'src/actions/arm.ts': '/** The arm door. */\nexport function run(): void {}\n' });
  const refused = tree.script('build.mjs', '--out', 'elsewhere');
  expect(refused.code).not.toBe(0);
  expect(refused.said).toContain('does not open these doors: arm');
}, 120_000);
