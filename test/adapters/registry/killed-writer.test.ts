/** A writer killed before and after everything that others can see of it: the old state or the new one, and the next writer goes on. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRegistry } from '../../../src/adapters/git-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { parseOpTrailer } from '../../../src/domain/registry/message.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import { queuedText, queueId } from '../../../src/domain/registry/queue-entry.ts';
import type { RegistryStore } from '../../../src/ports.ts';
import { suiteWith } from '../../components.ts';
import { NOW, podIn, register, settle, sha256 } from '../../domain/registry/record-maker.ts';
import { type Moment, TOKEN } from '../../github-server/switches.ts';
import { type GithubPlace, githubPlace } from './github-place.ts';
import { inBare, tickingClock } from './place-under-test.ts';
import type { Order } from './writer-process.ts';

type Way = 'git over a path' | 'git over HTTP' | 'API' | 'API without its mutations';
const WAYS: readonly Way[] = ['git over a path', 'git over HTTP', 'API', 'API without its mutations'];
const AT_ONCE = 3;
const MINUTE = 60_000;

const out = join(process.cwd(), '.cache', `writer-process-${process.pid}`);

/** One place with what a job would do there: start the registry, or go on with one that has a pod and a queue. */
type Scene = {
  readonly place: GithubPlace;
  readonly batches: readonly (readonly RegistryOp[])[];
  /** Ops that others have committed or queued before. */
  readonly before: readonly RegistryOp[];
};

async function newScene(way: Way, starts: boolean): Promise<Scene> {
  const place = await githubPlace();
  place.server.switches.commitMutations = way !== 'API without its mutations';
  if (starts) return { place, batches: [[register('abc')]], before: [] };
  const hot = register('hot');
  const { state } = await storeOn(place, way).submit([hot]);
  const waiting = settle('hot', { note: 'queued' });
  const id = queueId([waiting], NOW + MINUTE, sha256);
  place.putQueued(id, queuedText(state.meta.registryId, [waiting]));
  const batches = [[register('abc')], [settle('abc', { note: 'seen' })]];
  return { place, batches, before: [hot, waiting] };
}

function remoteOf({ server }: GithubPlace, way: Way): string | null {
  if (way === 'git over a path') return server.folder;
  return way === 'git over HTTP' ? server.gitUrl : null;
}

function storeOn(place: GithubPlace, way: Way): RegistryStore {
  const remote = remoteOf(place, way);
  if (remote === null) return place.store();
  return gitRegistry({
    remote,
    scratchFolder: join(place.server.root, 'scratch'),
    credential: { username: 'x-access-token', token: TOKEN },
    clock: tickingClock(),
    chance: nodeChance(),
    repository: null,
  });
}

/** git's own hooks see what a push over a path does; they count like the server and kill like it. */
const HOOK = `#!/bin/sh
cat >/dev/null
at=$(cat moments 2>/dev/null | wc -l)
echo "\${0##*/} $1" >>moments
if [ "$at" = "$(cat kill-at)" ]; then kill -9 "-$(cat victim)"; fi
exit 0
`;
const HOOKS = ['pre-receive', 'update', 'reference-transaction', 'post-receive'] as const;

function watchPath(folder: string, killAt: number): void {
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  for (const name of HOOKS) {
    writeFileSync(join(folder, 'hooks', name), HOOK);
    chmodSync(join(folder, 'hooks', name), 0o755);
  }
  writeFileSync(join(folder, 'kill-at'), String(killAt));
}

function unwatchPath(folder: string): readonly string[] {
  const told = join(folder, 'moments');
  const moments = existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [];
  for (const name of [...HOOKS.map((hook) => `hooks/${hook}`), 'moments', 'kill-at', 'victim'])
    rmSync(join(folder, name), { force: true });
  return moments;
}

