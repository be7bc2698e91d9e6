/** One place that may hold a registry, as the contract suite needs it: stores on it, and hands that spoil it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitRegistryOptions } from '../../../src/adapters/git-registry/session.ts';
import { gitRegistry } from '../../../src/adapters/git-registry.ts';
import { memoryHost, memoryRegistry } from '../../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import type { Meta } from '../../../src/domain/registry/state.ts';
import type { Clock, RegistryStore } from '../../../src/ports.ts';
import { NOW } from '../../domain/registry/record-maker.ts';
import { type GitHttpServer, gitHttpServer } from './git-http-server.ts';

export type Place = {
  /** A store of a process of its own. */
  store(over?: { readonly repository?: Meta['repository'] }): RegistryStore;
  /** Commits `text` (null = removes the file) by hand, as a person would. */
  edit(path: string, text: string | null): void;
  /** Files of the tip. */
  files(): Readonly<Record<string, string>>;
  /** Takes the last `commits` commits away. */
  rewind(commits: number): void;
  deleteBranch(branch: 'registry' | 'state'): void;
  /** Number of commits on the registry branch. */
  commits(): number;
  /** While on, no commit on the registry branch can be made, as behind a storm of writers. */
  jam(on: boolean): void;
  /** Texts of the queue by id. */
  queue(): Readonly<Record<string, string>>;
  /** Puts an entry into the queue by hand. */
  putQueued(id: string, text: string): void;
  close(): Promise<void>;
};

/** Time that passes only by sleeping; others get their turn meanwhile. */
export function tickingClock(): Clock & { readonly slept: number[] } {
  let now = NOW;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(durationMs) {
      now += durationMs;
      slept.push(durationMs);
      // Real writers need real time between their tries: a part of it keeps them apart.
      await new Promise((wake) => setTimeout(wake, durationMs / 8));
    },
  };
}

export function memoryPlace(): Place {
  const host = memoryHost();
  return {
    store: ({ repository = null } = {}) =>
      memoryRegistry({ clock: tickingClock(), chance: nodeChance(), repository, host }),
    edit(path, text) {
      const files = new Map(host.commits.at(-1)?.files);
      if (text === null) files.delete(path);
      else files.set(path, text);
      host.commits = [
        ...host.commits,
        { id: nodeChance().hex(20), at: NOW, message: 'Edit by hand\n', files },
      ];
    },
    files: () => Object.fromEntries(host.commits.at(-1)?.files ?? []),
    rewind(commits) {
      host.commits = host.commits.slice(0, -commits);
    },
    deleteBranch(branch) {
      if (branch === 'registry') host.commits = [];
      else host.state = null;
    },
    commits: () => host.commits.length,
    jam(on) {
      host.jammed = on;
    },
    queue: () => Object.fromEntries(host.queue.map(({ id, text }) => [id, text])),
    putQueued(id, text) {
      host.queue = [...host.queue, { id, text }];
    },
    close: async () => undefined,
  };
}

const env = {
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'hand',
  GIT_AUTHOR_EMAIL: 'hand@localhost',
  GIT_COMMITTER_NAME: 'hand',
  GIT_COMMITTER_EMAIL: 'hand@localhost',
};

