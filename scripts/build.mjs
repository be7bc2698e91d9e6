/** Builds dist/: one ESM bundle of src/actions/index.ts, a two-line stub per door, the licences of what is inside. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ncc from '@vercel/ncc';
import ts from 'typescript';
import { minifySync } from 'vite';
import { differences } from './compare-trees.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SIZE_LIMIT = 9 * 1024 * 1024;

/** What the build drops: natives cannot be reproduced everywhere, and pagent.exe only serves Windows' PuTTY. */
const UNWANTED = /(\.node|(^|\/)pagent\.exe)$/;

const usage = `usage: node scripts/build.mjs [--check] [--out FOLDER]
  (nothing)      writes dist/
  --out FOLDER   writes there instead
  --check        builds aside and fails when dist/ differs by one byte`;

/** The doors are the files of src/actions that export \`run\`; the command line is a door of its own. */
function doors() {
  const folder = join(root, 'src', 'actions');
  const index = readFileSync(join(folder, 'index.ts'), 'utf8');
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .filter((file) => /^export (async )?function run\b/m.test(readFileSync(join(folder, file), 'utf8')))
    .map((file) => basename(file, '.ts'))
    .sort();
  const lost = names.filter((name) => !index.includes(`import('./${name}.ts')`));
  if (lost.length > 0) throw new Error(`src/actions/index.ts does not open these doors: ${lost.join(', ')}`);
  return index.includes("import('../cli/") ? [...names, 'cli'] : names;
}

/**
 * Strips the types file by file. tsc has judged them elsewhere, and ncc's own loader refuses a config with noEmit.
 * @param {string} to
 */
function stripTypes(to) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const compilerOptions = {
    ...options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    removeComments: true,
  };
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const source = readFileSync(join(root, 'src', file), 'utf8');
    const target = join(to, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, ts.transpileModule(source, { fileName: file, compilerOptions }).outputText);
  }
}

/**
 * ncc names modules relative to the working folder; two levels below the root it reaches node_modules by the same
 * words wherever the repository lies, so the bytes do not depend on the place.
 * @param {string} work
 * @returns {Promise<Map<string, string | Buffer>>}
 */
async function bundle(work) {
  stripTypes(join(work, 'src'));
  writeFileSync(join(work, 'package.json'), '{"type":"module"}\n');
  process.chdir(work);
  const { code, assets } = await ncc(join(work, 'src', 'actions', 'index.js'), {
    cache: false,
    esm: true,
    license: 'licenses.txt',
    minify: false,
    quiet: true,
    sourceMap: false,
  });
  process.chdir(root);
  /** @type {Map<string, string | Buffer>} */
  const files = new Map([['index.js', compact('index.js', code)]]);
  for (const [name, { source }] of Object.entries(assets)) {
    if (!UNWANTED.test(name)) files.set(name, name.endsWith('.js') ? compact(name, String(source)) : source);
  }
  return files;
}

/**
 * Takes blanks and comments out, which are nearly half of what the libraries bring; names stay, so that a stack trace
 * can be read. Their licences stand in licenses.txt. Only ncc's own minifier would leave the chunks as they are.
 * @param {string} name
 * @param {string} code
 */
function compact(name, code) {
  // What ncc cannot find it leaves to fail when it is needed: of our own modules that is never meant.
  const lost = /eval\("require"\)\("(\.[^"]*\.js)"\)/.exec(code)?.[1];
  if (lost !== undefined) throw new Error(`${name} asks for ${lost}, which is not there`);
  const { code: small, errors } = minifySync(name, code, {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new Error(`${name} cannot be made smaller: ${errors[0]?.message}`);
  return small;
}

/** @param {string} prefix */
function freshFolder(prefix) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  return mkdtempSync(join(root, '.cache', prefix));
}

/** @param {string} to */
async function build(to) {
  execFileSync(process.execPath, [join(root, 'scripts', 'embed-on-pod.mjs'), '--check'], {
    stdio: 'inherit',
  });
  const work = freshFolder('build-');
  try {
    const files = await bundle(work);
    files.set('package.json', '{"type":"module"}\n');
    for (const name of doors()) {
      const shebang = name === 'cli' ? '#!/usr/bin/env node\n' : '';
      files.set(`${name}.js`, `${shebang}import { door } from './index.js';\nawait door('${name}');\n`);
    }
    write(files, to);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {Map<string, string | Buffer>} files
 * @param {string} to
 */
function write(files, to) {
  let size = 0;
  rmSync(to, { recursive: true, force: true });
  for (const [name, content] of files) {
    const target = join(to, name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    size += statSync(target).size;
  }
  if (files.has('cli.js')) chmodSync(join(to, 'cli.js'), 0o755);
  if (size > SIZE_LIMIT) throw new Error(`the bundle weighs ${size} bytes, the limit is ${SIZE_LIMIT}`);
  process.stdout.write(`${files.size} files, ${(size / 1e6).toFixed(2)} MB in ${to}\n`);
}

/** @param {string[]} args */
async function main(args) {
  const out = args.includes('--out') ? args[args.indexOf('--out') + 1] : 'dist';
  if (args.includes('--help') || out === undefined) return void process.stdout.write(`${usage}\n`);
  if (!args.includes('--check')) return build(resolve(out));
  const fresh = freshFolder('check-');
  try {
    await build(fresh);
    const wrong = differences(fresh, join(root, 'dist'));
    if (wrong.length > 0) {
      process.stderr.write(
        `dist/ is not what the sources build; run \`npm run build\`:\n  ${wrong.join('\n  ')}\n`,
      );
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
