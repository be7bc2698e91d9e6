/** Where the registry of this door lies, and which token may be sent there. */
import { z } from 'zod';
import { type Env, serverName } from '../domain/owner-from-env.ts';
import type { Tokens } from './credentials.ts';
import { wrongInput } from './words.ts';

export const registryPlace = z.object({
  /** A git URL or a path; never with credentials in it. */
  remote: z.string().min(1),
  branch: z.string().min(1),
  /** The repository that holds the branch, where it is the one that runs this job. */
  repository: z.object({ server: z.string(), id: z.string() }).nullable(),
  /** `owner/name` on the server of this run, where its API can be asked; null = git alone leads there. */
  api: z.string().nullable(),
  /** Which token is sent there; null = none. */
  token: z.enum(['registry-token', 'github-token']).nullable(),
});
export type RegistryPlace = z.infer<typeof registryPlace>;

export type PlaceWish = {
  readonly repository: string;
  readonly branch: string;
  readonly hasRegistryToken: boolean;
  readonly hasGithubToken: boolean;
};

const BRANCH = /^(?!.*(\.\.|\/\/|@\{))[A-Za-z0-9][A-Za-z0-9._/-]{0,100}$/;
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;

/**
 * The server of this run answers GitHub's API. Gitea and its like name an address for GraphQL too, but an empty one.
 * docs/facts/github.md
 */
export function apiOf(env: Env): { readonly apiUrl: string; readonly graphqlUrl: string } | null {
  const [apiUrl = '', graphqlUrl = ''] = [env['GITHUB_API_URL'], env['GITHUB_GRAPHQL_URL']];
  const imitation = env['GITEA_ACTIONS'] === 'true' || env['FORGEJO_ACTIONS'] === 'true';
  return imitation || apiUrl.trim() === '' || graphqlUrl.trim() === ''
    ? null
    : { apiUrl: apiUrl.trim(), graphqlUrl: graphqlUrl.trim() };
}

/** `registry-repository`, else PODTRACK_REGISTRY, else the repository of this run. Throws ConfigError. */
export function placeOf(env: Env, wish: PlaceWish): RegistryPlace {
  const branch = wish.branch === '' ? 'podtrack' : wish.branch;
  if (!BRANCH.test(branch) || /(\.lock|[./])$/.test(branch)) {
    throw wrongInput(
      'registry-branch',
      `"${branch.slice(0, 60)}" is no branch name`,
      'Give a plain branch name',
    );
  }
  const own = (env['GITHUB_REPOSITORY'] ?? '').trim();
  const named = wish.repository === '' ? null : wish.repository;
  const elsewhere = (env['PODTRACK_REGISTRY'] ?? '').trim();
  if (named !== null && named.toLowerCase() !== own.toLowerCase()) return another(env, wish, branch);
  if (named === null && elsewhere !== '') return given(env, wish, { remote: elsewhere, branch });
  return ours(env, wish, branch);
}

function ours(env: Env, wish: PlaceWish, branch: string): RegistryPlace {
  const server = serverUrl(env);
  const name = (env['GITHUB_REPOSITORY'] ?? '').trim();
  if (server === '' || !REPOSITORY.test(name)) {
    throw wrongInput(
      'registry-repository',
      'the runner names no repository of its own',
      'Give registry-repository as owner/name, or PODTRACK_REGISTRY as a git URL or path',
    );
  }
  const id = env['GITHUB_REPOSITORY_ID'] ?? '';
  const repository = /^[1-9]\d{0,19}$/.test(id) ? { server: serverName(server), id } : null;
  const token = tokenFor(wish, true);
  return { remote: `${server}/${name}`, branch, repository, api: apiFor(env, name, token), token };
}

/** This job's own token is worth nothing in another repository. */
function another(env: Env, wish: PlaceWish, branch: string): RegistryPlace {
  if (!REPOSITORY.test(wish.repository)) {
    throw wrongInput(
      'registry-repository',
      `"${wish.repository.slice(0, 60)}" is not owner/name`,
      'Give owner/name of a repository on this server, or PODTRACK_REGISTRY as a git URL or path',
    );
  }
  if (!wish.hasRegistryToken) {
    throw wrongInput(
      'registry-token',
      `the registry lies in ${wish.repository}, and the token of this job cannot write there`,
      'Give registry-token: a token with contents: write on that repository',
    );
  }
  return {
    remote: `${serverUrl(env)}/${wish.repository}`,
    branch,
    repository: null,
    api: apiFor(env, wish.repository, 'registry-token'),
    token: 'registry-token',
  };
}

/** Without a token the API takes nothing. */
function apiFor(env: Env, name: string, token: RegistryPlace['token']): string | null {
  return token === null || apiOf(env) === null ? null : name;
}

/** An address is git's, on whatever server. The job's token goes to the server that gave it and to nobody else. */
function given(env: Env, wish: PlaceWish, to: { remote: string; branch: string }): RegistryPlace {
  const sameServer = originOf(to.remote) !== null && originOf(to.remote) === originOf(serverUrl(env));
  return { ...to, repository: null, api: null, token: tokenFor(wish, sameServer) };
}

function tokenFor(wish: PlaceWish, mayUseJobs: boolean): RegistryPlace['token'] {
  if (wish.hasRegistryToken) return 'registry-token';
  return mayUseJobs && wish.hasGithubToken ? 'github-token' : null;
}

export function tokenOf(place: RegistryPlace, credentials: Tokens): string | null {
  if (place.token === null) return null;
  return place.token === 'registry-token' ? credentials.registryToken : credentials.githubToken;
}

/** The job's token can stand in for a dead one, but only in the job's own repository. */
export function spareTokenOf(place: RegistryPlace, { githubToken }: Tokens): string | null {
  return place.token === 'registry-token' && place.repository !== null ? githubToken : null;
}

function serverUrl(env: Env): string {
  return (env['GITHUB_SERVER_URL'] ?? '').trim().replace(/\/+$/, '');
}

function originOf(address: string): string | null {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  return new URL(address).origin;
}
