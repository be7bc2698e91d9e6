/** A runner beside a world: pods, GitHub's API, caches and artifacts, and the shipped doors as `podtrack/register@v1`. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFolderPodHosts, type FolderPodHosts } from '../../src/world/pods/folder-pod-hosts.ts';
import { makeOpensshKey } from '../../src/world/pods/openssh-key.ts';
import { type SeedInput, seedSchema } from '../../src/world/seed.ts';
import { serveWorld, type WorldHandle } from '../../src/world/serve.ts';
import { type Stand as GithubStand, standUp } from '../github-server/asking.ts';
import { runGit } from '../github-server/run-git.ts';
import type { Plain, Texts } from './expressions.ts';
import type { Forge, RunnerOptions, StartWish } from './options.ts';
import { type Relay, relayTo, type Tell } from './relay.ts';
import { type ResultsService, resultsService } from './results-server.ts';
import { createRunner, type Run, type Runner, type RunReport } from './runner.ts';
import { type SceneScan, scanOf } from './scene-scan.ts';
import { type Leak, secretOf, seedOf } from './secret-scan.ts';
import { type Checkout, shippedCheckout } from './shipped-checkout.ts';
import type { Witness } from './witness.ts';

type PodSeed = NonNullable<SeedInput['pods']>[number];

export type SceneWish = {
  readonly pods: readonly string[];
  /** Changes of each pod. */
  readonly pod?: Partial<PodSeed>;
  /** Other people's pods in the account. */
  readonly neighbours?: readonly PodSeed[];
  /** One for many scenes, which stays; default: one of its own. */
  readonly checkout?: Checkout;
  /** Told before and after each request to RunPod, GitHub and the results service: `run.note`, as a rule. */
  readonly onRequest?: Tell;
  /** Over what the scene gives the runner: another Node, limits, secrets, … */
  readonly runner?: RunnerOptions;
  /** One watch over the arguments of processes for many scenes beside each other; default: one of its own. */
  readonly processes?: Witness;
};

export type Scene = {
  readonly world: WorldHandle;
  readonly hosts: FolderPodHosts;
  readonly github: GithubStand;
  readonly results: ResultsService;
  readonly runner: Runner;
  readonly apiKey: string;
  readonly sshKey: string;
  /** `workflows-examples/<name>.yml`, as it is shipped. */
  example(name: string, wish?: StartWish): Promise<Run>;
  /** The same, to its end. */
  runExample(name: string, wish?: StartWish): Promise<RunReport>;
  /** A workflow of one's own: a path, or the YAML itself. */
  start(file: string, wish?: StartWish): Promise<Run>;
  /** Where a secret was found in what its runs have produced, once they have ended. */
  leaks(): Promise<readonly Leak[]>;
  /** The record of a pod on the registry's branch; null = none. */
  record(podId: string): Promise<{ readonly [key: string]: Plain } | null>;
  /** Subjects of the registry's commits, oldest first. */
  history(): Promise<readonly string[]>;
  hasPod(podId: string): boolean;
  /** While held, `ssh` of the examples does not come back: the step "Work on the pod" lasts. */
  holdWork(): void;
  releaseWork(): void;
  close(): Promise<void>;
};

export const API_KEY = 'rpa_SCENEKEYSCENEKEYSCENEKEY0123456789AB';
export const REPOSITORY = { name: 'acme/ml', id: 7654321 };
const examples = fileURLToPath(new URL('../../workflows-examples', import.meta.url));

