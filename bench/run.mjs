/** `npm run bench`: bundles the bench for plain Node, which runs no TypeScript at 20, and starts it. See bench/README.md. */
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const outDir = join(root, '.cache', 'bench');
const entries = readdirSync(join(root, 'bench')).filter((file) => /^(main|.*-process)\.ts$/.test(file));

process.chdir(root);
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    minify: false,
    target: 'node20',
    rollupOptions: {
      input: Object.fromEntries(
        entries.map((file) => [file.replace(/\.ts$/, ''), join(root, 'bench', file)]),
      ),
    },
  },
});
await import(pathToFileURL(join(outDir, 'main.js')).href);
