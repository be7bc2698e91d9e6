/** Lays a small copy of the house in a folder of its own, so that a law can be broken there and the gate be asked. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const CONFIGS = [
  '.gitignore',
  '.oxlintrc.json',
  'biome.json',
  'knip.json',
  'scripts',
  'src/domain/tsconfig.json',
  'tsconfig.json',
];

/** One file per room, each importing all that its room may import. */
const CLEAN: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "house",
  "private": true,
  "type": "module",
  "dependencies": {
    "@actions/core": "3.0.1",
    "undici": "6.29.1",
    "zod": "4.6.7"
  },
  "devDependencies": {
    "@vercel/ncc": "0.45.0",
    "typescript": "6.0.3",
    "vite": "8.3.8"
  }
}
`,
  'src/domain/pod.ts': `/** What a pod is. */
import { z } from 'zod';

export const podShape = z.object({ id: z.string(), createdAt: z.number() });
export type Pod = z.infer<typeof podShape>;
`,
  'src/domain/registry/state.ts': `/** What the registry holds. */
import { type Pod, podShape } from '../pod.ts';

export const parsed = (pods: readonly unknown[]): Pod[] => pods.map((pod) => podShape.parse(pod));
`,
  'src/ports.ts': `/** What we can do to the world. */
import type { Pod } from './domain/pod.ts';

export interface Provider {
  list(): Promise<Pod[]>;
}
`,
  'src/flows/reap.ts': `/** One cycle. */
import { parsed } from '../domain/registry/state.ts';
import type { Provider } from '../ports.ts';

export async function reap(provider: Provider): Promise<number> {
  return parsed(await provider.list()).length;
}
`,
  'src/adapters/runpod-provider.ts': `/** The account over HTTP. */
import { request } from 'undici';
import { podShape } from '../domain/pod.ts';
import type { Provider } from '../ports.ts';

export function runpodProvider(url: string): Provider {
  return {
    async list() {
      const answer = await request(url);
      return [podShape.parse(await answer.body.json())];
    },
  };
}
`,
  'on-pod/parts/ground.sh': `# The ground.
raw() { printf '%s' "$1"; }
`,
  'on-pod/probe.sh': `# One look: nobody's apostrophe is lost.
. ./parts/ground.sh
raw "it's $1 \\\\ "a tab""
`,
  'src/adapters/ssh-shell.ts': `/** Commands over SSH. */
import { onPodText } from '../on-pod-text.ts';

export const scripts = (): string[] => Object.values(onPodText);
`,
  'src/world/account.ts': `/** The embedded account. */
import { createServer, type Server } from 'node:http';
import { z } from 'zod';

const asked = z.object({ id: z.string() });

export function account(): Server {
  return createServer((_request, response) => void response.end(JSON.stringify(asked.parse({ id: 'a' }))));
}
`,
  'src/actions/io.ts': `/** What the runner hands in and gets back. */
import { getInput, setOutput } from '@actions/core';

export const readUrl = (): string => getInput('url');
export const tellCount = (count: number): void => setOutput('count', count);
`,
  'src/actions/wire.ts': `/** Chooses the adapters. */
import { runpodProvider } from '../adapters/runpod-provider.ts';
import type { Provider } from '../ports.ts';

export const wire = (url: string): Provider => runpodProvider(url);
`,
  'src/actions/reap.ts': `/** The reap door. */
import { reap } from '../flows/reap.ts';
import { readUrl, tellCount } from './io.ts';
import { wire } from './wire.ts';

export async function run(): Promise<void> {
  tellCount(await reap(wire(readUrl())));
}
`,
  'src/actions/index.ts': `/** Opens one door. */
export async function door(name: string): Promise<void> {
  if (name === 'reap') await (await import('./reap.ts')).run();
  if (name === 'cli') (await import('../cli/main.ts')).run();
}
`,
  'src/cli/main.ts': `/** The command line. */
import { runpodProvider } from '../adapters/runpod-provider.ts';
import { scripts } from '../adapters/ssh-shell.ts';
import { account } from '../world/account.ts';

export function run(): void {
  account();
  scripts();
  runpodProvider('http://127.0.0.1');
}
`,
};

export interface Answer {
  readonly code: number | null;
  readonly said: string;
}

export interface Tree {
  readonly folder: string;
  /** Runs a tool of node_modules/.bin in the tree. */
  tool(name: string, ...args: string[]): Answer;
  /** Runs a script of scripts/ in the tree. */
  script(name: string, ...args: string[]): Answer;
  /** Lays more files, or other text for those that are there. */
  put(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The test runner asks for colour; an answer that is to be read must not have any. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _colour, ...rest } = process.env;
  return { ...rest, NO_COLOR: '1' };
}

function answer(folder: string, program: string, args: readonly string[]): Answer {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: plainEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { code: status, said: `${stdout}${stderr}` };
}

/** Lays the clean house, then the given files over it. */
export function layTree(files: Readonly<Record<string, string>> = {}): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-gate-'));
  for (const path of CONFIGS) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  put(folder, CLEAN);
  const tree: Tree = {
    folder,
    tool: (name, ...args) => answer(folder, join(root, 'node_modules/.bin', name), args),
    script: (name, ...args) => answer(folder, process.execPath, [join(folder, 'scripts', name), ...args]),
    put: (more) => put(folder, more),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  tree.script('embed-on-pod.mjs');
  put(folder, files);
  return tree;
}
