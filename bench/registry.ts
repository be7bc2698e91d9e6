/** The registry beside a plain fetch-commit-push loop on the same server, its bytes per year, and what one change costs as it grows. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitRegistry } from '../src/adapters/git-registry.ts';
import { nodeChance } from '../src/adapters/node-chance.ts';
import { systemClock } from '../src/adapters/system-clock.ts';
import type { RegistryStore } from '../src/ports.ts';
import { gitHttpServer } from '../test/adapters/registry/git-http-server.ts';
import { recordOf, register, settle } from '../test/domain/registry/record-maker.ts';
import { median, megabytes, seconds, table, times } from './figures.ts';
import { plainWriter } from './plain-loop.ts';
import { filled, git, newBare, packedBytes, withLongHistory } from './registry-repository.ts';

const YEAR_COMMITS = 105_000;

export type WritersFigure = {
  readonly writers: number;
  readonly entries: number;
  readonly plainPerS: number;
  readonly oursPerS: number;
  readonly oursCommits: number;
  /** One process whose writers share a store: what waits goes into one commit. */
  readonly groupedPerS: number;
  readonly groupedCommits: number;
};
export type CostFigure = {
  readonly records: number;
  readonly commits: number;
  readonly warmMs: number;
  readonly coldMs: number;
};
export type RegistryFigures = {
  readonly writers: readonly WritersFigure[];
  readonly growth: {
    readonly pods: number;
    readonly commits: number;
    readonly bytesPerCommit: number;
    readonly bytesPerYear: number;
  };
  readonly cost: readonly CostFigure[];
};

type Wish = { readonly quick: boolean; readonly say: (line: string) => void };

function storeAt(remote: string, root: string): RegistryStore {
  return gitRegistry({
    remote,
    scratchFolder: join(root, 'scratch'),
    clock: systemClock(),
    chance: nodeChance(),
    repository: null,
  });
}

/** So long a side may take; entries that are acknowledged later do not count. */
const WINDOW_MS = 60_000;

type Enter = (index: number, isOver: () => boolean) => Promise<boolean>;

/** Entries per second: each writer makes his one after the other, all writers at once. */
async function perSecond(writers: readonly Enter[], each: number): Promise<number> {
  const begunAt = performance.now();
  const isOver = (): boolean => performance.now() - begunAt > WINDOW_MS;
  let done = 0;
  let lastAt = begunAt;
  const write = async (enter: Enter): Promise<void> => {
    for (let index = 0; index < each && !isOver(); index += 1) {
      if (!(await enter(index, isOver)) || isOver()) continue;
      done += 1;
      lastAt = performance.now();
    }
  };
  await Promise.all(writers.map(write));
  const spentMs = done < writers.length * each ? WINDOW_MS : lastAt - begunAt;
  return (done * 1000) / spentMs;
}

const podOf = (writer: number, index: number): string => `w${writer}x${index}`;
const entry = (writer: number, index: number) =>
  register(podOf(writer, index), { record: recordOf(podOf(writer, index)) });

const entersBy =
  (store: RegistryStore, writer: number): Enter =>
  async (index) => {
    const { results } = await store.submit([entry(writer, index)]);
    return results[0]?.kind === 'applied' || results[0]?.kind === 'queued';
  };

async function writersFigure(writers: number, each: number): Promise<WritersFigure> {
  const bare = newBare();
  const server = await gitHttpServer(bare.folder);
  const numbers = Array.from({ length: writers }, (_, index) => index);
  const commits = (): number => Number(git(bare.folder, 'rev-list', '--count', 'podtrack'));
  try {
    await storeAt(server.url, bare.root).submit([entry(9999, 0)]);
    const plain = await Promise.all(
      numbers.map(async (number): Promise<Enter> => {
        const enter = await plainWriter(server.url, join(bare.root, `plain${number}`));
        return (index, isOver) => enter(podOf(number, index), isOver);
      }),
    );
    const plainPerS = await perSecond(plain, each);
    const before = commits();
    const ours = numbers.map((number) => entersBy(storeAt(server.url, bare.root), number));
    const oursPerS = await perSecond(ours, each);
    const between = commits();
    const shared = storeAt(server.url, bare.root);
    const together = numbers.map((number) => entersBy(shared, 1000 + number));
    const groupedPerS = await perSecond(together, each);
    const [oursCommits, groupedCommits] = [between - before, commits() - between];
    return {
      writers,
      entries: writers * each,
      plainPerS,
      oursPerS,
      oursCommits,
      groupedPerS,
      groupedCommits,
    };
  } finally {
    await server.close();
    rmSync(bare.root, { recursive: true, force: true });
  }
}

