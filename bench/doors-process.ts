/** What a job finds around it: pods with real shells, GitHub's API, its artifacts; each answer delayed, each call counted. */
import { createFolderPodHosts } from '../src/world/pods/folder-pod-hosts.ts';
import { makeOpensshKey } from '../src/world/pods/openssh-key.ts';
import { seedSchema } from '../src/world/seed.ts';
import { serveWorld } from '../src/world/serve.ts';
import { standUp } from '../test/github-server/asking.ts';
import { relayTo, type Tell } from '../test/runner/relay.ts';
import { resultsService } from '../test/runner/results-server.ts';
import { answer, heard } from './child-side.ts';
import type { DoorsAsk, DoorsCalls, DoorsPlace, DoorsStart } from './messages.ts';

const { pods, delayMs, apiKey, token, repository } = await heard<DoorsStart>();
const key = makeOpensshKey('bench');
const hosts = await createFolderPodHosts();
const seeds = pods.map((id) => ({
  id,
  name: 'train',
  gpu: { util: 90 },
  sshKeys: [key.publicLine],
  files: { '/workspace/results/model.bin': 'weights', '/workspace/results/log.txt': 'loss 0.1\n' },
}));
const world = await serveWorld({ podHosts: hosts, seed: seedSchema.parse({ pods: seeds, apiKey }) });
const github = await standUp(repository);
github.switches.tokens.set(token, 'write');
const results = await resultsService();

let calls: Record<string, number> = {};
const count: Tell = (when, what) => {
  const [server = ''] = what.split(' ');
  if (when === 'before') calls[server] = (calls[server] ?? 0) + 1;
  return undefined;
};
const relayed = async (address: string, name: string): Promise<string> => {
  const { origin } = new URL(address);
  return address.replace(origin, (await relayTo(origin, name, count, delayMs)).url);
};

async function react({ ask }: DoorsAsk): Promise<void> {
  if (ask === 'calls') {
    const told: DoorsCalls = calls;
    calls = {};
    return await answer(told);
  }
  await Promise.all([world.stop(), github.close(), results.close()]);
  await hosts.close();
  await answer({});
  process.exit(0);
}

process.on('message', (asked: DoorsAsk) => {
  react(asked).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
const place: DoorsPlace = {
  sshKey: key.privateKey,
  env: {
    ...results.env,
    ACTIONS_RESULTS_URL: await relayed(results.env['ACTIONS_RESULTS_URL'] ?? '', 'results'),
    RUNPOD_API_BASE_URL: await relayed(world.restUrl, 'runpod'),
    RUNPOD_GRAPHQL_URL: await relayed(world.graphqlUrl, 'runpod'),
    GITHUB_API_URL: await relayed(github.apiUrl, 'github'),
    GITHUB_GRAPHQL_URL: await relayed(github.graphqlUrl, 'github'),
    GITHUB_SERVER_URL: `http://github.localhost:${new URL(github.apiUrl).port}`,
  },
};
await answer(place);
