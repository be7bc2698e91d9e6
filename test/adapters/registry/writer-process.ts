/** A writer in a process of its own, to be killed at any moment: reads, submits each batch of ops, saves a sweep. */
import { gitRegistry } from '../../../src/adapters/git-registry.ts';
import { githubRegistry } from '../../../src/adapters/github-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import type { RegistryOp } from '../../../src/domain/registry/ops.ts';
import type { Clock, RegistryStore } from '../../../src/ports.ts';

/** What the parent hands over, as JSON. */
export type Order = {
  /** A git address or path; null = the API. */
  readonly remote: string | null;
  readonly api: { readonly apiUrl: string; readonly graphqlUrl: string };
  readonly token: string;
  readonly scratchFolder: string;
  /** The time at which it begins. */
  readonly now: number;
  readonly batches: readonly (readonly RegistryOp[])[];
};

const order = JSON.parse(process.argv[2] ?? '') as Order;
const startedAt = performance.now();
const clock: Clock = {
  now: () => Math.round(order.now + performance.now() - startedAt),
  sleep: (durationMs) => new Promise((wake) => setTimeout(wake, durationMs)),
};
const shared = { clock, chance: nodeChance(), repository: null };

function open(): RegistryStore {
  const { remote, token, scratchFolder, api } = order;
  if (remote === null) return githubRegistry({ ...shared, ...api, owner: 'acme', repo: 'ci', token });
  return gitRegistry({ ...shared, remote, scratchFolder, credential: { username: 'x-access-token', token } });
}

const store = open();
await store.read();
for (const batch of order.batches) await store.submit(batch);
const { sweep } = await store.read();
await store.saveSweep({ ...sweep, lastFullSweepAt: clock.now() });
process.stdout.write('done\n');
