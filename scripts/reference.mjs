/** Writes docs/reference/actions.md from the action.yml files; `--check` fails when it is not what they say. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PAGE = 'docs/reference/actions.md';

/** @typedef {{ description: string, required?: boolean, default?: string }} Input */
/**
 * @typedef {{
 *   name: string, description: string, inputs: Record<string, Input>,
 *   outputs: Record<string, { description: string }>,
 *   runs: { using: string, post?: string, steps?: { uses: string }[] },
 * }} Action
 */

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/** @param {Action} action */
function inputTable({ inputs }) {
  const rows = Object.entries(inputs).map(([name, { description, required, default: given }]) => {
    const note = required === true ? 'required' : given === undefined ? '' : 'by the runner';
    return `| \`${name}\` | ${cell(description)} | ${note} |`;
  });
  return ['| input | what it says | |', '|---|---|---|', ...rows].join('\n');
}

/** @param {Action} action */
function outputTable({ outputs }) {
  const rows = Object.entries(outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return ['| output | what it says |', '|---|---|', ...rows].join('\n');
}

/** @param {Action} action */
function kind({ runs }) {
  if (runs.steps !== undefined)
    return `Composite: ${runs.steps.map(({ uses }) => `\`${uses}\``).join(', then ')}.`;
  return runs.post === undefined ? `Runs on ${runs.using}.` : `Runs on ${runs.using}, with a post step.`;
}

/** @param {string} folder */
function section(folder) {
  /** @type {Action} */
  const action = parse(readFileSync(join(root, folder, 'action.yml'), 'utf8'));
  const uses = folder === '.' ? 'podtrack/register@v1' : `podtrack/register/${folder}@v1`;
  return [
    `## \`${uses}\``,
    `${action.description}. ${kind(action)}`,
    inputTable(action),
    outputTable(action),
  ].join('\n\n');
}

function page() {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'action.yml')))
    .map(({ name }) => name)
    .sort();
  return [
    '# Actions: inputs and outputs',
    'Generated from the action.yml files by `node scripts/reference.mjs`; do not edit. An input that is left out, or ' +
      'empty, counts as not given: then the environment, `.github/podtrack.yml`, the profile and the default follow, in ' +
      'this order. Durations are minutes, or a number with s, m, h or d.',
    ...['.', ...folders].map(section),
    '',
  ].join('\n\n');
}

const wanted = `${page().trimEnd()}\n`;
const path = join(root, PAGE);
if (!process.argv.includes('--check')) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wanted);
} else if (!existsSync(path) || readFileSync(path, 'utf8') !== wanted) {
  process.stderr.write(`${PAGE} is not what the action.yml files say; run: node scripts/reference.mjs\n`);
  process.exitCode = 1;
}
