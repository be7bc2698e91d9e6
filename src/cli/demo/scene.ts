/** Sets the scene: a world on real sockets in one private folder, and podtrack's own adapters pointed at it. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionsCi } from '../../adapters/actions-ci.ts';
import { diskKeep } from '../../adapters/disk-keep.ts';
import { gitRegistry } from '../../adapters/git-registry.ts';
import { nodeChance } from '../../adapters/node-chance.ts';
import { runpodProvider } from '../../adapters/runpod-provider.ts';
import { ed25519PublicLine } from '../../adapters/ssh/openssh-key.ts';
import { readPrivateKey } from '../../adapters/ssh/private-key.ts';
import { sshMirror } from '../../adapters/ssh-mirror.ts';
import { sshShell } from '../../adapters/ssh-shell.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import type { ReaperRules } from '../../domain/rules.ts';
import { VERSION } from '../../domain/version.ts';
import type { ArmKeys } from '../../flows/arm.ts';
import { onPodText } from '../../on-pod-text.ts';
import type { Clock, Log, World } from '../../ports.ts';
import { createFolderPodHosts, type FolderPodHosts } from '../../world/pods/folder-pod-hosts.ts';
import { serveWorld, type WorldHandle } from '../../world/serve.ts';
import { demoRules, demoSeed, OURS, TICK_S } from './cast.ts';

export const USER_AGENT = `podtrack/${VERSION} (demo)`;

export type Scene = {
  /** What the flows work with. */
  readonly world: World;
  /** The provider's side, for looking behind the stage. */
  readonly account: WorldHandle;
  readonly hosts: FolderPodHosts;
  readonly keys: ArmKeys;
  readonly rules: ReaperRules;
  /** PODTRACK_HOME. */
  readonly home: string;
  /** The registry's bare repository. */
  readonly registry: string;
  /** Where copies of artifacts lie. */
  readonly mirror: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Ends every process and server of the demo, so that whatever still asks them fails. */
  close(): Promise<void>;
  /** Takes its folder away, once nobody writes into it any more. */
  remove(): Promise<void>;
  /** What is left of it, in words; empty = nothing. */
  leftovers(): readonly string[];
};

export type SceneWish = Pick<Scene, 'env' | 'signal'> & { readonly log: Log };

/** A wait after the interruption: short, so that what is under way soon ends, yet a wait, so that no loop runs hot. */
const HASTE_MS = 20;

/** An interrupted demo waits for next to nothing any more. */
function stoppableClock(signal: AbortSignal): Clock {
  const clock = systemClock();
  return {
    now: () => clock.now(),
    sleep: async (ms, other) => {
      const early = other === undefined ? signal : AbortSignal.any([signal, other]);
      if (!signal.aborted) await clock.sleep(ms, early);
      if (signal.aborted && other?.aborted !== true) await clock.sleep(Math.min(ms, HASTE_MS), other);
    },
  };
}

/** Rejects when the world cannot be started; nothing is left behind then. */
export async function openScene(wish: SceneWish): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'podtrack-demo-'));
  const atExit = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  process.once('exit', atExit);
  const hosts = await createFolderPodHosts({ parent: folder });
  const login = generateKeyPairSync('ed25519').privateKey;
  let account: WorldHandle | null = null;
  const close = async (): Promise<void> => {
    await hosts.close();
    await account?.stop();
    account = null;
  };
  const remove = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    process.off('exit', atExit);
  };
  try {
    const pem = login.export({ type: 'pkcs8', format: 'pem' }).toString();
    account = await serveWorld({ seed: demoSeed(ed25519PublicLine(login, 'demo')), podHosts: hosts });
    const place = { home: join(folder, 'home'), privateKey: readPrivateKey(pem, 'the key of the demo') };
    return {
      ...placed(wish, account, place),
      account,
      hosts,
      close,
      remove,
      leftovers: () => leftoversOf(hosts, folder),
    };
  } catch (error) {
    await close();
    await remove();
    throw error;
  }
}

type Place = { readonly home: string; readonly privateKey: string };

/** The adapters, as the doors choose them for anybody. */
function placed(wish: SceneWish, account: WorldHandle, { home, privateKey }: Place) {
  const { log, env, signal } = wish;
  const clock = stoppableClock(signal);
  const chance = nodeChance();
  const registry = join(home, 'registry.git');
  const mirror = join(home, 'mirror');
  const { apiKey, restUrl: restBaseUrl, graphqlUrl } = account;
  const world: World = {
    provider: runpodProvider({ apiKey, restBaseUrl, graphqlUrl, userAgent: USER_AGENT, clock }),
    registry: gitRegistry({
      remote: registry,
      scratchFolder: join(home, 'scratch'),
      clock,
      chance,
      repository: null,
      createMissing: true,
      env,
    }),
    shell: sshShell({ privateKey, scripts: onPodText, clock, log }),
    mirror: sshMirror({ root: mirror, clock, log }),
    keep: diskKeep(),
    ci: actionsCi({ env: {}, token: null, userAgent: USER_AGENT, clock }),
    clock,
    log,
    chance,
  };
  const keys = { explicit: null, deadman: null, full: null, restBaseUrl, graphqlUrl, tickS: TICK_S };
  return { world, keys, rules: demoRules(), home, registry, mirror, env, signal };
}

function leftoversOf(hosts: FolderPodHosts, folder: string): readonly string[] {
  const processes = OURS.flatMap((pod) => hosts.processes(pod).map((pid) => `process ${pid} of ${pod}`));
  return existsSync(folder) ? [...processes, `folder ${folder}`] : processes;
}
