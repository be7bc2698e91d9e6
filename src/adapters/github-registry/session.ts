/** What one store on GitHub remembers between its calls: the last tree, the tips it saw, what the server can do. */
import { ConfigError } from '../../domain/errors.ts';
import type { Parsed } from '../../domain/registry/files.ts';
import type { Sha256 } from '../../domain/registry/layout.ts';
import type { Queued } from '../../domain/registry/queue-entry.ts';
import type { Meta } from '../../domain/registry/state.ts';
import type { Chance, Clock } from '../../ports.ts';
import { type Api, openApi } from '../github-api.ts';
import type { QueueEntry } from './queue-refs.ts';
import { type Quotas, watched } from './quota.ts';
import type { TreeCache } from './tree.ts';

export type GithubRegistryOptions = {
  readonly owner: string;
  readonly repo: string;
  /** Needs "contents: write". Sent to `apiUrl` and `graphqlUrl` and nowhere else. */
  readonly token: string;
  readonly clock: Clock;
  readonly chance: Chance;
  /** The repository that holds the branch, as the runner names it; null where it is not known. */
  readonly repository: Meta['repository'];
  /** Default `podtrack`; the state lies in `<branch>-state`. */
  readonly branch?: string;
  /** Default `https://api.github.com`; the runner's GITHUB_API_URL. */
  readonly apiUrl?: string;
  /** Default: what belongs to `apiUrl`; the runner's GITHUB_GRAPHQL_URL. */
  readonly graphqlUrl?: string;
  readonly userAgent?: string;
  /** A lost race is tried again at once: for the reaper, who must not starve behind writers. Default false. */
  readonly hurry?: boolean;
  /** Told what takes its time, for people. Default: nobody. */
  readonly notice?: (line: string) => void;
  /** After this long a request is given up. Default 30 s. */
  readonly timeoutMs?: number;
};

export type Session = {
  readonly api: Api;
  /** What its answers said is left to this token. */
  readonly quotas: Quotas;
  notice(line: string): void;
  readonly place: string;
  readonly refs: { readonly registry: string; readonly state: string };
  readonly branch: string;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly repository: Meta['repository'];
  /** The id that a registry started here will bear: one and the same for every read before the first write. */
  readonly newRegistryId: string;
  readonly hurry: boolean;
  random(): number;
  /** `owner/name`; another one once the repository turned out to be renamed. */
  name: string;
  /** The repository's node id, which updateRefs asks for; null = not read yet. */
  nodeId: string | null;
  /** Whether this server knows createCommitOnBranch and updateRefs. */
  knowsMutations: boolean;
  /** Whether all records come in one answer; not for a registry that was too large for that once. */
  takesWhole: boolean;
  /** Ancestor → the tip that was found to descend from it. */
  readonly ancestors: Map<string, string>;
  /** Tips that turned out to be no ancestors of a later one. */
  readonly lost: Set<string>;
  tree: TreeCache | null;
  /** What waited when the tree was read. */
  queue: readonly QueueEntry[];
  /** Entries by oid: an oid never says anything else. */
  readonly entries: Map<string, Parsed<Queued>>;
  /** Whether GitHub moves the branch and drops refs of the queue in one step. */
  foldsAtOnce: boolean;
  lastTip: string | null;
  /** Oid of the state branch at the last `read()`: the lease of the next save. Undefined = never read. */
  stateTip: string | null | undefined;
  /** Whether this store has written to the registry branch: the proof that it may. */
  hasWritten: boolean;
};

const OWNER = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/;
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

function refuse(input: string, cameBack: string, next: string): ConfigError {
  return new ConfigError(input, {
    tried: 'Opening the registry on GitHub',
    cameBack,
    state: 'Nothing was read or written',
    next,
  });
}

function address(input: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw refuse(input, 'it is no http(s) address without credentials', `Give ${input} as the runner does`);
  }
  return url;
}

/** `https://api.github.com` → …/graphql; `https://host/api/v3` → https://host/api/graphql. */
function graphqlOf(api: URL): string {
  return `${api.href.replace(/\/+$/, '').replace(/\/v3$/, '')}/graphql`;
}

function placeOf(api: URL, name: string): string {
  return `${api.protocol}//${api.host.replace(/^api\.github\.com$/, 'github.com')}/${name}`;
}

/** Throws ConfigError for a name, address or token that cannot be used. */
export function newSession(options: GithubRegistryOptions): Session {
  const { owner, repo, token, chance } = options;
  if (!OWNER.test(owner) || !NAME.test(repo))
    throw refuse('registry-repository', 'it is not owner/name', 'Give owner/name');
  if (token.trim() === '')
    throw refuse('registry-token', 'there is no token', 'Give a token that may write there');
  const api = address('GITHUB_API_URL', options.apiUrl ?? 'https://api.github.com');
  const graphqlUrl = address('GITHUB_GRAPHQL_URL', options.graphqlUrl ?? graphqlOf(api)).href;
  const branch = options.branch ?? 'podtrack';
  const name = `${owner}/${repo}`;
  const quotas: Quotas = new Map();
  const client = openApi({
    apiUrl: api.href.replace(/\/+$/, ''),
    graphqlUrl,
    token,
    userAgent: options.userAgent ?? 'podtrack',
    timeoutMs: options.timeoutMs ?? 30_000,
  });
  return {
    api: watched(client, options.clock, quotas),
    quotas,
    notice: options.notice ?? (() => undefined),
    place: placeOf(api, name),
    refs: { registry: `refs/heads/${branch}`, state: `refs/heads/${branch}-state` },
    branch,
    clock: options.clock,
    sha256: (text) => chance.sha256(text),
    repository: options.repository,
    newRegistryId: chance.hex(16),
    hurry: options.hurry ?? false,
    random: () => Number.parseInt(chance.hex(4), 16) / 2 ** 32,
    name,
    nodeId: null,
    knowsMutations: true,
    takesWhole: true,
    ancestors: new Map(),
    lost: new Set(),
    tree: null,
    queue: [],
    entries: new Map(),
    foldsAtOnce: true,
    lastTip: null,
    stateTip: undefined,
    hasWritten: false,
  };
}

/** `owner` and `name` as GraphQL wants them. */
export function named({ name }: Session): { readonly owner: string; readonly name: string } {
  const [owner = '', repo = ''] = name.split('/');
  return { owner, name: repo };
}