/** Runs git in a bare repository, for tests that look or spoil. */
export function inBare(folder: string, args: readonly string[], input = ''): string {
  return execFileSync('git', args, {
    cwd: folder,
    env: { ...env, GIT_DIR: folder },
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

const REF = 'refs/heads/podtrack';
const QUEUE = 'refs/podtrack/queue/';

/** Hands in a bare repository. */
export function handsOn(folder: string): Omit<Place, 'store' | 'close'> {
  const git = (args: readonly string[], input = ''): string => inBare(folder, args, input).trim();
  const list = (): string[] =>
    git(['ls-tree', '-r', '-z', '--name-only', REF])
      .split('\0')
      .filter((path) => path !== '');
  return {
    edit(path, text) {
      const name = `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
      const data = (of: string): string => `data ${Buffer.byteLength(of)}\n${of}\n`;
      const change = text === null ? `D ${name}\n` : `M 100644 inline ${name}\n${data(text)}`;
      const by = 'committer hand <hand@localhost> now\n';
      const script = `commit ${REF}\n${by}${data('Edit by hand\n')}from ${REF}^0\n${change}done\n`;
      git(['fast-import', '--quiet', '--done', '--date-format=now'], script);
    },
    files() {
      const paths = list();
      const names = paths.map((path) => `${REF}:${path}`);
      // A name with a line break cannot be asked for in a batch.
      const [odd, plain] = [
        names.filter((name) => name.includes('\n')),
        names.filter((name) => !name.includes('\n')),
      ];
      const texts = new Map(odd.map((name) => [name, inBare(folder, ['cat-file', 'blob', name])]));
      const out = execFileSync('git', ['cat-file', '--batch'], {
        cwd: folder,
        env: { ...env, GIT_DIR: folder },
        input: `${plain.join('\n')}\n`,
        maxBuffer: 2 ** 30,
      });
      let at = 0;
      for (const name of plain) {
        const end = out.indexOf(10, at);
        const size = Number(out.subarray(at, end).toString('utf8').split(' ')[2]);
        texts.set(name, out.subarray(end + 1, end + 1 + size).toString('utf8'));
        at = end + 2 + size;
      }
      return Object.fromEntries(paths.map((path) => [path, texts.get(`${REF}:${path}`) ?? '']));
    },
    rewind: (commits) => void git(['update-ref', REF, `${REF}~${commits}`]),
    deleteBranch: (branch) => void git(['update-ref', '-d', branch === 'registry' ? REF : `${REF}-state`]),
    commits: () => Number(git(['rev-list', '--count', REF])),
    jam(on) {
      const lock = join(folder, `${REF}.lock`);
      if (on) writeFileSync(lock, '');
      else rmSync(lock);
    },
    queue() {
      const refs = git(['for-each-ref', '--format=%(refname)', QUEUE]).split('\n');
      const listed = refs.filter((ref) => ref !== '');
      return Object.fromEntries(
        listed.map((ref) => [
          ref.slice(QUEUE.length),
          inBare(folder, ['cat-file', 'blob', `${ref}:ops.json`]),
        ]),
      );
    },
    putQueued(id, text) {
      const blob = git(['hash-object', '-w', '--stdin'], text);
      const tree = git(['mktree'], `100644 blob ${blob}\tops.json\n`);
      git(['update-ref', `${QUEUE}${id}`, git(['commit-tree', '-m', 'By hand', tree])]);
    },
  };
}

export type GitPlace = Place & {
  readonly folder: string;
  /** A store with options of its own. */
  open(over?: Partial<GitRegistryOptions>): RegistryStore;
};

function gitPlaceAt(root: string, remote: string, closing: () => Promise<void>): GitPlace {
  const folder = join(root, 'registry.git');
  const open = (over: Partial<GitRegistryOptions> = {}): RegistryStore =>
    gitRegistry({
      remote,
      scratchFolder: join(root, 'scratch'),
      clock: tickingClock(),
      chance: nodeChance(),
      repository: null,
      ...over,
    });
  return {
    ...handsOn(folder),
    folder,
    open,
    store: (over = {}) => open(over),
    async close() {
      await closing();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function newBare(): { root: string; folder: string } {
  const root = mkdtempSync(join(tmpdir(), 'podtrack-test-registry-'));
  const folder = join(root, 'registry.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--template=', folder], { env });
  inBare(folder, ['config', 'http.receivepack', 'true']);
  return { root, folder };
}

export async function pathPlace(): Promise<GitPlace> {
  const { root, folder } = newBare();
  return gitPlaceAt(root, folder, async () => undefined);
}

export async function httpPlace(): Promise<GitPlace & { readonly server: GitHttpServer }> {
  const { root, folder } = newBare();
  const server = await gitHttpServer(folder);
  return { ...gitPlaceAt(root, server.url, () => server.close()), server };
}
