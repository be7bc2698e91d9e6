/** Every import law is refused by Biome when it is broken, and the refusal names the law. */
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

interface Breach {
  readonly path: string;
  readonly says: string;
  readonly rule: string;
  readonly law: string;
}

const imports = (path: string, from: string, law: string, word = 'thing'): Breach => ({
  path,
  says: `import { ${word} } from '${from}';\n\nexport const held = ${word};\n`,
  rule: 'lint/style/noRestrictedImports',
  law,
});

const speaks = (path: string, expression: string, rule: string): Breach => ({
  path,
  says: `export const held = (): unknown => ${expression};\n`,
  rule,
  law: '',
});

const GLOBALS = 'lint/style/noRestrictedGlobals';

const BREACHES: readonly Breach[] = [
  imports('src/domain/a-node.ts', 'node:fs', 'Law 1'),
  imports('src/domain/a-library.ts', 'undici', 'Law 1'),
  imports('src/domain/a-port.ts', '../ports.ts', 'Law 1'),
  imports('src/domain/registry/a-deep-port.ts', '../../ports.ts', 'Law 1'),
  imports('src/domain/a-flow.ts', '../flows/reap.ts', 'Law 1'),
  imports('src/domain/a-world.ts', '../world/account.ts', 'Law 1'),
  imports('src/domain/a-text.ts', '../on-pod-text.ts', 'Law 1'),
  speaks(
    'src/domain/a-late-import.ts',
    "import('../adapters/ssh-shell.ts')",
    'lint/style/noRestrictedImports',
  ),
  speaks('src/domain/a-date.ts', 'new Date(0)', GLOBALS),
  speaks('src/domain/a-now.ts', 'Date.now()', GLOBALS),
  speaks('src/domain/a-process.ts', 'process.pid', GLOBALS),
  speaks('src/domain/a-detour.ts', 'globalThis', GLOBALS),
  imports('src/ports.ts', 'undici', 'The ports'),
  imports('src/flows/a-node.ts', 'node:fs', 'Law 2'),
  imports('src/flows/a-library.ts', 'zod', 'Law 2'),
  imports('src/flows/a-hand.ts', '../adapters/ssh-shell.ts', 'Law 2'),
  imports('src/flows/a-door.ts', '../actions/io.ts', 'Law 2'),
  imports('src/flows/a-world.ts', '../world/account.ts', 'Law 2'),
  imports('src/adapters/a-flow.ts', '../flows/reap.ts', 'Law 3'),
  imports('src/adapters/git/a-deep-flow.ts', '../../flows/reap.ts', 'Law 3'),
  imports('src/adapters/a-door.ts', '../actions/wire.ts', 'Law 3'),
  imports('src/adapters/a-cli.ts', '../cli/main.ts', 'Law 3'),
  imports('src/adapters/an-input.ts', '@actions/core', 'Law 4', 'getInput'),
  imports('src/actions/a-hand.ts', '../adapters/ssh-shell.ts', 'Law 4'),
  imports('src/actions/an-output.ts', '@actions/core', 'Law 4', 'setOutput'),
  {
    ...imports('src/actions/all-core.ts', '@actions/core', 'Law 4'),
    says: "import * as core from '@actions/core';\n\nexport const held = core;\n",
  },
  imports('src/actions/wire.ts', '@actions/core', 'Law 4', 'saveState'),
  imports('src/cli/an-input.ts', '@actions/core', 'Law 4', 'getState'),
  imports('src/world/a-noun.ts', '../domain/pod.ts', 'The world'),
  imports('src/world/a-port.ts', '../ports.ts', 'The world'),
  imports('src/world/pods/a-hand.ts', '../../adapters/ssh-shell.ts', 'The world'),
  imports('src/world/a-client.ts', 'undici', 'The world'),
  imports('test/a-bundle.ts', '../dist/index.js', 'The bundle'),
  {
    path: 'src/flows/first.ts',
    says: "import { b } from './second.ts';\n\nexport const a = (): unknown => b;\n",
    rule: 'lint/suspicious/noImportCycles',
    law: '',
  },
  {
    path: 'src/flows/second.ts',
    says: "import { a } from './first.ts';\n\nexport const b = (): unknown => a;\n",
    rule: 'lint/suspicious/noImportCycles',
    law: '',
  },
  {
    path: 'src/flows/camelCase.ts',
    says: 'export const a = 1;\n',
    rule: 'lint/style/useFilenamingConvention',
    law: '',
  },
  { path: 'src/flows/faceless.ts', says: 'export default 1;\n', rule: 'lint/style/noDefaultExport', law: '' },
  {
    path: 'src/flows/counted.ts',
    says: 'export enum Level {\n  Low,\n}\n',
    rule: 'lint/style/noEnum',
    law: '',
  },
  {
    path: 'src/flows/anything.ts',
    says: 'export const a = (b: any): unknown => b;\n',
    rule: 'lint/suspicious/noExplicitAny',
    law: '',
  },
  {
    path: 'src/flows/barrel.ts',
    says: "export * from './reap.ts';\n",
    rule: 'lint/performance/noReExportAll',
    law: '',
  },
  { path: 'src/flows/crooked.ts', says: 'export const a = "x"\n', rule: 'format', law: '' },
  {
    path: 'test/asleep.test.ts',
    says: "import { it } from 'vitest';\n\nit.skip('a', () => {});\n",
    rule: 'lint/suspicious/noSkippedTests',
    law: '',
  },
];

const tree = layTree(
  Object.fromEntries(BREACHES.map(({ path, says }) => [path, `/** A breach. */\n${says}`])),
);
afterAll(() => tree.remove());

const lines = tree.tool('biome', 'ci', '--reporter=github', '--max-diagnostics=none', '.').said.split('\n');

it.each(BREACHES)('$path is refused by $rule $law', ({ path, rule, law }) => {
  const refusals = lines.filter((line) => line.includes(`${path},`) && line.includes(`title=${rule}`));
  expect(refusals, lines.filter((line) => line.includes(path)).join('\n')).not.toEqual([]);
  expect(refusals.join('\n')).toContain(law);
});

it('what keeps the laws is not named', () => {
  const clean = [
    'src/domain/pod.ts',
    'src/adapters/runpod-provider.ts',
    'src/actions/io.ts',
    'src/cli/main.ts',
  ];
  expect(lines.filter((line) => clean.some((path) => line.includes(`${path},`)))).toEqual([]);
});
