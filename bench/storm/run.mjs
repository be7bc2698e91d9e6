/** `npm run storm`: bundles the storm for plain Node, which runs no TypeScript at 20, and starts it. See bench/README.md. */
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPrograms } from './programs.mjs';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const outDir = join(root, '.cache', 'storm');
process.chdir(root);
await buildPrograms(root, ['main', 'writer-process'], outDir);
await import(pathToFileURL(join(outDir, 'main.js')).href);
