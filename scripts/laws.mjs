/** The laws of the house that no linter expresses: names, sizes, opening sentences, purity, who speaks to the runner. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'samples', '.git', '.cache']);
const FORBIDDEN_NAMES = new Set(
  'utils util helpers helper common shared manager service types lib misc functions'.split(' '),
);
const ROOMS = new Set(['actions', 'adapters', 'cli', 'domain', 'flows', 'world']);
const FILES_IN_SRC = new Set(['README.md', 'ports.ts', 'on-pod-text.ts']);
const GENERATED = new Set(['src/on-pod-text.ts']);
const MAX_LINES = 300;
const MAX_MEDIAN_LINES = 100;

/** @typedef {{ path: string, text: string, ast: ts.SourceFile }} Source */

/** @type {string[]} */
const breaches = [];

/**
 * @param {string} law
 * @param {string} place
 * @param {string} sentence
 */
function breach(law, place, sentence) {
  breaches.push(`${place}: ${sentence} [law: ${law}]`);
}

/**
 * @param {string} folder
 * @returns {string[]} every file and folder below, as paths from the root with forward slashes
 */
function walk(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const name = relative(root, path).replaceAll('\\', '/');
      return entry.isDirectory() ? [name, ...walk(path)] : [name];
    });
}

/** @param {string} path */
function nameLaw(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const word = name.split(/[-.]/).find((part) => FORBIDDEN_NAMES.has(part.toLowerCase()));
  if (word !== undefined) breach('names', path, `"${word}" says nothing; name it by what it holds`);
  const inSrc = /^src\/([^/]+)$/.exec(path)?.[1];
  if (inSrc !== undefined && !ROOMS.has(inSrc) && !FILES_IN_SRC.has(inSrc)) {
    breach('rooms', path, 'src has no such room; see src/README.md');
  }
}

