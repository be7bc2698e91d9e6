/** Where things lie: home, registry, keys, the two addresses of RunPod. */
import { join } from 'node:path';
import { ConfigError } from '../../domain/errors.ts';
import { type Env, serverName } from '../../domain/owner-from-env.ts';
import type { Call } from '../call.ts';
import { pick, pickOr, type Resolved } from './pick.ts';

const RUNPOD_BASE_URL = 'https://api.runpod.io';

type Asked = Pick<Call, 'given' | 'env'>;

export function onActions(env: Env): boolean {
  return env['GITHUB_ACTIONS'] === 'true';
}

function userFolder(env: Env): string | null {
  return env['HOME']?.trim() || env['USERPROFILE']?.trim() || null;
}

/** Throws ConfigError where there is neither PODTRACK_HOME nor a home folder. */
export function homeOf(call: Asked): Resolved<string> {
  const given = pick(call, { variable: 'PODTRACK_HOME' });
  if (given !== null) return given;
  const folder = userFolder(call.env);
  if (folder !== null) return { value: join(folder, '.local', 'share', 'podtrack'), origin: 'default' };
  throw new ConfigError('PODTRACK_HOME', {
    tried: 'Finding a place for the registry and the copies',
    cameBack: 'neither PODTRACK_HOME nor HOME is set',
    state: 'Nothing was changed',
    next: 'Set PODTRACK_HOME to a folder that you may write to',
  });
}

/** Where keys lie in files of their own; null without a home folder. */
export function keyFolder(env: Env): string | null {
  const folder = userFolder(env);
  return folder === null ? null : join(folder, '.config', 'podtrack');
}

export type RegistryPlace = {
  readonly remote: Resolved<string>;
  readonly branch: Resolved<string>;
  /** Our own bare repository under the home: made when it is first written. */
  readonly isDefault: boolean;
  /** The repository on the forge that runs us, when the registry lies in it. */
  readonly repository: { readonly server: string; readonly id: string } | null;
};

export function registryOf(call: Asked): RegistryPlace {
  const given = pick(call, { flag: 'registry', variable: 'PODTRACK_REGISTRY' });
  const branchPlace = { flag: 'registry-branch', variable: 'PODTRACK_REGISTRY_BRANCH' };
  const branch = checkedBranch(pickOr(call, branchPlace, 'podtrack'));
  if (given !== null)
    return { remote: given, branch, isDefault: false, repository: ownRepository(call.env, given.value) };
  const remote = { value: join(homeOf(call).value, 'registry.git'), origin: 'default' };
  return { remote, branch, isDefault: true, repository: null };
}

function checkedBranch(branch: Resolved<string>): Resolved<string> {
  const plain = /^(?!.*(\.\.|\/\/|@\{))[A-Za-z0-9][A-Za-z0-9._/-]{0,100}$/.test(branch.value);
  if (plain && !/(\.lock|[./])$/.test(branch.value)) return branch;
  throw new ConfigError(branch.origin, {
    tried: 'Naming the branch of the registry',
    cameBack: `"${branch.value.slice(0, 60)}" is no branch name`,
    state: 'Nothing was changed',
    next: 'Give a plain branch name, such as podtrack',
  });
}

function ownRepository(env: Env, remote: string): RegistryPlace['repository'] {
  const server = env['GITHUB_SERVER_URL']?.trim();
  const name = env['GITHUB_REPOSITORY']?.trim();
  const id = env['GITHUB_REPOSITORY_ID']?.trim() ?? '';
  if (!server || !name || !/^[1-9]\d{0,19}$/.test(id)) return null;
  const plain = (url: string): string => serverName(url).replace(/\.git$/, '');
  return plain(remote) === plain(`${server}/${name}`) ? { server: serverName(server), id } : null;
}

/** REST base without `/v2`, and GraphQL in full: also where the switch on a pod calls. */
export function addressesOf(call: Asked): { rest: Resolved<string>; graphql: Resolved<string> } {
  const given = pickOr(call, { variable: 'RUNPOD_API_BASE_URL' }, RUNPOD_BASE_URL);
  const rest = { ...given, value: given.value.replace(/\/+$/, '').replace(/\/v2$/, '') };
  const graphql = pick(call, { variable: 'RUNPOD_GRAPHQL_URL' }) ?? {
    value: `${rest.value}/graphql`,
    origin: given.origin === 'default' ? 'default' : `${given.origin} + /graphql`,
  };
  return { rest, graphql };
}
