/** A stage for stories of flows: registry, provider, pods, mirror and clock in memory, and what happened to them. */
import { memoryHost, memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { compile } from '../../src/adapters/ssh/mirror/choice.ts';
import type { Manifest } from '../../src/domain/artifacts.ts';
import { type Choice, type Chosen, choose, chooser } from '../../src/domain/choice.ts';
import { WorldError } from '../../src/domain/errors.ts';
import type { EvidenceText } from '../../src/domain/evidence.ts';
import type { Owner, OwnerLiveness } from '../../src/domain/owner.ts';
import { type Part, seen, unseen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import { DEFAULT_RULES, type ReaperRules } from '../../src/domain/rules.ts';
import { actingOwner, actingReaper } from '../../src/flows/acting.ts';
import type { ArmKeys } from '../../src/flows/arm.ts';
import { arm } from '../../src/flows/arm.ts';
import type { RegisterInput } from '../../src/flows/entry/register-checks.ts';
import { type Cycle, type ReapOptions, reap } from '../../src/flows/reap.ts';
import { register } from '../../src/flows/register.ts';
import { openPod } from '../../src/flows/watch/visit.ts';
import type { LogLevel, Mirror, World } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import { aPod, type ScriptedProvider, scriptedProvider } from '../fakes/scripted-provider.ts';
import { type ScriptedShell, scriptedShell } from '../fakes/scripted-shell.ts';
import { type SwitchedPod, switchedPod } from '../fakes/switched-pod.ts';
import { type VirtualClock, virtualClock } from '../fakes/virtual-clock.ts';

export const KEYS: ArmKeys = {
  explicit: null,
  deadman: null,
  full: null,
  restBaseUrl: 'https://api.example',
  graphqlUrl: 'https://api.example/graphql',
  tickS: null,
};

export type Stage = {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly provider: ScriptedProvider;
  readonly shell: ScriptedShell;
  readonly pods: Map<string, SwitchedPod>;
  /** Artifact trees by pod; a test may change them between looks. */
  readonly files: Map<string, Record<string, string>>;
  /** Ways in which a pull of a pod fails or misleads. */
  readonly pulls: Map<string, 'stalls' | 'short' | 'no-tools'>;
  readonly pulled: string[];
  /** What was written beside the copies, per pod. */
  readonly evidence: Map<string, readonly EvidenceText[]>;
  readonly owners: Map<string, Part<OwnerLiveness>>;
  readonly said: { readonly level: LogLevel; readonly line: string }[];
  readonly host: ReturnType<typeof memoryHost>;
};

function manifestOf(files: Record<string, string>): Manifest {
  const chance = nodeChance();
  return {
    files: Object.entries(files).map(([path, text]) => ({
      path,
      size: text.length,
      sha256: chance.sha256(text),
    })),
    links: [],
    others: [],
  };
}

function stageMirror(stage: Pick<Stage, 'files' | 'pulls' | 'pulled' | 'evidence'>): Mirror {
  const tree = (podId: string): Record<string, string> => stage.files.get(podId) ?? {};
  const look = (podId: string, choice: Choice | null): Chosen =>
    choose(manifestOf(tree(podId)), chooser(choice, compile));
  return {
    pull: async (session, { choice }) => {
      stage.pulled.push(session.podId);
      const how = stage.pulls.get(session.podId);
      if (how === 'stalls') {
        throw new WorldError('timed-out', {
          tried: `Pulling from ${session.podId}`,
          cameBack: 'no bytes for 60 s',
          state: 'The last good copy is kept',
          next: 'Look at the pod',
        });
      }
      const { manifest: remote, leftOut } = look(session.podId, choice);
      const bytes = remote.files.reduce((sum, file) => sum + file.size, 0);
      const refused = how === 'short' ? [{ path: '../x', reason: 'outside' }] : [];
      return {
        remote,
        leftOut,
        files: remote.files.length,
        bytes,
        place: `/mirror/${session.podId}`,
        digest: JSON.stringify(remote.files),
        moving: [],
        refused,
      };
    },
    manifest: async (session, { choice }) => look(session.podId, choice).manifest,
    ready: async ({ podId }) => {
      if (stage.pulls.get(podId) !== 'no-tools') return;
      throw new WorldError('unexpected-answer', {
        tried: `Pulling from ${podId}`,
        cameBack: "the pod's image lacks tar",
        state: 'Nothing counts as pulled',
        next: 'Install it in the image',
      });
    },
    evidence: async (podId, texts) => {
      stage.evidence.set(podId, texts);
      return `/mirror/${podId}.evidence`;
    },
  };
}

export function stage(): Stage {
  const clock = virtualClock(NOW);
  const provider = scriptedProvider();
  const pods = new Map<string, SwitchedPod>();
  const shell = scriptedShell(pods);
  const host = memoryHost();
  const said: { level: LogLevel; line: string }[] = [];
  const owners = new Map<string, Part<OwnerLiveness>>();
  const shared = {
    files: new Map<string, Record<string, string>>(),
    pulls: new Map<string, 'stalls' | 'short' | 'no-tools'>(),
    pulled: [] as string[],
    evidence: new Map<string, readonly EvidenceText[]>(),
  };
  const chance = nodeChance();
  const world: World = {
    provider,
    registry: memoryRegistry({ clock, chance, repository: null, host }),
    shell,
    mirror: stageMirror(shared),
    keep: { keep: async ({ place }) => seen(place) },
    ci: {
      liveness: async (all: readonly Owner[]) =>
        all.map((one) => owners.get(one.uuid) ?? unseen('not asked')),
    },
    clock,
    log: { say: (level, line) => said.push({ level, line }), progress: () => undefined },
    chance,
  };
  return { world, clock, provider, shell, pods, owners, said, host, ...shared };
}

export type PodWish = {
  readonly register?: Partial<RegisterInput>;
  readonly owner?: Partial<Owner>;
  readonly armed?: boolean;
  readonly pod?: Partial<Parameters<typeof aPod>[0]>;
  readonly switched?: Partial<SwitchedPod>;
};

export function registerInput(
  id: string,
  of: Partial<RegisterInput> = {},
  owner: Owner = anOwner({ uuid: `u-${id}` }),
): RegisterInput {
  return {
    acting: actingOwner(owner, null),
    owner,
    podId: id,
    remotePath: '/workspace/results',
    noArtifacts: false,
    allowEmpty: false,
    choice: null,
    killInMs: minutes(120),
    killInGiven: true,
    killAbsoluteMs: null,
    rules: DEFAULT_RULES,
    gpu: null,
    costPerHourMicroUsd: null,
    volumeId: null,
    expectedAddress: { host: null, port: null },
    adopt: false,
    freshReaperMs: null,
    runStartedAt: NOW - minutes(90),
    ownNonce: null,
    ...of,
  };
}

/** A running pod that is not ours: the provider shows it and that is all. */
export function put(on: Stage, id: string, of: PodWish['pod'] = {}): void {
  const telemetry = seen({ uptimeMs: minutes(59), gpus: [{ util: 0, memoryUtil: 0 }], cpuUtil: 1 });
  on.provider.put(
    aPod({
      telemetry,
      id,
      createdAt: on.clock.now() - minutes(60),
      startedAt: on.clock.now() - minutes(59),
      ...of,
    }),
  );
}

/** The pod answers logins and scripts as a pod does. */
export function answering(on: Stage, id: string, of: Partial<SwitchedPod> = {}): SwitchedPod {
  const pod = switchedPod(id, () => on.clock.now(), of);
  on.pods.set(id, pod);
  return pod;
}

/** A pod that runs, is registered and, unless said otherwise, armed. */
export async function ours(on: Stage, id: string, wish: PodWish = {}): Promise<PodRecord> {
  put(on, id, wish.pod);
  answering(on, id, wish.switched);
  if (!on.files.has(id)) on.files.set(id, { 'out.txt': `result of ${id}` });
  const input = registerInput(id, wish.register, anOwner({ uuid: `u-${id}`, ...wish.owner }));
  const { record } = await register(on.world, input);
  if (wish.armed === false) return record;
  const lookup = await on.provider.get(id);
  if (lookup.kind === 'absent') throw new Error('put just now');
  const session = await openPod(on.world, record, lookup.pod);
  const { state } = await on.world.registry.read();
  const armed = await arm(on.world, {
    acting: input.acting,
    record,
    session,
    pod: lookup.pod,
    registryId: state.meta.registryId,
    keys: KEYS,
    petWindowMs: null,
  });
  await session.close();
  return armed.record;
}

export function reapOptions(of: Partial<ReapOptions> = {}, rules: Partial<ReaperRules> = {}): ReapOptions {
  return {
    acting: actingReaper('reaper-1', null),
    rules: { ...DEFAULT_RULES, ...rules },
    keys: KEYS,
    dryRun: false,
    mirror: true,
    pullBudgetMs: minutes(5),
    ...of,
  };
}

/** Cycles at the cadence of the cron that was hoped for; the last one is returned. */
export async function cycles(
  on: Stage,
  count: number,
  everyMs: number = minutes(5),
  of: Partial<ReapOptions> = {},
): Promise<Cycle> {
  let last: Cycle | null = null;
  for (let index = 0; index < count; index += 1) {
    if (index > 0) on.clock.jump(everyMs);
    last = await reap(on.world, reapOptions(of));
  }
  if (last === null) throw new Error('at least one cycle');
  return last;
}

export const verdicts = (cycle: Cycle): Record<string, string> =>
  Object.fromEntries(cycle.plan.pods.map((pod) => [pod.record.id, pod.verdict.reason]));

export const ended = (on: Stage): string[] =>
  on.provider.calls
    .filter((call) => call.startsWith('terminate '))
    .map((call) => call.slice('terminate '.length));

export async function record(on: Stage, id: string): Promise<PodRecord> {
  const { state } = await on.world.registry.read();
  const found = state.pods[`runpod.${id}`];
  if (found === undefined) throw new Error(`no record of ${id}`);
  return found;
}

/** The history as verbs per pod, oldest first. */
export async function verbs(on: Stage, id: string): Promise<string[]> {
  const entries = await on.world.registry.history({ pod: `runpod.${id}`, limit: 1000 });
  return entries.flatMap((entry) =>
    entry.trailers
      .filter(([name, value]) => name === 'Podtrack-Op' && value.includes(`pod=runpod`) && value.includes(id))
      .map(([, value]) => value.split(' ')[0] ?? ''),
  );
}