/** GitHub's API answers for the tokens and runs that this runner makes. */
function forgeOf(github: GithubStand): Forge {
  const mayWrite = (permissions: Plain): boolean =>
    permissions === 'write-all' ||
    (typeof permissions === 'object' &&
      permissions !== null &&
      'contents' in permissions &&
      permissions['contents'] === 'write');
  return {
    tokenIssued: (token, permissions) =>
      void github.switches.tokens.set(token, mayWrite(permissions) ? 'write' : 'read'),
    tokenEnded: (token) => void github.switches.tokens.delete(token),
    runChanged({ id, attempt, status, conclusion }) {
      const before = github.switches.runs.get(id);
      const jobs = before?.attempt === attempt ? (before.jobs ?? []) : [];
      github.switches.runs.set(id, { status, conclusion, attempt, jobs });
    },
    jobChanged({ runId, checkRunId: id, status, conclusion }) {
      const run = github.switches.runs.get(runId);
      if (run === undefined) return;
      const others = (run.jobs ?? []).filter((job) => job.id !== id);
      const completedAt = status === 'completed' ? new Date().toISOString() : null;
      github.switches.runs.set(runId, { ...run, jobs: [...others, { id, status, conclusion, completedAt }] });
    },
  };
}

/** `ssh` as the examples call it: says what it was told, and waits while the file `hold` lies beside it. */
function writeSsh(folder: string): void {
  mkdirSync(folder);
  const file = join(folder, 'ssh');
  writeFileSync(file, `#!/bin/sh\necho "ssh $*"\nwhile [ -e "$(dirname "$0")/hold" ]; do sleep 0.05; done\n`);
  chmodSync(file, 0o755);
}

function trainPod(publicLine: string, id: string): PodSeed {
  return {
    id,
    name: 'train',
    gpu: { util: 90 },
    sshKeys: [publicLine],
    files: { '/workspace/results/model.bin': 'weights', '/workspace/results/log/train.txt': 'loss 0.1\n' },
  };
}

/** The addresses as the runner's processes know them. */
type Addresses = {
  readonly rest: string;
  readonly graphql: string;
  readonly api: string;
  readonly apiGraphql: string;
  readonly results: string;
};

/** Puts a relay before each server, where somebody wants to be told. */
async function addressesOf(
  { world, github, results }: Pick<Scene, 'world' | 'github' | 'results'>,
  tell: Tell | undefined,
): Promise<{ readonly addresses: Addresses; readonly relays: readonly Relay[] }> {
  const relays: Relay[] = [];
  const known = new Map<string, string>();
  const through = async (address: string, name: string): Promise<string> => {
    const { origin } = new URL(address);
    if (tell === undefined) return address;
    const url = known.get(origin);
    if (url !== undefined) return address.replace(origin, url);
    const relay = await relayTo(origin, name, tell);
    relays.push(relay);
    known.set(origin, relay.url);
    return address.replace(origin, relay.url);
  };
  const addresses = {
    rest: await through(world.restUrl, 'runpod'),
    graphql: await through(world.graphqlUrl, 'runpod'),
    api: await through(github.apiUrl, 'github'),
    apiGraphql: await through(github.graphqlUrl, 'github'),
    results: await through(results.env['ACTIONS_RESULTS_URL'] ?? '', 'results'),
  };
  return { addresses, relays };
}

type Parts = {
  readonly addresses: Addresses;
  readonly folder: string;
  readonly github: GithubStand;
  readonly results: ResultsService;
  readonly checkout: Checkout;
  readonly sshKey: string;
};

