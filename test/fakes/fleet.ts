/** A fleet of registered pods at some moment of their life, and the world of ports that meets it over real sockets. */
import { diskKeep } from '../../src/adapters/disk-keep.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { runpodProvider } from '../../src/adapters/runpod-provider.ts';
import { sshMirror } from '../../src/adapters/ssh-mirror.ts';
import { sshShell } from '../../src/adapters/ssh-shell.ts';
import { setDeadlines } from '../../src/domain/deadlines.ts';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import { newRecord } from '../../src/domain/new-record.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { unseen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import type { ProviderPod } from '../../src/domain/provider-pod.ts';
import type { RegistryOp } from '../../src/domain/registry/ops.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import { actingOwner, actingReaper, opBase } from '../../src/flows/acting.ts';
import type { ReapOptions } from '../../src/flows/reap.ts';
import { onPodText } from '../../src/on-pod-text.ts';
import type { Clock, RegistryStore, World } from '../../src/ports.ts';
import type { SeedInput } from '../../src/world/seed.ts';
import type { SwitchedPod } from './switched-pod.ts';

/** How many of each; a healthy pod has a fresh heartbeat, an idle one no load, an expired one load and no time left. */
export type Fleet = { readonly healthy: number; readonly idle: number; readonly expired: number };

type Kind = keyof Fleet;

const REMOTE_PATH = '/workspace/results';
/** From its registration an expired pod had this long, every other one a day. */
const SHORT_LIFE_MS = 25 * MINUTE_MS;
const LONG_LIFE_MS = 24 * 60 * MINUTE_MS;

const kindOf = (podId: string): Kind =>
  podId.startsWith('idle') ? 'idle' : podId.startsWith('expired') ? 'expired' : 'healthy';

function idsOf(fleet: Fleet): string[] {
  const some = (kind: Kind) =>
    Array.from({ length: fleet[kind] }, (_, index) => `${kind}${String(index).padStart(5, '0')}`);
  return [...some('healthy'), ...some('idle'), ...some('expired')];
}

/** The pods as the provider has them: each with three small files, created hours ago. */
export function fleetSeed(fleet: Fleet, publicLine: string): SeedInput {
  const pods = idsOf(fleet).map((id) => ({
    id,
    name: `train-${id}`,
    createdAt: '-4h',
    sshKeys: [publicLine],
    files: Object.fromEntries(
      ['loss.csv', 'model/head.bin', 'model/notes.txt'].map((name) => [
        `${REMOTE_PATH}/${name}`,
        `${name} of ${id}\n`.repeat(50),
      ]),
    ),
  }));
  return { pods, switches: { rateLimit: null } };
}

/** How a pod of that id answers. */
export function fleetBehaviour(podId: string, now: number): Partial<SwitchedPod> {
  const kind = kindOf(podId);
  const inADay = now + LONG_LIFE_MS;
  return {
    util: kind === 'idle' ? '0' : '97',
    heartbeatAgeS: kind === 'healthy' ? 5 : null,
    planted: { stopAtMs: inADay, ownerAtMs: inADay, absoluteAtMs: inADay, extensionsLeft: 1 },
  };
}

function ownerOf(podId: string): Owner {
  return {
    label: `acme/ml#${podId}`,
    labelGiven: false,
    key: null,
    uuid: `owner-${podId}`,
    attempt: 1,
    job: 'train',
    matrix: null,
    checkRunId: null,
    repository: 'acme/ml',
  };
}

function recordOf(pod: ProviderPod, now: number): PodRecord {
  const { maxExtensions, petMinMs, pullMarginMs } = DEFAULT_RULES;
  const killInMs = kindOf(pod.id) === 'expired' ? SHORT_LIFE_MS : LONG_LIFE_MS;
  return newRecord({
    pod,
    owner: ownerOf(pod.id),
    account: null,
    nonce: null,
    gpu: null,
    costPerHourMicroUsd: pod.costPerHourMicroUsd,
    deadlines: setDeadlines({ now, killInMs, killAbsoluteMs: null, maxExtensions, petMinMs, pullMarginMs }),
    rules: DEFAULT_RULES,
    artifacts: { remotePath: REMOTE_PATH, none: false, allowEmpty: false, choice: null },
    hostKey: null,
    now,
    note: null,
  });
}

/** Registers and arms all that the provider lists, at the world's now, in one commit. */
export async function enterFleet(world: World): Promise<void> {
  const { pods } = await world.provider.list();
  const now = world.clock.now();
  const facts = {
    armedAt: now,
    credential: 'injected',
    mayRead: 'yes',
    mayTerminate: 'yes',
    petWindowMs: null,
    tool: 'curl',
  } as const;
  const ops = pods.flatMap((pod): RegistryOp[] => {
    const acting = actingOwner(ownerOf(pod.id), null);
    const record = recordOf(pod, now);
    return [
      { ...opBase(world, acting, 'register'), op: 'register', pod: pod.id, record, fulfils: null },
      { ...opBase(world, acting, 'arm'), op: 'arm', pod: pod.id, facts, hostKey: null },
    ];
  });
  const { results } = await world.registry.submit(ops);
  const refused = results.find((result) => result.kind !== 'applied');
  if (refused !== undefined) throw new Error(`the fleet was not entered: ${JSON.stringify(refused)}`);
}

export type FleetWorld = {
  readonly restUrl: string;
  readonly graphqlUrl: string;
  readonly apiKey: string;
  readonly privateKey: string;
  readonly mirrorRoot: string;
  readonly clock: Clock;
  readonly registry: RegistryStore;
};

/** The adapters that the doors choose, over the sockets of an embedded world. */
export function fleetWorld(of: FleetWorld): World {
  const { clock, registry } = of;
  const log = { say: () => undefined, progress: () => undefined };
  return {
    provider: runpodProvider({
      apiKey: of.apiKey,
      restBaseUrl: of.restUrl,
      graphqlUrl: of.graphqlUrl,
      userAgent: 'podtrack-fleet',
      clock,
    }),
    registry,
    shell: sshShell({ privateKey: of.privateKey, scripts: onPodText, clock, log }),
    mirror: sshMirror({ root: of.mirrorRoot, clock, log, reserveBytes: 0 }),
    keep: diskKeep(),
    ci: { liveness: async (owners) => owners.map(() => unseen('no forge here')) },
    clock,
    log,
    chance: nodeChance(),
  };
}

/** One cycle of a reaper with the product's own defaults. */
export function fleetReap(): ReapOptions {
  return {
    acting: actingReaper('fleet', null),
    rules: DEFAULT_RULES,
    keys: {
      explicit: null,
      deadman: null,
      full: null,
      restBaseUrl: 'https://api.example',
      graphqlUrl: 'https://api.example/graphql',
      tickS: null,
    },
    dryRun: false,
    mirror: true,
    pullBudgetMs: 5 * MINUTE_MS,
  };
}