async function growthFigure(pods: number, commits: number): Promise<RegistryFigures['growth']> {
  const [without, with_] = [newBare(), newBare()];
  try {
    await filled(without.folder, pods, 0);
    await filled(with_.folder, pods, commits);
    const bytesPerCommit = (packedBytes(with_.folder) - packedBytes(without.folder)) / commits;
    return { pods, commits, bytesPerCommit, bytesPerYear: bytesPerCommit * YEAR_COMMITS };
  } finally {
    for (const { root } of [without, with_]) rmSync(root, { recursive: true, force: true });
  }
}

/** Warm: a store that has read; cold: a new process's first read and one change. Over a path, so that only our work and git's count. */
async function costFigure(records: number, commits: number, runs: number): Promise<CostFigure> {
  const bare = newBare();
  try {
    if (commits === 0) await filled(bare.folder, records, 0);
    else await withLongHistory(bare.folder, records, commits);
    git(bare.folder, 'repack', '-a', '-d', '-q');
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const begunAt = performance.now();
      await work();
      return performance.now() - begunAt;
    };
    const change = (run: number) => [settle('pod0000000003', { note: `run ${run}` })];
    const [warm, cold]: [number[], number[]] = [[], []];
    const store = storeAt(bare.folder, bare.root);
    await store.submit(change(-1));
    for (let run = 0; run < runs; run += 1) {
      warm.push(await timed(() => store.submit(change(run))));
    }
    for (let run = 0; run < runs; run += 1) {
      const fresh = storeAt(bare.folder, bare.root);
      cold.push(await timed(() => fresh.submit(change(100 + run))));
    }
    return { records, commits, warmMs: median(warm), coldMs: median(cold) };
  } finally {
    rmSync(bare.root, { recursive: true, force: true });
  }
}

export async function registryFigures({ quick, say }: Wish): Promise<RegistryFigures> {
  const writers: WritersFigure[] = [];
  for (const count of [1, 8, 32]) {
    say(`registry: ${count} writer(s) over HTTP, ours and a plain loop`);
    writers.push(await writersFigure(count, quick ? 2 : count === 1 ? 16 : 4));
  }
  const measured = quick ? 500 : 3000;
  say(`registry: ${measured} commits over 1000 pods, packed`);
  const growth = await growthFigure(1000, measured);
  const cost: CostFigure[] = [];
  for (const [records, commits] of [
    [10, 0],
    [1000, 0],
    [10_000, 0],
    [1000, 100_000],
  ] as const) {
    say(`registry: one change among ${records} records${commits === 0 ? '' : ` and ${commits} commits`}`);
    cost.push(await costFigure(records, commits, quick ? 3 : 7));
  }
  return { writers, growth, cost };
}

export function registryText({ writers, growth, cost }: RegistryFigures): string {
  const rate = (of: number): string => of.toFixed(2);
  return [
    'Registry: entries acknowledged per second, same git server over HTTP (plain: fetch, commit, push, again at once; at most 60 s a side)',
    table([
      ['writers', 'entries', 'plain/s', 'ours/s', 'ratio', 'commits', 'one process/s', 'ratio', 'commits'],
      ...writers.map((of) => [
        String(of.writers),
        String(of.entries),
        rate(of.plainPerS),
        rate(of.oursPerS),
        times(of.oursPerS / of.plainPerS),
        String(of.oursCommits),
        rate(of.groupedPerS),
        times(of.groupedPerS / of.plainPerS),
        String(of.groupedCommits),
      ]),
    ]),
    '',
    `Registry: ${growth.bytesPerCommit.toFixed(0)} bytes per commit, packed (${growth.commits} commits of one verdict measured, ${growth.pods} pods): ` +
      `${megabytes(growth.bytesPerYear)} a year at ${YEAR_COMMITS} commits, extrapolated`,
    '',
    'Registry: one change over a path, median',
    table([
      ['records', 'history', 'warm', '× of 10', 'cold (first read and change)'],
      ...cost.map((of) => [
        String(of.records),
        `${of.commits + 1} commits`,
        seconds(of.warmMs),
        times(of.warmMs / (cost[0]?.warmMs ?? 1)),
        seconds(of.coldMs),
      ]),
    ]),
  ].join('\n');
}
