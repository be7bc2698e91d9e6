/** Chooses the adapters of every door: here, and nowhere else in the actions, the outside world gets its names. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { actionsCi } from '../adapters/actions-ci.ts';
import { actionsKeep } from '../adapters/actions-keep.ts';
import { actionsLog } from '../adapters/actions-log.ts';
import { type ConfigFile, readConfigFile } from '../adapters/config-file.ts';
import { diskKeep } from '../adapters/disk-keep.ts';
import { fallbackRegistry } from '../adapters/fallback-registry.ts';
import { gitRegistry } from '../adapters/git-registry.ts';
import { nodeChance } from '../adapters/node-chance.ts';
import { redactor } from '../adapters/redact.ts';
import { runpodProvider } from '../adapters/runpod-provider.ts';
import {
  dropSecrets,
  privateFolder,
  type Sealed,
  type Secrets,
  sealSecrets,
  unsealSecrets,
} from '../adapters/saved-secrets.ts';
import { readPrivateKey } from '../adapters/ssh/private-key.ts';
import { sshMirror } from '../adapters/ssh-mirror.ts';
import { sshShell } from '../adapters/ssh-shell.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { WorldError } from '../domain/errors.ts';
import type { Env } from '../domain/owner-from-env.ts';
import { VERSION } from '../domain/version.ts';
import { onPodText } from '../on-pod-text.ts';
import type { Chance, Clock, Log, RegistryStore, Shell, World } from '../ports.ts';
import type { RegistryPlace } from './registry-place.ts';

const USER_AGENT = `podtrack-actions/${VERSION}`;
const RUNPOD_BASE_URL = 'https://api.runpod.io';

export type DeskParts = {
  readonly env: Env;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  mask(secret: string): void;
  redacted(text: string): string;
};

/** Clock, chance and a log that knows every secret that was ever masked. */
export function openDesk(env: Env, hide: (secret: string) => void): DeskParts {
  const clock = systemClock();
  const secrets: string[] = [];
  let redact = redactor([]);
  return {
    env,
    clock,
    chance: nodeChance(),
    log: actionsLog({ clock, redact: () => redact }),
    mask(secret) {
      hide(secret);
      secrets.push(secret);
      redact = redactor(secrets);
    },
    redacted: (text) => redact(text),
  };
}

export type WorldWish = {
  readonly apiKey: string;
  /** As it was given; null = no login to any pod. */
  readonly sshKey: string | null;
  readonly place: RegistryPlace;
  readonly registryToken: string | null;
  /** Used where the first is refused; null = there is no second. */
  readonly spareToken: string | null;
  /** A private folder of this step. */
  readonly folder: string;
  readonly keepIn: 'artifact' | 'disk';
  /** Makes a registry where a path names none: for the first pod only, since a lost one must never look empty. */
  readonly mayBegin: boolean;
  /** Where copies go that name no folder of their own. */
  readonly mirrorRoot: string;
};

/** Throws ConfigError for a key or an address that cannot be used; asks nobody anything yet. */
export function actionsWorld(desk: DeskParts, wish: WorldWish): World {
  const { env, clock, chance, log } = desk;
  const { folder } = wish;
  return {
    clock,
    chance,
    log,
    ci: actionsCi(),
    provider: runpodProvider({
      apiKey: wish.apiKey,
      restBaseUrl: env['RUNPOD_API_BASE_URL'] || undefined,
      graphqlUrl: env['RUNPOD_GRAPHQL_URL'] || undefined,
      userAgent: USER_AGENT,
      clock,
    }),
    registry: registryOf(desk, wish),
    shell: shellOf(wish.sshKey, desk),
    mirror: sshMirror({ root: wish.mirrorRoot, clock, log }),
    keep: wish.keepIn === 'disk' ? diskKeep() : actionsKeep({ env, folder, log, chance }),
  };
}

function registryOf({ clock, chance, log }: DeskParts, wish: WorldWish): RegistryStore {
  const { place, folder } = wish;
  const storeWith = (token: string | null): RegistryStore =>
    gitRegistry({
      remote: place.remote,
      branch: place.branch,
      repository: place.repository,
      scratchFolder: join(folder, 'registry'),
      credential: token === null ? null : { username: 'x-access-token', token },
      createMissing: wish.mayBegin,
      clock,
      chance,
    });
  const first = storeWith(wish.registryToken);
  if (wish.spareToken === null) return first;
  const names = ['registry-token', "job's own token"] as const;
  return fallbackRegistry({ first, second: storeWith(wish.spareToken), log, names });
}

function shellOf(sshKey: string | null, { clock, log }: DeskParts): Shell {
  if (sshKey === null) return shutShell();
  return sshShell({ privateKey: readPrivateKey(sshKey, 'ssh-key'), scripts: onPodText, clock, log });
}

/** Without a key every pod refuses us, which is no "unreachable". */
function shutShell(): Shell {
  return {
    open: async ({ podId }) => {
      throw new WorldError('refused-login', {
        tried: `Connecting to ${podId}`,
        cameBack: 'no SSH key was given',
        state: 'Nothing was sent to the pod',
        next: 'Give ssh-key (or PODTRACK_SSH_KEY) the private key whose public half the pod knows',
      });
    },
    ownNetworkWorks: async () => true,
  };
}

/** Where the switch on a pod calls. */
export function switchAddresses(env: Env): { readonly restBaseUrl: string; readonly graphqlUrl: string } {
  const given = (env['RUNPOD_API_BASE_URL'] ?? '').trim() || RUNPOD_BASE_URL;
  const restBaseUrl = given.replace(/\/+$/, '').replace(/\/v2$/, '');
  return { restBaseUrl, graphqlUrl: env['RUNPOD_GRAPHQL_URL'] || `${restBaseUrl}/graphql` };
}

/** Rules that the repository brings along; null where it brings none. Throws ConfigError for a broken file. */
export function workspaceRules(env: Env): ConfigFile | null {
  const workspace = env['GITHUB_WORKSPACE'] ?? '';
  return workspace === '' ? null : readConfigFile(join(workspace, '.github', 'podtrack.yml'));
}

/** Stays until post removes it. */
export function newFolder(env: Env): string {
  return privateFolder(env);
}

/** Goes with the process: what is verified and kept lies elsewhere by then. */
export function passingFolder(env: Env): string {
  const folder = privateFolder(env);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 2 }));
  return folder;
}

export function seal(folder: string, values: Secrets): Sealed {
  return sealSecrets(folder, values);
}

export function unseal(sealed: Sealed): Secrets | null {
  return unsealSecrets(sealed);
}

export function dropSealed(file: string): void {
  dropSecrets(file);
}
