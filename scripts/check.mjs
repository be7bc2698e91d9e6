/** The one gate: types, lint, format, laws, unused code, embedded text, bundle, tests. `npm run check` must end 0. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const usage = `usage: node scripts/check.mjs [--only NAME,…] [--without NAME,…] [--json FILE]
  names: types, sealed-domain, lint, format, laws, unused, embedded, reference, bundle, tests`;

/** @typedef {{ name: string, command: string[], proves: string }} Check */

/** @param {string} name */
const tool = (name) => join(root, 'node_modules', '.bin', name);

/** @type {Check[]} */
const CHECKS = [
  { name: 'types', command: [tool('tsc'), '-p', '.'], proves: 'the whole tree type-checks' },
  { name: 'sealed-domain', command: [tool('tsc'), '-p', 'src/domain'], proves: 'the domain needs no Node' },
  {
    name: 'lint',
    command: [tool('oxlint'), '--type-aware', '--deny-warnings', '--quiet'],
    proves: 'no floating promise, no long function',
  },
  {
    name: 'format',
    command: [tool('biome'), 'ci', '--error-on-warnings', '.'],
    proves: 'format and import laws',
  },
  { name: 'laws', command: [process.execPath, 'scripts/laws.mjs'], proves: 'names, sizes, purity' },
  { name: 'unused', command: [tool('knip'), '--no-progress'], proves: 'no dead code, no dead dependency' },
  {
    name: 'embedded',
    command: [process.execPath, 'scripts/embed-on-pod.mjs', '--check'],
    proves: 'src/on-pod-text.ts is on-pod/',
  },
  {
    name: 'reference',
    command: [process.execPath, 'scripts/reference.mjs', '--check'],
    proves: 'docs/reference/ is what the action.yml files say',
  },
  {
    name: 'bundle',
    command: [process.execPath, 'scripts/build.mjs', '--check'],
    proves: 'dist/ is what src/ builds',
  },
  { name: 'tests', command: [process.execPath, 'scripts/setup-tests.mjs'], proves: 'npm test' },
];

/**
 * @param {Check} check
 * @returns {Promise<{ name: string, passed: boolean }>}
 */
function run({ name, command: [program = '', ...args], proves }) {
  const startedAt = Date.now();
  return new Promise((done) => {
    // The gate leaves no suite out for its length.
    const env = { ...process.env, PODTRACK_TEST_ALL: '1' };
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const hear = (/** @type {Buffer} */ chunk) => {
      said += chunk.toString();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', (error) => hear(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      const passed = code === 0;
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(
        `${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(14)} ${seconds.padStart(6)} s  ${proves}\n`,
      );
      if (!passed || name === 'tests') process.stdout.write(`${said.trimEnd()}\n`);
      done({ name, passed });
    });
  });
}

/**
 * @param {string[]} args
 * @param {string} flag
 */
function names(args, flag) {
  const position = args.indexOf(flag);
  const given = position < 0 ? undefined : args[position + 1];
  const list = given?.split(',') ?? [];
  const unknown = list.filter((name) => !CHECKS.some((check) => check.name === name));
  if (unknown.length > 0) throw new Error(`no such check: ${unknown.join(', ')}\n${usage}`);
  return given === undefined ? undefined : list;
}

/** Two at a time, as a small machine has cores; the tests, which fill every core, alone at the end.
 * @param {string[]} args
 */
async function main(args) {
  if (args.includes('--help')) return void process.stdout.write(`${usage}\n`);
  const only = names(args, '--only');
  const without = names(args, '--without') ?? [];
  const chosen = CHECKS.filter(({ name }) => (only?.includes(name) ?? true) && !without.includes(name));
  const waiting = chosen.filter(({ name }) => name !== 'tests');
  /** @type {{ name: string, passed: boolean }[]} */
  const results = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results.push(await run(next));
  };
  await Promise.all([lane(), lane()]);
  const tests = chosen.find(({ name }) => name === 'tests');
  if (tests !== undefined) results.push(await run(tests));
  const failed = results.filter(({ passed }) => !passed);
  const file = args.includes('--json') ? args[args.indexOf('--json') + 1] : undefined;
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(results)}\n`);
  process.stdout.write(
    failed.length === 0
      ? `all ${results.length} checks passed\n`
      : `${failed.length} of ${results.length} checks failed: ${failed.map(({ name }) => name).join(', ')}\n`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

await main(process.argv.slice(2));
