/** `npm run cuts`: Node 20 runs no TypeScript, so vite reads the sources where they lie. See main.ts. */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** Published for bundlers only: Node cannot resolve their extensionless imports. */
const inlined = /@actions\/(workflow-parser|expressions)/;

const { module } = await runnerImport(join(root, 'test/cuts/main.ts'), {
  root,
  configFile: false,
  logLevel: 'error',
  resolve: { noExternal: [inlined] },
});
await module.main(process.argv.slice(2));