/** Runs the writer and kills it with all its children at moment `killAt`; gives the moments that there were. */
async function runWriter({ place, batches }: Scene, way: Way, killAt: number): Promise<readonly string[]> {
  const { server } = place;
  const order: Order = {
    remote: remoteOf(place, way),
    api: { apiUrl: server.apiUrl, graphqlUrl: server.graphqlUrl },
    token: TOKEN,
    scratchFolder: join(server.root, 'scratch'),
    now: NOW + 2 * MINUTE,
    batches,
  };
  watchPath(server.folder, way === 'git over a path' ? killAt : -1);
  const child = spawn(process.execPath, [join(out, 'writer-process.js'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  writeFileSync(join(server.folder, 'victim'), String(child.pid));
  const moments: string[] = [];
  server.switches.moment = ({ label, phase }: Moment): boolean => {
    moments.push(`${phase} ${label}`);
    if (moments.length - 1 !== killAt) return false;
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    return true;
  };
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await new Promise((over) => child.once('close', over));
  server.switches.moment = () => false;
  const byHooks = unwatchPath(server.folder);
  if (killAt < 0 && said !== 'done\n') throw new Error(`the writer did not end: ${said}`);
  return way === 'git over a path' ? byHooks : moments;
}

/** A lock that a killed process left counts as old, as it is by the time somebody looks. */
function age(folder: string): void {
  const past = new Date(Date.now() - MINUTE);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.lock')) utimesSync(join(folder, name), past, past);
}

/** The next writer reads a whole registry, sends the same ops again, and each stands once. Gives whether the first had got through. */
async function goOn({ place, batches, before }: Scene, way: Way): Promise<'old' | 'between' | 'new'> {
  age(place.server.folder);
  const store = storeOn(place, way);
  const { caution } = await store.read();
  expect(caution.filter(({ code }) => code !== 'sweep-missing')).toEqual([]);
  const results = [];
  for (const batch of batches) results.push(...(await store.submit(batch)).results);
  const kinds = results.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== 'applied' && kind !== 'duplicate')).toEqual([]);
  const { state, sweep } = await store.read();
  expect(await store.saveSweep(sweep)).toBe(true);
  const all = [...before, ...batches.flat()].map(({ key }) => key);
  const history = await store.history({ limit: 100 });
  const told = history.flatMap(({ trailers }) =>
    trailers.flatMap(([name, value]) => (name === 'Podtrack-Op' ? [parseOpTrailer(value)['key'] ?? ''] : [])),
  );
  expect(told.toSorted()).toEqual(all.toSorted());
  const seqs = history.flatMap(({ trailers }) =>
    trailers.flatMap(([name, value]) => (name === 'Podtrack-Seq' ? [Number(value)] : [])),
  );
  expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
  expect(place.queue()).toEqual({});
  expect(podIn(state, 'abc').status).toBe('active');
  inBare(place.server.folder, ['fsck', '--connectivity-only', '--no-dangling']);
  if (kinds.every((kind) => kind === 'duplicate')) return 'new';
  return kinds.some((kind) => kind === 'duplicate') ? 'between' : 'old';
}

type Row = { way: string; does: string; moments: number; old: number; between: number; new: number };

async function killEverywhere(way: Way, starts: boolean): Promise<Row> {
  const counting = await newScene(way, starts);
  const moments = await runWriter(counting, way, -1);
  await goOn(counting, way);
  await counting.place.close();
  const row: Row = {
    way,
    does: starts ? 'starts a registry' : 'goes on with one',
    moments: moments.length,
    old: 0,
    between: 0,
    new: 0,
  };
  const waiting = moments.map((_, index) => index);
  const lane = async (): Promise<void> => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const scene = await newScene(way, starts);
      await runWriter(scene, way, at);
      row[await goOn(scene, way)] += 1;
      await scene.place.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return row;
}

suiteWith(['git-http-backend'], 'a writer that is killed (case C45)', () => {
  const rows: Row[] = [];
  beforeAll(async () => {
    await build({
      configFile: false,
      logLevel: 'warn',
      ssr: { noExternal: true },
      build: {
        ssr: true,
        outDir: out,
        minify: false,
        target: 'node20',
        rollupOptions: { input: join(import.meta.dirname, 'writer-process.ts') },
      },
    });
  }, 120_000);
  afterAll(() => {
    rmSync(out, { recursive: true, force: true });
    const cells = rows.map(({ way, does, ...counts }) => [way, does, ...Object.values(counts)].join(' | '));
    process.stdout.write(`way | the writer | moments | left old | between | new\n${cells.join('\n')}\n`);
  });

  describe.each(WAYS)('%s', (way) => {
    it.each([true, false])(
      'leaves the old or the new state at every moment (starts the registry: %s)',
      async (starts) => {
        const row = await killEverywhere(way, starts);
        rows.push(row);
        expect(row.old + row.between + row.new).toBe(row.moments);
        expect(row.moments).toBeGreaterThan(3);
        expect(row.old).toBeGreaterThan(0);
        expect(row.new).toBeGreaterThan(0);
      },
      600_000,
    );
  });
});
