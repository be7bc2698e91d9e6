/** Holds the embedded world against RunPod's OpenAPI document: every answer and every request body, plus the later fields named here. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { acceptanceDrift } from './openapi-drift/acceptance.mjs';
import { answerDrift } from './openapi-drift/answers.mjs';
import { withLaterFields } from './openapi-drift/document.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const fallback = join(root, '..', 'shared', 'contract', 'runpod-openapi-v2.json');
const path = process.argv[2] ?? process.env['PODTRACK_OPENAPI'] ?? fallback;

if (!existsSync(path)) {
  console.log(`openapi-drift: no document at ${path}; nothing was compared`);
  process.exit(0);
}

const document = withLaterFields(JSON.parse(readFileSync(path, 'utf8')));

/**
 * @template T
 * @param {string} file
 * @returns {Promise<T>}
 */
async function load(file) {
  const { module } = await runnerImport(join(root, file), { configFile: false, logLevel: 'error' });
  return /** @type {T} */ (module);
}

const { serveWorld } = await load('src/world/serve.ts');
const { virtualClock } = await load('src/world/clock.ts');
const { v2Routes } = await load('src/world/http/v2/rest.ts');
const bodies = await load('src/world/http/v2/requests.ts');

const reports = [
  acceptanceDrift(document, bodies),
  await answerDrift(document, { serveWorld, virtualClock, v2Routes }),
];
const drift = reports.flatMap(({ drift: found }) => found);

for (const { compared } of reports) for (const line of compared) console.log(`openapi-drift: ${line}`);
for (const line of drift) console.error(`openapi-drift: DRIFT ${line}`);
console.log(`openapi-drift: ${drift.length === 0 ? 'no drift' : `${drift.length} places drift`} (${path})`);
process.exit(drift.length === 0 ? 0 : 1);
