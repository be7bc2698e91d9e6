/** A fan-out that enters the registry by `register-many`: what it asks of the store, and what of the server. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitRegistry } from '../../src/adapters/git-registry.ts';
import { githubRegistry } from '../../src/adapters/github-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { registerMany } from '../../src/flows/register-many.ts';
import type { RegistryStore } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../../test/domain/build.ts';
import { register } from '../../test/domain/registry/record-maker.ts';
import { put, registerInput, stage } from '../../test/flows/stage.ts';
import { standUp } from '../../test/github-server/asking.ts';
import { TOKEN } from '../../test/github-server/switches.ts';
import type { Server } from './task.ts';

export type FanOut = {
  readonly jobs: number;
  readonly registered: number;
  /** Calls to the store, in order. */
  readonly calls: readonly string[];
  /** Requests that the server saw. */
  readonly requests: number;
};

type Stand = Awaited<ReturnType<typeof standUp>>;

function openStore(server: Server, stand: Stand, scratchFolder: string): RegistryStore {
  const how = { clock: systemClock(), chance: nodeChance(), repository: null };
  if (server === 'git') {
    const credential = { username: 'x-access-token', token: TOKEN };
    return gitRegistry({ ...how, credential, remote: stand.gitUrl, scratchFolder });
  }
  const { apiUrl, graphqlUrl } = stand;
  return githubRegistry({ ...how, owner: 'acme', repo: 'ci', apiUrl, graphqlUrl, token: TOKEN });
}

/** One registry that exists already, and `jobs` pods that run and are not recorded. */
export async function fanOut(server: Server, jobs: number): Promise<FanOut> {
  const stand = await standUp();
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-fan-out-'));
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  try {
    await openStore(server, stand, scratch).submit([register('first')]);
    const store = openStore(server, stand, scratch);
    const calls: string[] = [];
    const counted = <T>(what: string, answer: Promise<T>): Promise<T> => {
      calls.push(what);
      return answer;
    };
    const registry: RegistryStore = {
      ...store,
      read: () => counted('read', store.read()),
      submit: (ops) => counted('submit', store.submit(ops)),
      probeWrite: () => counted('probe', store.probeWrite()),
    };
    const on = stage();
    const owner = anOwner({ uuid: 'u-plan' });
    const inputs = Array.from({ length: jobs }, (_, index) => {
      put(on, `p${index}`, { createdAt: NOW - minutes(10), startedAt: NOW - minutes(9) });
      return registerInput(`p${index}`, {}, owner);
    });
    const before = stand.seen.length;
    const { pods } = await registerMany({ ...on.world, registry }, inputs);
    const registered = pods.filter(({ kind }) => kind === 'registered').length;
    return { jobs, registered, calls, requests: stand.seen.length - before };
  } finally {
    await stand.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
