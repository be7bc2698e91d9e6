/** The laws that no linter expresses are refused by scripts/laws.mjs, each by its name. */
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const BREACHES: ReadonlyArray<readonly [path: string, law: string, says: string]> = [
  ['src/flows/utils.ts', 'names', 'export const a = 1;'],
  ['src/flows/pod-helpers.ts', 'names', 'export const a = 1;'],
  ['src/adapters/shared/pod.ts', 'names', 'export const a = 1;'],
  ['test/lib/pod.ts', 'names', 'export const a = 1;'],
  ['src/world/event.types.ts', 'names', 'export const a = 1;'],
  ['src/core/pod.ts', 'rooms', 'export const a = 1;'],
  ['src/loose.ts', 'rooms', 'export const a = 1;'],
  ['src/flows/too-long.ts', 'length', '// line\n'.repeat(300)],
  ['src/flows/later.ts', 'unfinished', `// ${'TO'}DO: think\nexport const a = 1;`],
  ['src/adapters/a-runner-file.ts', 'io', "export const a = process.env['GITHUB_OUTPUT'];"],
  ['src/cli/an-input.ts', 'io', "export const a = process.env['INPUT_POD'];"],
  ['src/flows/cast.ts', 'casts', 'export const a = (b: string): number => b as unknown as number;'],
  ['test/mocked.test.ts', 'mocks', "import { vi } from 'vitest';\nvi.mock('../src/flows/reap.ts');"],
  ['test/asleep.test.ts', 'skips', "import { it } from 'vitest';\nit.todo('a');"],
  ['src/domain/dice.ts', 'purity', 'export const a = (): number => Math.random();'],
  ['src/domain/slow.ts', 'purity', 'export async function a(): Promise<void> {}'],
  ['src/domain/promised.ts', 'purity', 'export const a = (b: Promise<void>): Promise<void> => b;'],
  ['src/domain/swallow.ts', 'catch', 'export function a(): void {\n  try {\n    a();\n  } catch {}\n}'],
  ['src/flows/swallow.ts', 'catch', 'export function a(): void {\n  try {\n    a();\n  } catch {}\n}'],
];

const tree = layTree({
  ...Object.fromEntries(BREACHES.map(([path, , says]) => [path, `/** A breach. */\n${says}\n`])),
  'src/flows/silent.ts': 'export const a = 1;\n',
  'src/flows/wall.ts':
    '/** Keeps pods apart. */\nexport function a(): void {\n  try {\n    a();\n  } catch {}\n}\n',
  'src/flows/choosy.ts':
    '/** Names what it catches. */\nexport function a(): void {\n  try {\n    a();\n  } catch (error) {\n    if (!(error instanceof TypeError)) throw error;\n  }\n}\n',
  'src/domain/parser.ts':
    '/** Text that may not parse. */\nexport function a(b: string): unknown {\n  try {\n    return JSON.parse(b);\n  } catch {\n    return null;\n  }\n}\n',
  'package.json': '{ "type": "module", "dependencies": { "zod": "^4.6.7" } }\n',
});
afterAll(() => tree.remove());

const { code, said } = tree.script('laws.mjs');
const lines = said.split('\n');

it.each(BREACHES)('%s breaks the law of %s', (path, law) => {
  expect(code).toBe(1);
  expect(lines.filter((line) => line.endsWith(`[law: ${law}]`) && nearestOf(line, path))).not.toEqual([]);
});

it('a file that does not say what it is breaks the law of opening', () => {
  expect(lines).toContainEqual(expect.stringMatching(/^src\/flows\/silent\.ts: .*\[law: opening\]$/));
});

it('a version range breaks the law of pins', () => {
  expect(lines).toContainEqual(expect.stringMatching(/zod is "\^4\.6\.7".*\[law: pins\]$/));
});

it('the wall may catch: it keeps pods apart', () => {
  expect(lines.filter((line) => line.startsWith('src/flows/wall.ts'))).toEqual([]);
});

it('a parser of the domain may turn text that does not parse into data', () => {
  expect(lines.filter((line) => line.startsWith('src/domain/parser.ts'))).toEqual([]);
});

it('a flow may catch an error that it names, and lets the others go on', () => {
  expect(lines.filter((line) => line.startsWith('src/flows/choosy.ts'))).toEqual([]);
});

it('a house whose files grow long as a whole breaks the law of length', () => {
  const grown = layTree(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, number) => [
        `src/flows/story-${number}.ts`,
        `/** A story. */\n${'// line\n'.repeat(120)}`,
      ]),
    ),
  );
  expect(grown.script('laws.mjs').said).toMatch(/the median file has 121 lines/);
  grown.remove();
});

/** A name may be broken by a folder on the way to the file. */
function nearestOf(line: string, path: string): boolean {
  const place = line.slice(0, line.indexOf(':'));
  return path === place || path.startsWith(`${place}/`);
}
