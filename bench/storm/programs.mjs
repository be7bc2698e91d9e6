/** Bundles programs of the storm, so that each of its processes starts as plain JavaScript. */
import { join } from 'node:path';
import { build } from 'vite';

/**
 * @param {string} root
 * @param {readonly string[]} names files of bench/storm without their ending
 * @param {string} outDir
 */
export async function buildPrograms(root, names, outDir) {
  const input = Object.fromEntries(names.map((name) => [name, join(root, 'bench', 'storm', `${name}.ts`)]));
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
      rollupOptions: { input },
    },
  });
}
