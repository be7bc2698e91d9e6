/** The doors of the action from the built dist: how long each takes to start, and what a register and a post cost far from the APIs. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runStep, type StepEnd, type Texts } from '../test/actions/step.ts';
import { startChild } from './child.ts';
import { inTurns, RUNS } from './cold-start.ts';
import { median, megabytes, seconds, table, times } from './figures.ts';
import type { DoorsCalls, DoorsPlace, DoorsStart } from './messages.ts';
import type { Command, Start } from './start.ts';

const DELAY_MS = 150;
const API_KEY = 'rpa_BENCHBENCHBENCHBENCHBENCH0123456789';
const TOKEN = 'ghs_benchBenchBenchBenchBenchBench01';
const REPOSITORY = { name: 'acme/ml', id: 7654321 };

/** What one stage took on average, and which calls it made. */
type Stage = { readonly name: string; readonly wallMs: number; readonly calls: DoorsCalls };

export type Doors =
  | { readonly built: false }
  | {
      readonly built: true;
      readonly starts: readonly { readonly name: string; readonly start: Start }[];
      readonly peers: boolean;
      readonly turns: number;
      readonly stages: readonly Stage[];
    };

export type DoorsWish = {
  readonly dist: string;
  /** Folder with checkouts of actions/cache and actions/checkout as `cache` and `checkout`; null = not compared. */
  readonly peers: string | null;
  readonly quick: boolean;
  readonly say: (line: string) => void;
};

/** A door without inputs reads them, says what is missing and leaves; a post without state has nothing to do. */
function doorCommands(dist: string, env: Texts): Command[] {
  const doors = { register: 2, arm: 2, post: 0, teardown: 2, reap: 2, setup: null };
  return Object.entries(doors).flatMap(([name, code]) => {
    const file = join(dist, `${name}.js`);
    return code === null || !existsSync(file) ? [] : [{ name: `${name}.js`, args: [file], env, code }];
  });
}

/** With nothing given: checkout as its own post, cache as on a server without caches. */
function peerCommands(peers: string | null, env: Texts): Command[] {
  if (peers === null) return [];
  const at = (path: string): string[] => [join(resolve(peers), path)];
  return [
    {
      name: 'actions/checkout, post',
      args: at('checkout/dist/index.js'),
      env: { ...env, STATE_isPost: 'true' },
    },
    { name: 'actions/cache, restore', args: at('cache/dist/restore/index.js'), env },
    { name: 'actions/cache, save', args: at('cache/dist/save/index.js'), env },
  ];
}

async function coldDoors(
  { dist, peers }: DoorsWish,
  folder: string,
): Promise<{ name: string; start: Start }[]> {
  const root = dirname(dirname(import.meta.dirname));
  const nothing = join(folder, 'nothing.cjs');
  const imports = join(folder, 'imports.mjs');
  const modules = ['@actions/core', 'zod', 'undici', 'p-limit'];
  writeFileSync(nothing, '');
  const paths = modules.map((name) => `import ${JSON.stringify(import.meta.resolve(name, root))};`);
  writeFileSync(imports, paths.join('\n'));
  const files = Object.fromEntries(
    ['GITHUB_STATE', 'GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_STEP_SUMMARY'].map((name) => {
      writeFileSync(join(folder, name), '');
      return [name, join(folder, name)];
    }),
  );
  const env = { ...files, HOME: folder, RUNNER_TEMP: folder, GITHUB_REPOSITORY: REPOSITORY.name };
  const commands = [
    { name: 'an empty Node process', args: [nothing], env: {} },
    { name: `the same imports, unbundled`, args: [imports], env: {} },
    ...doorCommands(dist, env),
    ...peerCommands(peers, env),
  ];
  const starts = await inTurns(commands);
  return starts.map((start, index) => ({ name: commands[index]?.name ?? '', start }));
}

type Turn = Readonly<Record<string, { readonly wallMs: number; readonly calls: DoorsCalls }>>;
type Bench = {
  readonly dist: string;
  readonly folder: string;
  readonly place: DoorsPlace;
  readonly calls: () => Promise<DoorsCalls>;
};

