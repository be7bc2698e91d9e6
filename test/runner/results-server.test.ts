/** @actions/cache and @actions/artifact run unmodified against the results service, from inside a JavaScript action. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ResultsService, resultsService } from './results-server.ts';
import { jobOf, nodeAction, onlyJob, type Stand, said, standWith } from './stand.ts';

let stand: Stand;
let results: ResultsService;
beforeAll(async () => {
  results = await resultsService();

  const library = (name: string): string => JSON.stringify(import.meta.resolve(name));
  const files = {
    'cache/action.yml': nodeAction('m.mjs'),
    'cache/m.mjs': `import * as cache from ${library('@actions/cache')};
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
mkdirSync('stuff'); writeFileSync('stuff/a.txt', 'cached text');
console.log('miss', await cache.restoreCache(['stuff'], 'k-1'));
await cache.saveCache(['stuff'], 'k-1');
rmSync('stuff', { recursive: true });
console.log('hit', await cache.restoreCache(['stuff'], 'k-2', ['k-']), readFileSync('stuff/a.txt', 'utf8'));
await cache.saveCache(['stuff'], 'k-1');
`,
    'artifact/action.yml': nodeAction('m.mjs'),
    'artifact/m.mjs': `import { DefaultArtifactClient } from ${library('@actions/artifact')};
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
mkdirSync('out'); writeFileSync('out/b.txt', 'kept text');
const client = new DefaultArtifactClient();
const { id } = await client.uploadArtifact('kept', ['out/b.txt'], 'out');
const { artifacts } = await client.listArtifacts();
console.log('list', artifacts.map(({ name }) => name).join());
await client.downloadArtifact(id, { path: 'back' });
console.log('back', readFileSync('back/b.txt', 'utf8'));
await client.uploadArtifact('kept', ['out/b.txt'], 'out').catch((error) => console.log('again', /already exists|Conflict/i.test(error.message)));
`,
  };
  stand = standWith(files, { serviceEnv: results.env });
});
afterAll(async () => {
  stand.close();
  await results.close();
});

it('a cache is missed, saved, found by a prefix, and never saved twice under one key', async () => {
  const job = onlyJob(await stand.run(jobOf('- uses: $/cache')));
  const lines = job.steps.flatMap(said);
  expect(lines).toEqual(expect.arrayContaining(['miss undefined', 'hit k-1 cached text']));
  expect(lines.join('\n')).toContain('Unable to reserve cache with key k-1');
  expect(results.caches()).toEqual(['k-1']);
}, 60_000);

it('an artifact is uploaded, listed, downloaded, and its name is taken for the run', async () => {
  const job = onlyJob(await stand.run(jobOf('- uses: $/artifact')));
  expect(job.steps.flatMap(said)).toEqual(
    expect.arrayContaining(['list kept', 'back kept text', 'again true']),
  );
  expect(results.artifacts().map(({ name }) => name)).toEqual(['kept']);
}, 60_000);
