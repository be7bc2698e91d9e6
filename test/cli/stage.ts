/** Runs the command line in this process, against a world on real sockets and a bare repository of its own. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { CliIo, Env } from '../../src/cli/call.ts';
import { run } from '../../src/cli/main.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../src/world/pods/folder-pod-hosts.ts';
import type { SeedInput } from '../../src/world/seed.ts';
import { serveWorld, type WorldHandle } from '../../src/world/serve.ts';
import { keyPair } from '../adapters/shell/keys.ts';

export type Told = { readonly code: number; readonly out: string; readonly err: string };

export type Surroundings = {
  readonly input?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Called with everything that goes to standard output. */
  readonly hear?: (text: string) => void;
};

export const API_KEY = 'rpa_cliTESTcliTESTcliTESTcliTEST';

/** A home folder of its own; nothing of this machine's settings gets in. */
export function ownHome(): { readonly folder: string; readonly env: Env } {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return { folder, env: { PATH: process.env['PATH'], HOME: folder } };
}

export async function podtrack(words: string, env: Env, around: Surroundings = {}): Promise<Told> {
  return await podtrackArgs(split(words), env, around);
}

export async function podtrackArgs(
  argv: readonly string[],
  env: Env,
  around: Surroundings = {},
): Promise<Told> {
  let out = '';
  let err = '';
  const io: CliIo = {
    out: (text) => {
      out += text;
      around.hear?.(text);
    },
    err: (text) => {
      err += text;
    },
    input: async () => around.input ?? '',
    outIsTerminal: false,
    errIsTerminal: false,
    columns: 80,
    cwd: around.cwd ?? env['HOME'] ?? tmpdir(),
    signal: around.signal ?? new AbortController().signal,
  };
  const code = await run(argv, env, io);
  return { code, out, err };
}

/** Words between blanks; what stands in quotes is one. */
function split(words: string): string[] {
  return [...words.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}

const anything = z.record(z.string(), z.unknown());

/** The one JSON document of a `--json` answer. */
export function json(told: Told): Record<string, unknown> {
  return anything.parse(JSON.parse(told.out));
}

export type Stage = {
  readonly env: Env;
  readonly folder: string;
  readonly world: WorldHandle;
  readonly hosts: FolderPodHosts;
  readonly registry: string;
};

/** A world with real pods that take our key. `seed` gets the line of authorized_keys. */
export async function stage(seed: (login: string) => SeedInput): Promise<Stage> {
  const { folder, env } = ownHome();
  const login = keyPair();
  const keyFile = join(folder, 'ssh.key');
  writeFileSync(keyFile, login.privateText, { mode: 0o600 });
  const hosts = await createFolderPodHosts({ parent: folder });
  const world = await serveWorld({ seed: { apiKey: API_KEY, ...seed(login.publicLine) }, podHosts: hosts });
  onTestFinished(async () => {
    await world.stop();
    await hosts.close();
  });
  return {
    folder,
    world,
    hosts,
    registry: join(folder, '.local/share/podtrack/registry.git'),
    env: {
      ...env,
      RUNPOD_API_KEY: API_KEY,
      RUNPOD_API_BASE_URL: world.restUrl,
      RUNPOD_GRAPHQL_URL: world.graphqlUrl,
      PODTRACK_SSH_KEY: keyFile,
      PODTRACK_LABEL: 'cli-test',
    },
  };
}