/** Register, arm and post of one pod, as three steps of one job. */
async function turn({ dist, folder, place, calls }: Bench, pod: string, run: number): Promise<Turn> {
  const env = {
    ...place.env,
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: REPOSITORY.name,
    GITHUB_REPOSITORY_ID: String(REPOSITORY.id),
    GITHUB_RUN_ID: String(run),
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'train',
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: folder,
  };
  const inputs = {
    'pod-id': pod,
    'api-key': API_KEY,
    'ssh-key': place.sshKey,
    'remote-path': '/workspace/results',
    'github-token': TOKEN,
    'job-status': 'success',
  };
  const told: Record<string, Turn[string]> = {};
  const step = async (name: string, door: string, more: { env?: Texts; state?: Texts }): Promise<StepEnd> => {
    const begunAt = performance.now();
    const script = join(dist, `${door}.js`);
    const end = await runStep({
      ...{ script, inputs, temp: folder, cwd: folder },
      env: { ...env, ...more.env },
      state: more.state ?? {},
    });
    if (end.code !== 0) throw new Error(`${name} ended with ${end.code}: ${end.log}`);
    told[name] = { wallMs: performance.now() - begunAt, calls: await calls() };
    return end;
  };
  await calls();
  const main = await step('register', 'register', {});
  await step('arm', 'arm', { env: main.env });
  await step('post', 'post', { env: main.env, state: main.state });
  return told;
}

async function farDoors(
  { dist, quick }: DoorsWish,
  folder: string,
): Promise<{ turns: number; stages: Stage[] }> {
  // The first pod makes the registry: its turn is not counted.
  const pods = Array.from({ length: quick ? 2 : 6 }, (_, at) => `bench0pod${at}`);
  const child = startChild('doors-process');
  try {
    const start: DoorsStart = {
      pods,
      delayMs: DELAY_MS,
      apiKey: API_KEY,
      token: TOKEN,
      repository: REPOSITORY,
    };
    const place = await child.ask<DoorsPlace>(start);
    const bench: Bench = { dist, folder, place, calls: async () => await child.ask({ ask: 'calls' }) };
    const turns: Turn[] = [];
    for (const [at, pod] of pods.entries()) turns.push(await turn(bench, pod, 5000 + at));
    const counted = turns.slice(1);
    const stages = ['register', 'arm', 'post'].map((name) => ({
      name,
      wallMs: median(counted.map((one) => one[name]?.wallMs ?? Number.NaN)),
      calls: counted[0]?.[name]?.calls ?? {},
    }));
    return { turns: counted.length, stages };
  } finally {
    await child.ask({ ask: 'stop' });
    await child.ended();
  }
}

export async function doors(wish: DoorsWish): Promise<Doors> {
  const dist = resolve(wish.dist);
  if (!existsSync(dist) || !readdirSync(dist).includes('register.js')) return { built: false };
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-bench-'));
  try {
    wish.say('doors: cold start');
    const starts = await coldDoors({ ...wish, dist }, folder);
    wish.say(`doors: register, arm and post at ${DELAY_MS} ms`);
    return {
      built: true,
      starts,
      peers: wish.peers !== null,
      ...(await farDoors({ ...wish, dist }, folder)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function doorsText(told: Doors): string {
  if (!told.built) return 'DOORS of the action\nnot built: there is no such dist; run `npm run build`';
  const [empty] = told.starts;
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const sum = (calls: DoorsCalls): number => Object.values(calls).reduce((so, one) => so + one, 0);
  return [
    'DOORS of the action: cold start with nothing given',
    table([
      ['program', 'cpu', 'ratio', 'wall', 'ratio', 'memory'],
      ...told.starts.map(({ name, start }) => [
        name,
        ms(start.cpuMs),
        times(start.cpuMs / (empty?.start.cpuMs ?? Number.NaN)),
        ms(start.wallMs),
        times(start.wallMs / (empty?.start.wallMs ?? Number.NaN)),
        megabytes(start.peakRssBytes),
      ]),
    ]),
    '',
    `DOORS of the action: one pod, each API answer ${DELAY_MS} ms away`,
    table([
      ['step', 'RunPod', 'GitHub', 'artifacts', 'calls', 'seconds', 'of calls in turn'],
      ...told.stages.map(({ name, wallMs, calls }) => [
        name,
        ...['runpod', 'github', 'results'].map((server) => String(calls[server] ?? 0)),
        String(sum(calls)),
        seconds(wallMs),
        times(wallMs / (sum(calls) * DELAY_MS)),
      ]),
    ]),
    '',
    'How it was measured',
    `  starts: medians of ${RUNS} each, in turns; ratios to the empty process. A door without inputs names what is missing`,
    `  and leaves. ${told.peers ? 'The peers run from their own published dist.' : 'No peers: give checkouts of actions/cache and actions/checkout by --peers FOLDER.'}`,
    `  Steps: medians of ${told.turns} turn(s), each a process from spawn to close, on a registry that exists; pods are real shells`,
    '  nearby, their own calls (the switch) counted with RunPod. Last column: below 1 = calls were made side by side',
  ].join('\n');
}
