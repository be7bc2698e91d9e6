/** What `npm test` runs: installs the locked packages when they are not there, then the tests. Needs Node, npm and git only. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean, devOptional?: boolean, link?: boolean }> | undefined}
 */
function packages(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

/** Names one package that is not installed as the lock says; optional ones depend on the machine and do not count. */
function stale() {
  const locked = packages(join(root, 'package-lock.json')) ?? {};
  const installed = packages(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return 'node_modules';
  return Object.keys(locked).find((name) => {
    const wanted = locked[name];
    if (name === '' || wanted === undefined || wanted.optional === true || wanted.devOptional === true)
      return false;
    return installed[name]?.version !== wanted.version;
  });
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status, error } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error !== undefined) process.stderr.write(`${program} did not start: ${error.message}\n`);
  return status ?? 1;
}

function main() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`The tests need Node 20.19 or newer; this is ${process.version}.\n`);
    return 1;
  }
  const lacking = stale();
  if (lacking !== undefined) {
    process.stdout.write(`${lacking} is not installed as package-lock.json says: running npm ci\n`);
    const code = run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    if (code !== 0) return code;
  }
  // Who names a path wants what lies there, however long it takes.
  if (process.argv.slice(2).some((word) => !word.startsWith('-'))) process.env['PODTRACK_TEST_ALL'] = '1';
  return run(process.execPath, [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...process.argv.slice(2),
  ]);
}

process.exitCode = main();
