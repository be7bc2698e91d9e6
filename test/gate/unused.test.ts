/** Code, exports and packages that nobody uses are refused by knip. */
import { afterAll, expect, it } from 'vitest';
import { layTree } from './tree.ts';

const tree = layTree();
afterAll(() => tree.remove());

const refuses = (): string => {
  const { code, said } = tree.tool(
    'knip',
    '--no-progress',
    '--include',
    'files,exports,types,dependencies,unlisted',
  );
  expect(code).not.toBe(0);
  return said;
};

it('a file, an export, a type and a package that nobody uses are refused by name', () => {
  tree.put({
    'src/flows/forgotten.ts': '/** Nobody imports this. */\nexport const a = 1;\n',
    'src/flows/reap.ts': `/** One cycle. */
import type { Provider } from '../ports.ts';

export interface LonelyShape {
  readonly a: string;
}
export const lonelyExport = 1;
export async function reap(provider: Provider): Promise<number> {
  return (await provider.list()).length;
}
`,
    'src/world/account.ts':
      "/** The embedded account. */\nimport 'graphql';\n\nexport const account = (): number => 1;\n",
  });
  const said = refuses();
  for (const name of ['src/flows/forgotten.ts', 'lonelyExport', 'LonelyShape', 'graphql']) {
    expect(said).toContain(name);
  }
});
