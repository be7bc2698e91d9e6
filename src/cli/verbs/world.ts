/** world: an offline RunPod on this machine, until it is interrupted. */
import { resolve } from 'node:path';
import { readNamedFile } from '../../adapters/key-file.ts';
import { ConfigError } from '../../domain/errors.ts';
import type { FolderPodHosts } from '../../world/pods/folder-pod-hosts.ts';
import type { SeedInput } from '../../world/seed.ts';
import type { WorldHandle } from '../../world/serve.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples } from '../flags.ts';
import { wrongUse } from '../settings/pick.ts';

async function act(call: Call): Promise<Answer> {
  const port = portOf(call);
  const seed = await seedOf(call);
  const [{ serveWorld }, { createFolderPodHosts }] = await Promise.all([
    import('../../world/serve.ts'),
    import('../../world/pods/folder-pod-hosts.ts'),
  ]);
  const podHosts = await createFolderPodHosts();
  try {
    const world = await serveWorld({ port, seed, podHosts }).catch((error: unknown) => {
      throw notServed(port, error);
    });
    announce(call, world, podHosts);
    await aborted(call.io.signal);
    await world.stop();
    const { length: requests } = world.requests();
    return {
      exitCode: 0,
      value: { stopped: true, requests },
      lines: () => [`stopped after ${requests} request(s); its pods are gone`],
    };
  } finally {
    await podHosts.close();
  }
}

function portOf({ given }: Call): number {
  const text = given.text('port') ?? '0';
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw wrongUse(
    '--port',
    `"${text.slice(0, 40)}" is not a port`,
    'Give a number up to 65535, or leave it out',
  );
}

async function seedOf({ given, io }: Call): Promise<SeedInput> {
  const file = given.text('seed');
  if (file === undefined) return {};
  const { readSeed, SeedError } = await import('../../world/seed.ts');
  const text = readNamedFile(resolve(io.cwd, file), '--seed');
  try {
    return readSeed(text, file);
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    throw wrongUse(
      '--seed',
      error.message.replaceAll('\n', ' '),
      'Mend the file; pods may be pasted from answers of the API',
    );
  }
}

function notServed(port: number, cause: unknown): ConfigError {
  const cameBack = cause instanceof Error ? cause.message : String(cause);
  return new ConfigError('--port', {
    tried: `Serving a world on port ${port === 0 ? '(any)' : port}`,
    cameBack,
    state: 'Nothing is served',
    next: 'Give another --port, or leave it out',
    cause,
  });
}

/** Straight to the output: the key of this world is no secret, and a person has to copy it. */
function announce({ io, json }: Call, world: WorldHandle, hosts: FolderPodHosts): void {
  const { restUrl, graphqlUrl, apiKey } = world;
  const pods = [...world.world.pods.values()].map(({ id, name }) => ({ id, name }));
  if (json) {
    const value = { schemaVersion: 1, restUrl, graphqlUrl, apiKey, pods, standIns: hosts.standIns };
    io.out(`${JSON.stringify(value)}\n`);
    return;
  }
  const lines = [
    `export RUNPOD_API_BASE_URL=${restUrl}`,
    `export RUNPOD_GRAPHQL_URL=${graphqlUrl}`,
    `export RUNPOD_API_KEY=${apiKey}`,
    ...pods.map(({ id, name }) => `# pod ${id} ${JSON.stringify(name)}`),
    ...hosts.standIns.map((tool) => `# this machine has no ${tool}: pods get a small stand-in`),
    '# serving; Ctrl-C ends it and removes every pod',
  ];
  io.out(`${lines.join('\n')}\n`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
}

export const worldVerb: Verb = {
  concernsPod: false,
  endsBySignal: true,
  whenCut: { state: 'The world is gone, and its pods with it', next: 'Serve it again' },
  define(command) {
    command
      .option('--port <number>', 'on 127.0.0.1 (default: any free one)')
      .option('--seed <file>', 'JSON: {now, balance, pods, volumes, faults}');
    examples(
      command,
      'podtrack world --port 8080 --seed world.json',
      '# in another shell: export the three variables that it prints, then',
      'podtrack list --all',
    );
  },
  act,
};
