/** A job beside a world: its runner's environment, its steps from the built bundle, its registry and its pods. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { createFolderPodHosts, type FolderPodHosts } from '../../src/world/pods/folder-pod-hosts.ts';
import { makeOpensshKey } from '../../src/world/pods/openssh-key.ts';
import { type SeedInput, seedSchema } from '../../src/world/seed.ts';
import { serveWorld, type WorldHandle } from '../../src/world/serve.ts';
import { type ResultsService, resultsService } from '../runner/results-server.ts';
import { ON_POD } from '../runner/scene-scan.ts';
import { type Leak, secretOf, seedOf } from '../runner/secret-scan.ts';
import { builtDist } from './built-dist.ts';
import { type Beside, jobScan } from './job-scan.ts';
import { runStep, type StepCall, type StepEnd, type Texts } from './step.ts';

export const POD = 'train0pod1';
export const API_KEY = 'rpa_JOBKEYJOBKEYJOBKEYJOBKEY0123456789';
export const GITHUB_TOKEN = 'ghs_jobTokenJobTokenJobTokenJobToken01';
export const REPOSITORY_ID = '7654321';
const root = fileURLToPath(new URL('../..', import.meta.url));

export type Door = 'register' | 'arm' | 'reap' | 'setup' | 'teardown';
export type Stage = 'main' | 'post';

export type StepWish = {
  readonly inputs?: Texts;
  readonly env?: Texts;
  readonly state?: Texts;
  /** What `job.status` says at that moment; default success. */
  readonly jobStatus?: string;
  readonly node?: string;
  readonly watch?: StepCall['watch'];
};

export type Job = {
  readonly world: WorldHandle;
  readonly hosts: FolderPodHosts;
  readonly results: ResultsService;
  /** The bare repository that holds the registry. */
  readonly registry: string;
  readonly temp: string;
  readonly workspace: string;
  readonly sshKey: string;
  /** Every step so far, in order. */
  readonly ends: readonly StepEnd[];
  step(door: Door, stage: Stage, wish?: StepWish): Promise<StepEnd>;
  /** The record of a pod as the registry's branch holds it; null = none. */
  record(podId: string): Record<string, unknown> | null;
  /** Subjects of the registry's commits, oldest first. */
  history(): readonly string[];
  git(...args: readonly string[]): string;
  /** Takes down what a server of the test's own has seen, before it goes. */
  look(beside: Beside): Promise<void>;
  /** Where a secret was found in all that was produced until now. */
  leaks(): Promise<readonly Leak[]>;
  /** Throws where a secret was found. */
  end(): Promise<void>;
};

const manifest = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })).default({}),
  runs: z.object({ main: z.string(), post: z.string().optional() }),
});

/** The inputs that the runner always sets: every declared one, with its default filled in. */
function allInputs(declared: z.infer<typeof manifest>['inputs'], wish: StepWish): Texts {
  const filled: Readonly<Record<string, string>> = {
    '${{ github.token }}': GITHUB_TOKEN,
    '${{ toJson(matrix) }}': 'null',
    '${{ job.check_run_id }}': '4711',
    '${{ job.status }}': wish.jobStatus ?? 'success',
    '${{ strategy.job-index }}': '0',
    '${{ strategy.job-total }}': '1',
  };
  const defaults = Object.entries(declared).map(([name, { default: given }]) => [
    name,
    given === undefined ? '' : (filled[given] ?? given),
  ]);
  return { ...Object.fromEntries(defaults), ...wish.inputs };
}

type PodSeed = NonNullable<SeedInput['pods']>[number];

/** A pod that trains, with two result files, reachable with the job's key. */
function trainPod(publicLine: string, id: string): PodSeed {
  return {
    id,
    name: 'train',
    gpu: { util: 90 },
    sshKeys: [publicLine],
    files: { '/workspace/results/model.bin': 'weights', '/workspace/results/log/train.txt': 'loss 0.1\n' },
  };
}

