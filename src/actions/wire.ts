/** Chooses the adapters of every door: here, and nowhere else in the actions, the outside world gets its names. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { actionsCi } from '../adapters/actions-ci.ts';
import { actionsKeep } from '../adapters/actions-keep.ts';
import { actionsLog } from '../adapters/actions-log.ts';
import { actionsWorkflows } from '../adapters/actions-workflows.ts';
import { type CommandWish, writeCommand } from '../adapters/command-file.ts';
import { type ConfigFile, readConfigFile } from '../adapters/config-file.ts';
import { diskKeep } from '../adapters/disk-keep.ts';
import { fallbackRegistry } from '../adapters/fallback-registry.ts';
import { gitRegistry } from '../adapters/git-registry.ts';
import { githubRegistry } from '../adapters/github-registry.ts';
import { nodeChance } from '../adapters/node-chance.ts';
import { patientRegistry } from '../adapters/patient-registry.ts';
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
import type { Chance, Clock, Log, RegistryStore, Shell, Workflows, World } from '../ports.ts';
import { apiOf, type RegistryPlace } from './registry-place.ts';

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

export type RegistryWish = {
  readonly place: RegistryPlace;
  readonly registryToken: string | null;
  /** Used where the first is refused; null = there is no second. */
  readonly spareToken: string | null;
  /** The job's own: asks its server about runs and workflows; null = nobody can be asked. */
  readonly githubToken: string | null;
  /** A private folder of this step. */
  readonly folder: string;
  /** Makes a registry where a path names none: for the first pod only, since a lost one must never look empty. */
  readonly mayBegin: boolean;
  /** Loses no time after a lost race: for the reaper, who must not starve behind writers. */
  readonly hurry: boolean;
  /** Epoch ms: until then a lost race is run again, for one that nobody else may decide; null = its failure is told at once. */
  readonly patientUntil: number | null;
};

export type WorldWish = RegistryWish & {
  readonly apiKey: string;
  /** As it was given; null = no login to any pod. */
  readonly sshKey: string | null;
  readonly keepIn: 'artifact' | 'disk';
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
    ci: actionsCi({ env, token: forgeToken(env, wish), userAgent: USER_AGENT, clock }),
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

/** Gitea and its like answer other questions in other words: nothing is asked there. */
function forgeToken(env: Env, { githubToken }: RegistryWish): string | null {
  return apiOf(env) === null ? null : githubToken;
}

/** The part of the world that needs no account. */
export function setupWorld(
  desk: DeskParts,
  wish: RegistryWish,
): Pick<World, 'registry' | 'clock' | 'chance'> & { readonly workflows: Workflows } {
  const { env, clock, chance } = desk;
  const workflows = actionsWorkflows({ env, token: forgeToken(env, wish), userAgent: USER_AGENT, clock });
  return { clock, chance, registry: registryOf(desk, wish), workflows };
}

function registryOf(desk: DeskParts, wish: RegistryWish): RegistryStore {
  const store = registryWithTokens(desk, wish);
  const { clock, chance, log } = desk;
  const { patientUntil: until } = wish;
  return until === null ? store : patientRegistry({ store, until, clock, chance, log });
}

/** A dead token is neither contention nor a missing permission: one try, then the next one, for good. */
function registryWithTokens(desk: DeskParts, wish: RegistryWish): RegistryStore {
  const first = registryWith(desk, wish, wish.registryToken);
  if (wish.spareToken === null) return first;
  return fallbackRegistry({
    first,
    second: registryWith(desk, wish, wish.spareToken),
    when: 'unauthorized',
    says: `the registry-token was refused by ${first.place}; going on with the job's own token`,
    log: desk.log,
  });
}

/** Through the API where this run's server has one: no git is needed, and commits are signed. Git leads everywhere else. */
function registryWith(desk: DeskParts, wish: RegistryWish, token: string | null): RegistryStore {
  const byGit = gitRegistryWith(desk, wish, token);
  const api = apiOf(desk.env);
  const [owner, repo] = (wish.place.api ?? '').split('/');
  if (api === null || token === null || owner === undefined || repo === undefined) return byGit;
  const { branch, repository } = wish.place;
  const { clock, chance, log } = desk;
  const notice = (line: string): void => log.say('notice', line);
  const how = { clock, chance, notice, hurry: wish.hurry, userAgent: USER_AGENT };
  const first = githubRegistry({ ...api, ...how, owner, repo, token, branch, repository });
  const says = `${first.place} does not answer as GitHub's API does; going on with git`;
  return fallbackRegistry({ first, second: byGit, when: 'unsupported', says, log });
}

function gitRegistryWith(
  { clock, chance, log }: DeskParts,
  wish: RegistryWish,
  token: string | null,
): RegistryStore {
  const { place, folder, hurry } = wish;
  return gitRegistry({
    hurry,
    notice: (line) => log.say('notice', line),
    remote: place.remote,
    branch: place.branch,
    repository: place.repository,
    scratchFolder: join(folder, 'registry'),
    credential: token === null ? null : { username: 'x-access-token', token },
    createMissing: wish.mayBegin,
    clock,
    chance,
  });
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

/** Gives the folder that belongs on PATH. */
export function putCommand(wish: CommandWish): string {
  return writeCommand(wish);
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
