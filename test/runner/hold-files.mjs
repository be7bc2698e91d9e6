/** Loaded before an action's script: asks the runner before and after each write of a runner file, and waits for its word. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const ASK = 3;
const WORD = 4;
const FOLDER = '/_runner_file_commands/';

/** @param {string} question */
function ask(question) {
  try {
    fs.writeSync(ASK, `${question}\n`);
    fs.readSync(WORD, Buffer.alloc(1), 0, 1, null);
  } catch {
    // The runner is gone: there is nobody to wait for.
  }
}

/** A write may rest on another one, which is not asked about again. */
let inside = false;

/** @param {unknown} path */
function isHeld(path) {
  return !inside && String(path).includes(FOLDER);
}

const { appendFileSync, writeFileSync } = fs;

/** @type {typeof appendFileSync} */
fs.appendFileSync = (path, data, options) => {
  if (!isHeld(path)) return appendFileSync(path, data, options);
  ask(`before ${String(path)}`);
  inside = true;
  appendFileSync(path, data, options);
  inside = false;
  ask(`after ${String(path)}`);
};

/** @type {typeof writeFileSync} */
fs.writeFileSync = (path, data, options) => {
  if (!isHeld(path)) return writeFileSync(path, data, options);
  ask(`before ${String(path)}`);
  writeFileSync(path, data, options);
  ask(`after ${String(path)}`);
};

for (const name of /** @type {const} */ (['appendFile', 'writeFile'])) {
  const real = fs.promises[name];
  fs.promises[name] = async (/** @type {any} */ ...args) => {
    const [path, data, options] = args;
    if (!isHeld(path)) return real(path, data, options);
    ask(`before ${String(path)}`);
    await real(path, data, options);
    ask(`after ${String(path)}`);
  };
}

syncBuiltinESMExports();