function runnerFor(parts: Parts, options: RunnerOptions): Runner {
  const { addresses, github, results, checkout } = parts;
  const hostEnv: Texts = {
    PATH: [join(parts.folder, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
    RUNPOD_API_BASE_URL: addresses.rest,
    RUNPOD_GRAPHQL_URL: addresses.graphql,
    ...options.hostEnv,
  };
  return createRunner({
    forge: forgeOf(github),
    serviceEnv: { ...results.env, ACTIONS_RESULTS_URL: addresses.results },
    ...options,
    checkouts: { 'podtrack/register@v1': checkout.folder, ...options.checkouts },
    secrets: { RUNPOD_API_KEY: API_KEY, PODTRACK_SSH_KEY: parts.sshKey, ...options.secrets },
    hostEnv,
    github: {
      repository: REPOSITORY.name,
      repository_id: String(REPOSITORY.id),
      // The libraries take a server for GitHub when it is under localhost.
      server_url: `http://github.localhost:${new URL(github.apiUrl).port}`,
      api_url: addresses.api,
      graphql_url: addresses.apiGraphql,
      ...options.github,
    },
  });
}

function registryOf(github: GithubStand): Pick<Scene, 'record' | 'history'> {
  const git = async (...args: string[]): Promise<string> => (await runGit(github.folder, args)).stdout;
  return {
    async record(podId) {
      const names = (await git('ls-tree', '-r', '--name-only', 'podtrack')).split('\n');
      const path = names.find((name) => name.endsWith(`/runpod.${podId}.json`));
      return path === undefined ? null : JSON.parse(await git('show', `podtrack:${path}`));
    },
    history: async () => (await git('log', '--reverse', '--format=%s', 'podtrack')).trim().split('\n'),
  };
}

export async function openScene(wish: SceneWish): Promise<Scene> {
  const checkout = wish.checkout ?? shippedCheckout();
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-scene-'));
  writeSsh(join(folder, 'bin'));
  const key = makeOpensshKey('scene');
  const hosts = await createFolderPodHosts();
  const own = wish.pods.map((id) => ({ ...trainPod(key.publicLine, id), ...wish.pod }));
  const pods = [...own, ...(wish.neighbours ?? [])];
  const world = await serveWorld({ podHosts: hosts, seed: seedSchema.parse({ pods, apiKey: API_KEY }) });
  const github = await standUp(REPOSITORY);
  const results = await resultsService();
  const { addresses, relays } = await addressesOf({ world, github, results }, wish.onRequest);
  const parts: Parts = { addresses, folder, github, results, checkout, sshKey: key.privateKey };
  const runner = runnerFor(parts, wish.runner ?? {});
  const secrets = { RUNPOD_API_KEY: API_KEY, 'runtime token': results.env['ACTIONS_RUNTIME_TOKEN'] ?? '' };
  const scan: SceneScan = scanOf({
    ...{ world, hosts, github, results },
    secrets: [
      seedOf('PODTRACK_SSH_KEY', key.privateKey),
      ...Object.entries({ ...secrets, ...wish.runner?.secrets }).map(([name, value]) =>
        secretOf(name, value),
      ),
    ],
    beside:
      wish.processes === undefined ? null : { processes: wish.processes, origins: Object.values(addresses) },
  });
  const start = async (file: string, begun: StartWish = {}): Promise<Run> =>
    scan.followed(await runner.start(file, scan.watched(begun)));
  const example = (name: string, begun?: StartWish): Promise<Run> =>
    start(join(examples, `${name}.yml`), begun);
  return {
    world,
    hosts,
    github,
    results,
    runner,
    apiKey: API_KEY,
    sshKey: key.privateKey,
    start,
    example,
    runExample: async (name, begun) => await (await example(name, begun)).finished,
    leaks: () => scan.leaks(),
    ...registryOf(github),
    hasPod: (podId) => world.world.pods.has(podId),
    holdWork: () => writeFileSync(join(folder, 'bin', 'hold'), ''),
    releaseWork: () => rmSync(join(folder, 'bin', 'hold'), { force: true }),
    async close() {
      scan.close();
      runner.close();
      await Promise.all(
        [world, github, results, ...relays].map(async (each) => {
          await ('stop' in each ? each.stop() : each.close());
        }),
      );
      await hosts.close();
      if (wish.checkout === undefined) checkout.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Closes it, and throws where a secret was found in what it has produced. */
export async function endClean(scene: Scene | null): Promise<void> {
  const leaks = (await scene?.leaks()) ?? [];
  await scene?.close();
  if (leaks.length > 0) throw new Error(`secrets were found:\n${JSON.stringify(leaks, null, 2)}`);
}
