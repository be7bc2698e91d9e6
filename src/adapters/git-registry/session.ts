/** What one store remembers between its calls: the scratch repository, the last tree, the tips it saw. */
import { WorldError } from '../../domain/errors.ts';
import { backoffMs, triesOf } from '../../domain/registry/backoff.ts';
import type { Parsed } from '../../domain/registry/files.ts';
import type { Sha256 } from '../../domain/registry/layout.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import type { Queued } from '../../domain/registry/queue-entry.ts';
import type { Meta } from '../../domain/registry/state.ts';
import type { Chance, Clock } from '../../ports.ts';
import { ensureBareRepository } from './bare-repository.ts';
import { type GitCredential, gitEnv } from './git-env.ts';
import { parseRemote, type Remote } from './place.ts';
import type { QueueEntry } from './queue-refs.ts';
import type { Refs, Repository } from './repository.ts';
import { dropScratch, makeScratch } from './scratch.ts';
import type { TreeCache } from './tree-cache.ts';

export type GitRegistryOptions = {
  /** A git URL (http(s), ssh, file) without credentials, or the path of a bare repository. */
  readonly remote: string;
  /** An existing or new folder of ours; a scratch repository is made in it and removed when the process ends. */
  readonly scratchFolder: string;
  readonly clock: Clock;
  readonly chance: Chance;
  /** The repository that holds the branch, as its forge names it; null where there is none to name. */
  readonly repository: Meta['repository'];
  /** Default `podtrack`; the state lies in `<branch>-state`. */
  readonly branch?: string;
  /** For http(s): sent as a basic authorization header through git's environment configuration. */
  readonly credential?: GitCredential | null;
  /** Makes the bare repository where `remote` is a path that does not exist. Default false. */
  readonly createMissing?: boolean;
  /** Lets the user's git configuration speak: proxy, CA, credential helper. Default false. */
  readonly userConfig?: boolean;
  /** Where PATH, HOME and proxies are taken from. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A lost race is tried again at once: for the reaper, who must not starve behind writers. Default false. */
  readonly hurry?: boolean;
  /** Told what takes its time, for people. Default: nobody. */
  readonly notice?: (line: string) => void;
  /** After this long a git call is ended. Default 120 s. */
  readonly timeoutMs?: number;
};

export type Session = {
  readonly remote: Remote;
  readonly refs: Refs;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly repository: Meta['repository'];
  /** The id that a registry started here will bear: one and the same for every read before the first write. */
  readonly newRegistryId: string;
  /** How often a write of these is tried. */
  triesOf(ops: readonly RegistryOp[]): number;
  /** The wait before another try, with jitter. */
  backoffMs(tries: number): number;
  /** The scratch repository, made at first use. */
  open(): Promise<Repository>;
  /** Throws the scratch repository away; the next `open` makes a new one. */
  renew(): void;
  /** Tips whose objects are in the scratch repository. */
  readonly seen: Set<string>;
  /** Tips that turned out to be no ancestors of a later one. */
  readonly lost: Set<string>;
  tree: TreeCache | null;
  /** What waited when the tree was read. */
  queue: readonly QueueEntry[];
  /** Entries by oid: an oid never says anything else. */
  readonly entries: Map<string, Parsed<Queued>>;
  /** Whether the server moves several refs at once or not at all. */
  knowsAtomic: boolean;
  /** Whether the server gives the newest commits alone; unknown = yes. */
  knowsShallow: boolean;
  lastTip: string | null;
  /** Oid of the state branch at the last `read()`: the lease of the next save. Undefined = never read. */
  stateTip: string | null | undefined;
  /** Whether this store has written to the registry branch: the proof that it may. */
  hasWritten: boolean;
  remember(tree: TreeCache): void;
};

function repositoryIn(folder: string, remote: Remote, options: GitRegistryOptions): Repository {
  const wish = { env: options.env ?? process.env, userConfig: options.userConfig ?? false, url: remote.url };
  const credential = remote.http ? (options.credential ?? null) : null;
  return {
    url: remote.url,
    folder,
    borrows: remote.objects !== null,
    env: { ...gitEnv({ ...wish, credential: null }), GIT_DIR: folder },
    remoteEnv: { ...gitEnv({ ...wish, credential }), GIT_DIR: folder },
    timeoutMs: options.timeoutMs ?? 120_000,
  };
}

/** From 0 to below 1. */
function randomOf(chance: Chance): () => number {
  return () => Number.parseInt(chance.hex(4), 16) / 2 ** 32;
}

/** Throws ConfigError for an address that is none or carries credentials. */
export function newSession(options: GitRegistryOptions): Session {
  const branch = `refs/heads/${options.branch ?? 'podtrack'}`;
  const first = parseRemote(options.remote);
  const hurry = options.hurry ?? false;
  const random = randomOf(options.chance);
  let opened: Repository | null = null;
  const session: Session = {
    remote: first,
    refs: { registry: branch, state: `${branch}-state` },
    clock: options.clock,
    sha256: (text) => options.chance.sha256(text),
    repository: options.repository,
    newRegistryId: options.chance.hex(16),
    triesOf: (ops) => triesOf(hurry, ops),
    backoffMs: (tries) => backoffMs(tries, random(), hurry),
    async open() {
      if (opened !== null) return opened;
      if (options.createMissing === true && isLocal(first)) await makeMissing(first.url, options);
      const remote = parseRemote(options.remote);
      const folder = scratchIn(options.scratchFolder, remote.objects);
      opened = repositoryIn(folder, remote, options);
      return opened;
    },
    renew() {
      if (opened !== null) dropScratch(opened.folder);
      opened = null;
      session.seen.clear();
      session.tree = null;
      session.queue = [];
    },
    seen: new Set(),
    lost: new Set(),
    tree: null,
    queue: [],
    entries: new Map(),
    knowsAtomic: true,
    knowsShallow: true,
    lastTip: null,
    stateTip: undefined,
    hasWritten: false,
    remember(tree) {
      session.tree = tree;
      session.lastTip = tree.tip;
    },
  };
  return session;
}

async function makeMissing(url: string, options: GitRegistryOptions): Promise<void> {
  const env = gitEnv({ env: options.env ?? process.env, userConfig: false, url, credential: null });
  await ensureBareRepository(url, env);
}

function scratchIn(parent: string, objects: string | null): string {
  try {
    return makeScratch(parent, objects, Date.now());
  } catch (cause) {
    throw new WorldError('registry-unreadable', {
      tried: `Making a scratch repository in ${parent}`,
      cameBack: cause instanceof Error ? cause.message : 'it failed',
      state: 'Nothing was read or written',
      next: 'Give a folder that can be written, by PODTRACK_HOME or RUNNER_TEMP',
      cause,
    });
  }
}

function isLocal(remote: Remote): boolean {
  return remote.url.startsWith('/') || /^[A-Za-z]:[\\/]/.test(remote.url);
}