export type JobWish = {
  /** Ids of the pods that are there; default: one, `POD`. */
  readonly pods?: readonly string[];
  /** Changes of each of them. */
  readonly pod?: Partial<PodSeed>;
};

/** Starts a world with pods, an artifact service, and an empty place for a registry. */
export async function beginJob(wish: JobWish = {}): Promise<Job> {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack job '));
  const [temp, workspace] = [join(folder, 'temp'), join(folder, 'work space')];
  for (const path of [temp, workspace]) mkdirSync(path);
  const registry = join(folder, 'registry.git');
  const key = makeOpensshKey('job');
  const dist = builtDist();
  const hosts = await createFolderPodHosts();
  const results = await resultsService();
  const pods = (wish.pods ?? [POD]).map((id) => ({ ...trainPod(key.publicLine, id), ...wish.pod }));
  const world = await serveWorld({
    podHosts: hosts,
    seed: seedSchema.parse({ pods, apiKey: API_KEY }),
  });
  const scanned = jobScan({
    ...{ world, hosts, results, registry },
    folders: [temp, workspace],
    secrets: [
      secretOf('account key', API_KEY),
      secretOf('job token', GITHUB_TOKEN),
      secretOf('runtime token', results.env['ACTIONS_RUNTIME_TOKEN'] ?? ''),
      seedOf('login', key.privateKey),
      ...Object.entries(wish.pod?.env ?? {}).map(([name, value]) => secretOf(name, value, ON_POD)),
    ],
  });
  const ends: StepEnd[] = [];
  let exported: Texts = {};

  const runnerEnv = (): Texts => ({
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'no home'),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'http://github.localhost',
    GITHUB_REPOSITORY: 'acme/ml',
    GITHUB_REPOSITORY_ID: REPOSITORY_ID,
    GITHUB_RUN_ID: '1001',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'train',
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temp,
    RUNPOD_API_BASE_URL: world.restUrl,
    RUNPOD_GRAPHQL_URL: world.graphqlUrl,
    PODTRACK_REGISTRY: registry,
    ...results.env,
    ...exported,
  });

  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', registry, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

  return {
    world,
    hosts,
    results,
    registry,
    temp,
    workspace,
    sshKey: key.privateKey,
    ends,
    git,
    async step(door, stage, change = {}) {
      const { inputs, runs } = manifest.parse(parse(readFileSync(join(root, door, 'action.yml'), 'utf8')));
      const given = allInputs(inputs, change);
      const script = (stage === 'main' ? runs.main : runs.post) ?? '';
      const ended = await runStep({
        script: script.replace(/^\.\.\/dist/, dist),
        env: { ...runnerEnv(), ...change.env },
        inputs: given,
        state: change.state ?? {},
        temp,
        cwd: existsSync(workspace) ? workspace : temp,
        ...(change.node === undefined ? {} : { node: change.node }),
        ...(change.watch === undefined ? {} : { watch: change.watch }),
      });
      exported = { ...exported, ...ended.env };
      scanned.heard(`${door} ${stage}`, given, ended);
      ends.push(ended);
      return ended;
    },
    record(podId) {
      try {
        const names = git('ls-tree', '-r', '--name-only', 'podtrack').split('\n');
        const path = names.find((name) => name.endsWith(`/runpod.${podId}.json`));
        return path === undefined ? null : JSON.parse(git('show', `podtrack:${path}`));
      } catch {
        return null;
      }
    },
    history: () => git('log', '--reverse', '--format=%s', 'podtrack').trim().split('\n'),
    look: (beside) => scanned.look(beside),
    leaks: () => scanned.leaks(),
    async end() {
      const leaks = await scanned.leaks();
      scanned.close();
      await world.stop();
      await hosts.close();
      await results.close();
      rmSync(folder, { recursive: true, force: true });
      if (leaks.length > 0) throw new Error(`secrets were found:\n${JSON.stringify(leaks, null, 2)}`);
    },
  };
}

/** Every regular file below a folder, as text. */
export function textsBelow(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }));
}
