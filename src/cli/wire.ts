/** Chooses the adapters of the command line: here the outside world gets its names. */
import { join } from 'node:path';
import type { GitRegistryOptions } from '../adapters/git-registry/session.ts';
import { localKeep } from '../adapters/local-keep.ts';
import { WorldError } from '../domain/errors.ts';
import { type Part, seen, unseen } from '../domain/part.ts';
import { VERSION } from '../domain/version.ts';
import type { ArmKeys } from '../flows/arm.ts';
import type { Ci, Mirror, Provider, RegistryPast, RegistryStore, Shell, World } from '../ports.ts';
import type { Call } from './call.ts';
import {
  findApiKey,
  findDeadmanToken,
  findForgeToken,
  findRegistryToken,
  findSshKey,
  findTokenFile,
  missingApiKey,
  missingSshKey,
} from './settings/credentials.ts';
import { addressesOf, homeOf, onActions, registryOf } from './settings/places.ts';

/** `needed`: missing is an error before anything is asked; `welcome`: used when there; `none`: not even looked for. */
export type Need = 'needed' | 'welcome' | 'none';
export type Needs = { readonly apiKey: Need; readonly sshKey: Need };

/** Throws ConfigError for what is missing or broken; asks nobody anything yet. */
export async function wire(call: Call, needs: Needs): Promise<World> {
  const { clock, chance, log } = call;
  const apiKey = needs.apiKey === 'none' ? null : (findApiKey(call)?.value ?? null);
  if (apiKey === null && needs.apiKey === 'needed') throw missingApiKey(call.env);
  const sshKey = needs.sshKey === 'none' ? null : (findSshKey(call)?.value ?? null);
  if (sshKey === null && needs.sshKey === 'needed') throw missingSshKey();
  return {
    clock,
    chance,
    log,
    ci: await wireCi(call),
    keep: localKeep(diskLasts(call)),
    registry: await wireRegistry(call),
    provider: apiKey === null ? noProvider(call) : await wireProvider(call, apiKey),
    ...(sshKey === null ? noPods() : await wirePods(call, sshKey)),
  };
}

async function wireProvider(call: Call, apiKey: string): Promise<Provider> {
  const { runpodProvider } = await import('../adapters/runpod-provider.ts');
  const { rest, graphql } = addressesOf(call);
  return runpodProvider({
    apiKey,
    restBaseUrl: rest.value,
    graphqlUrl: graphql.value,
    userAgent: `podtrack/${VERSION} (cli)`,
    clock: call.clock,
  });
}

async function wireCi(call: Call): Promise<Ci> {
  const { actionsCi } = await import('../adapters/actions-ci.ts');
  const token = findForgeToken(call)?.value ?? null;
  return actionsCi({ env: call.env, token, userAgent: `podtrack/${VERSION} (cli)`, clock: call.clock });
}

export async function wireRegistry(call: Call): Promise<RegistryStore> {
  const { gitRegistry } = await import('../adapters/git-registry.ts');
  return gitRegistry(registryOptions(call));
}

/** The history of the same registry; a scratch repository of its own, since it holds everything. */
export async function wirePast(call: Call): Promise<RegistryPast> {
  const { gitPast } = await import('../adapters/git-past.ts');
  return gitPast(registryOptions(call));
}

function registryOptions(call: Call): GitRegistryOptions {
  const { remote, branch, isDefault, repository } = registryOf(call);
  const token = findRegistryToken(call, remote.value);
  return {
    remote: remote.value,
    branch: branch.value,
    repository,
    scratchFolder: join(homeOf(call).value, 'scratch'),
    credential: token === null ? null : { username: 'x-access-token', token: token.value },
    createMissing: isDefault,
    // A person's proxy, certificates and credential helper; a runner's are another tool's business.
    userConfig: !onActions(call.env),
    clock: call.clock,
    chance: call.chance,
    notice: (line) => call.log.say('notice', line),
    env: call.env,
  };
}

async function wirePods(call: Call, privateKey: string): Promise<{ shell: Shell; mirror: Mirror }> {
  const { clock, log } = call;
  const [{ sshShell }, { sshMirror }, { onPodText }] = await Promise.all([
    import('../adapters/ssh-shell.ts'),
    import('../adapters/ssh-mirror.ts'),
    import('../on-pod-text.ts'),
  ]);
  return {
    shell: sshShell({ privateKey, scripts: onPodText, clock, log }),
    mirror: sshMirror({ root: join(homeOf(call).value, 'mirror'), clock, log }),
  };
}

/** A runner that is thrown away after its job keeps nothing, unless a person says that this disk stays. */
function diskLasts(call: Call): Part<true> {
  const { env, given } = call;
  if (given.has('disk-lasts')) return seen(true);
  const temporary = env['RUNNER_TEMP']?.trim() ?? '';
  if (temporary !== '' && homeOf(call).value.startsWith(join(temporary, '/')))
    return unseen('PODTRACK_HOME lies in the temporary folder of this job; give one that outlives it');
  if (env['RUNNER_ENVIRONMENT'] !== 'github-hosted') return seen(true);
  return unseen('the disk of a hosted runner goes with the job; --disk-lasts would say otherwise');
}

function noProvider({ env }: Call): Provider {
  const refuse = (): Promise<never> => Promise.reject(missingApiKey(env));
  return {
    list: refuse,
    get: refuse,
    terminate: refuse,
    stop: refuse,
    start: refuse,
    logs: refuse,
    account: refuse,
    abilities: refuse,
  };
}

function noPods(): { shell: Shell; mirror: Mirror } {
  const refuse = (): Promise<never> => {
    const told = {
      tried: 'Connecting to the pod',
      cameBack: 'no SSH key was given',
      state: 'Nothing was sent to the pod',
      next: 'Give --ssh-key FILE or PODTRACK_SSH_KEY',
    };
    return Promise.reject(new WorldError('not-sent', told));
  };
  return {
    shell: { open: refuse, ownNetworkWorks: async () => true },
    mirror: { pull: refuse, manifest: refuse, ready: refuse, evidence: refuse },
  };
}

/** What the credential ladder may use, and where the switch on the pod calls. */
export function armKeysOf(call: Call): ArmKeys {
  const { rest, graphql } = addressesOf(call);
  const allowFull = call.given.has('allow-full-key');
  return {
    explicit: findTokenFile(call),
    deadman: findDeadmanToken(call)?.value ?? null,
    full: allowFull ? (findApiKey(call)?.value ?? null) : null,
    restBaseUrl: rest.value,
    graphqlUrl: graphql.value,
    tickS: null,
  };
}