/** @param {Source} source */
function openingLaw({ path, text }) {
  if (!/^(#!.*\n)?(\/\*\*?\s*\S|\/\/\s*\S)/.test(text)) {
    breach('opening', path, 'a file opens with one sentence in a comment that says what it is');
  }
}

/** @param {Source} source */
function lengthLaw({ path, text }) {
  const lines = text.split('\n').length - 1;
  if (path.startsWith('src/') && lines > MAX_LINES) {
    breach('length', path, `${lines} lines, the limit is ${MAX_LINES}`);
  }
}

/** @param {Source[]} sources */
function medianLaw(sources) {
  const lengths = sources
    .filter(({ path }) => path.startsWith('src/'))
    .map(({ text }) => text.split('\n').length - 1);
  lengths.sort((a, b) => a - b);
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
  if (median > MAX_MEDIAN_LINES) {
    breach('length', 'src', `the median file has ${median} lines, the limit is ${MAX_MEDIAN_LINES}`);
  }
}

/** @param {Source} source */
function wordsLaw({ path, text }) {
  const mark = /\b(TODO|FIXME|XXX|HACK)\b/.exec(text);
  if (mark !== null && path !== 'scripts/laws.mjs')
    breach('unfinished', at(path, text, mark.index), `says ${mark[0]}`);
  const runner = /['"`](INPUT_|STATE_|GITHUB_(OUTPUT|STATE|ENV|PATH)\b)/.exec(text);
  if (runner !== null && /^src\/(actions|cli|adapters|flows)\//.test(path) && path !== 'src/actions/io.ts') {
    breach(
      'io',
      at(path, text, runner.index),
      'only src/actions/io.ts knows how the runner hands things over',
    );
  }
}

/**
 * @param {string} path
 * @param {string} text
 * @param {number} position
 */
function at(path, text, position) {
  return `${path}:${text.slice(0, position).split('\n').length}`;
}

/** What a node says that is forbidden everywhere. @type {[string, (node: ts.Node) => boolean, string][]} */
const EVERYWHERE = [
  ['casts', isDoubleCast, 'a double cast hides a missing parse'],
  [
    'mocks',
    (node) => isCallOf(node, 'vi', ['mock', 'doMock', 'hoisted', 'stubGlobal']),
    'a wish for it means a wall is missing',
  ],
  ['skips', (node) => isCallOf(node, '', ['todo', 'skip', 'only', 'fails']), 'a test runs or is not there'],
];

/** What a node says that is forbidden in src/domain. @type {[string, (node: ts.Node) => boolean, string][]} */
const IN_DOMAIN = [
  ['purity', (node) => isCallOf(node, 'Math', ['random']), 'chance is an argument'],
  ['purity', (node) => node.kind === ts.SyntaxKind.AsyncKeyword, 'the domain does not wait'],
  ['purity', (node) => ts.isAwaitExpression(node), 'the domain does not wait'],
  ['purity', (node) => ts.isIdentifier(node) && node.text === 'Promise', 'the domain does not wait'],
];

/** Hands wrap, the wall keeps pods apart, doors end the process: there an exception may be caught as it comes. */
const CATCHES_WITH_CARE = /^src\/(domain\/|ports\.ts|flows\/(?!wall\.ts))/;

/**
 * `try { return parsed } catch { return notParsed }`: text that does not parse becomes data, which is all that the domain may catch.
 * @param {ts.TryStatement} node
 */
function isParser(node) {
  const blocks = [node.tryBlock, node.catchClause?.block];
  return blocks.every((block) => {
    const [only, ...more] = block?.statements ?? [];
    return only !== undefined && more.length === 0 && ts.isReturnStatement(only);
  });
}

/**
 * `if (!(error instanceof WorldError)) throw error;` first: what the flow does not name goes on.
 * @param {ts.TryStatement} node
 */
function isChoosy(node) {
  const [first] = node.catchClause?.block.statements ?? [];
  return first !== undefined && /^if \(!\((\w+) instanceof \w+\)\) throw \1;$/.test(first.getText());
}

/**
 * @param {string} path
 * @param {ts.TryStatement} node
 */
function swallows(path, node) {
  if (node.catchClause === undefined || !CATCHES_WITH_CARE.test(path)) return false;
  return path.startsWith('src/flows/') ? !isChoosy(node) : !isParser(node);
}

/** @param {ts.Node} node */
function isDoubleCast(node) {
  return (
    ts.isAsExpression(node) &&
    ts.isAsExpression(node.expression) &&
    node.expression.type.kind === ts.SyntaxKind.UnknownKeyword
  );
}

/**
 * @param {ts.Node} node
 * @param {string} owner '' stands for vitest's own words
 * @param {string[]} methods
 */
function isCallOf(node, owner, methods) {
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression)) return false;
  const owners = owner === '' ? ['it', 'test', 'describe'] : [owner];
  return owners.includes(node.expression.text) && methods.includes(node.name.text);
}

/** @param {Source} source */
function speechLaw({ path, text, ast }) {
  const rules = path.startsWith('src/domain/') ? [...EVERYWHERE, ...IN_DOMAIN] : EVERYWHERE;
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isTryStatement(node) && swallows(path, node)) {
      breach(
        'catch',
        at(path, text, node.getStart(ast)),
        'the domain catches only to parse, a flow only what it names',
      );
    }
    for (const [law, matches, reason] of rules) {
      if (matches(node))
        breach(law, at(path, text, node.getStart(ast)), `\`${node.getText(ast)}\`: ${reason}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ast);
}

function pinLaw() {
  const path = join(root, 'package.json');
  if (!existsSync(path)) return;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8'));
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    if (!/^\d+\.\d+\.\d+$/.test(String(version))) {
      breach('pins', 'package.json', `${name} is "${version}"; a version is pinned exactly`);
    }
  }
}

const paths = walk(root);
for (const path of paths) nameLaw(path);
const sources = paths
  .filter((path) => ['.ts', '.mjs'].includes(extname(path)) && !GENERATED.has(path))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
  });
for (const source of sources) {
  openingLaw(source);
  lengthLaw(source);
  wordsLaw(source);
  speechLaw(source);
}
medianLaw(sources);
pinLaw();

if (breaches.length > 0) {
  process.stderr.write(`${breaches.join('\n')}\n${breaches.length} breach(es) of the laws of the house\n`);
  process.exitCode = 1;
}
