/** Serves a world on 127.0.0.1: REST v2, GraphQL and, where switched on, REST v1, with the pods of a PodHosts behind it. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { realClock, type WorldClock } from './clock.ts';
import { type LoggedRequest, type RequestLog, requestLog } from './http/request-log.ts';
import { worldServer } from './http/server.ts';
import { type LiveWorld, liveWorld } from './live-world.ts';
import { disturbPod } from './model/act-on-pod.ts';
import { activate, type FaultInput, faultSchema } from './model/faults.ts';
import type { KeyScope, PodChange, World } from './model/state.ts';
import type { PodHosts } from './pod-hosts.ts';
import { parseSeed, type SeedInput } from './seed.ts';
import { startIn, worldFromSeed } from './seed-world.ts';
import { applySwitches, type SwitchesInput } from './switches.ts';

export interface WorldOptions {
  /** 0 or left out = any free port. */
  readonly port?: number | undefined;
  readonly seed?: SeedInput | undefined;
  /** Without it pods exist on paper only: addresses that lead nowhere, telemetry from the script. */
  readonly podHosts?: PodHosts | undefined;
  /** Without it the machine's clock, started at the seed's `now` if it has one. */
  readonly clock?: WorldClock | undefined;
}

export interface WorldHandle {
  /** For RUNPOD_API_BASE_URL: without /v2. */
  readonly restUrl: string;
  /** For RUNPOD_GRAPHQL_URL: in full. */
  readonly graphqlUrl: string;
  readonly apiKey: string;
  readonly readOnlyKey: string;
  /** The key inside a pod; throws for an unknown id. */
  podKey(podId: string): string;
  /** A key that was valid is so no longer. False = no such key. */
  revokeKey(key: string): boolean;
  now(): number;
  /** What was asked so far, oldest first. */
  requests(): readonly LoggedRequest[];
  /** Replaces all faults. */
  setFaults(faults: readonly FaultInput[]): void;
  setSwitches(switches: SwitchesInput): void;
  /** The provider's hand: a pod vanishes, exits or restarts by itself. False = no such pod. */
  disturb(podId: string, how: 'vanish' | 'exit' | 'restart'): boolean;
  /** Called for every change of a pod, after its host was told. */
  onPod(listener: (change: PodChange) => void): void;
  /** Catches up with the clock and waits until hosts have done what they were told. */
  settled(): Promise<void>;
  /** The model itself, caught up with the clock; for assertions. */
  readonly world: World;
  /** Stops listening and removes every pod. */
  stop(): Promise<void>;
}

function accountKey(world: World, scope: KeyScope): string {
  const found = world.keys.find((key) => key.scope === scope);
  if (found === undefined) throw new Error(`the world has no ${scope} key`);
  return found.key;
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the world could not get a port');
  return `http://127.0.0.1:${address.port}`;
}

async function close(server: Server, live: LiveWorld): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await live.end();
}

/** The handle's part that speaks to the model. */
function modelHandle(live: LiveWorld, log: RequestLog) {
  const { world } = live;
  return {
    podKey(podId: string) {
      const pod = world.pods.get(podId);
      if (pod === undefined) throw new Error(`the world has no pod '${podId}'`);
      return pod.scopedKey;
    },
    revokeKey(key: string) {
      const found = world.keys.find((one) => one.key === key);
      if (found !== undefined) found.revoked = true;
      return found !== undefined;
    },
    now: () => live.clock.now(),
    requests: () => log.all(),
    setFaults(faults: readonly FaultInput[]) {
      world.faults = activate(faults.map((fault) => faultSchema.parse(fault)));
    },
    setSwitches: (switches: SwitchesInput) => applySwitches(world.settings, switches),
    disturb(podId: string, how: 'vanish' | 'exit' | 'restart') {
      live.catchUp();
      const isDone = disturbPod(world, podId, how);
      live.catchUp();
      return isDone;
    },
    onPod: (listener: (change: PodChange) => void) => live.onPod(listener),
    async settled() {
      live.catchUp();
      await live.hostsSettled();
    },
  };
}

/** Starts a world and resolves when it answers and its running pods can be reached. Throws SeedError. */
export async function serveWorld(options: WorldOptions = {}): Promise<WorldHandle> {
  const seed = parseSeed(options.seed ?? {});
  const clock = options.clock ?? realClock(startIn(seed));
  const { podHosts } = options;
  const world = worldFromSeed(seed, clock.now(), podHosts !== undefined);
  const live = liveWorld(world, clock, podHosts);
  const log = requestLog();
  const server = worldServer({
    world,
    lookout: live.lookout,
    controls: { log, advanceClock: clock.advance ?? null },
    catchUp: () => live.catchUp(),
    sleep: (ms) => new Promise((resolve) => clock.after(ms, () => resolve())),
  });
  const restUrl = await listen(server, options.port ?? 0);
  live.catchUp();
  await live.hostsSettled();
  return {
    restUrl,
    graphqlUrl: `${restUrl}/graphql`,
    apiKey: accountKey(world, 'full'),
    readOnlyKey: accountKey(world, 'read-only'),
    ...modelHandle(live, log),
    get world() {
      live.catchUp();
      return world;
    },
    stop: () => close(server, live),
  };
}
