/** One storm: a server, a lossy road to it, writers that are killed, a reaper beside them, and what came of it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passes } from 'node:timers/promises';
import { gitRegistry } from '../../src/adapters/git-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { recordOf, register } from '../../test/domain/registry/record-maker.ts';
import { standUp } from '../../test/github-server/asking.ts';
import { TOKEN } from '../../test/github-server/switches.ts';
import { lossyRoad, seeded } from './lossy-road.ts';
import type { Line, Server, WriterTask } from './task.ts';
import { readJournals, type Verdict, verify } from './verify.ts';

export type StormWish = {
  readonly server: Server;
  readonly writers: number;
  readonly seconds: number;
  /** Share of answers that get lost. */
  readonly drop: number;
  readonly seed: number;
  /** A vandal with `push --force` among them: the verifier must see it. */
  readonly force: boolean;
  /** The built writer-process. */
  readonly program: string;
};

export type StormResult = Verdict & {
  readonly wish: StormWish;
  readonly killed: number;
  readonly answers: { readonly asked: number; readonly lost: number };
  readonly queued: number;
  /** The reaper's own writes: how many were committed, and the worst of them. */
  readonly reaper: {
    readonly writes: number;
    readonly queued: number;
    /** By failure. */
    readonly failed: Readonly<Record<string, number>>;
    readonly worstBackoffMs: number;
    readonly worstTries: number;
  };
};

const CREDENTIAL = { username: 'x-access-token', token: TOKEN };
/** A writer that was told to stop may finish its last write for so long; then it dies as the others did. */
const DRAIN_MS = 30_000;

type Crew = { readonly name: string; readonly role: WriterTask['role'] };

function crewOf({ writers, force }: StormWish): readonly Crew[] {
  const names = Array.from({ length: writers }, (_, index): Crew => ({ name: `w${index}`, role: 'writer' }));
  const vandal: readonly Crew[] = force ? [{ name: 'v0', role: 'forcer' }] : [];
  return [...names, { name: 'r0', role: 'reaper' }, ...vandal];
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.send({ stop: true });
  const late = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS);
  await ended;
  clearTimeout(late);
}

/** A random writer dies every second, and another one takes its place. */
async function rage(
  wish: StormWish,
  random: () => number,
  start: (crew: Crew) => ChildProcess,
): Promise<number> {
  const crew = crewOf(wish);
  const children = new Map(crew.map((each) => [each, start(each)]));
  const mortal = crew.filter(({ role }) => role === 'writer');
  let killed = 0;
  for (let second = 0; second < wish.seconds; second += 1) {
    await passes(1000);
    const victim = mortal[Math.floor(random() * mortal.length)];
    const child = victim === undefined ? undefined : children.get(victim);
    if (victim === undefined || child === undefined) continue;
    if (child.kill('SIGKILL')) killed += 1;
    children.set(victim, start(victim));
  }
  await Promise.all([...children.values()].map(stop));
  return killed;
}

/** A store that loses no answers. */
function openFor() {
  return { clock: systemClock(), chance: nodeChance(), repository: null, credential: CREDENTIAL };
}

/** Whatever still waits is folded, as the reaper's next cycle would do. */
async function lastFold(gitUrl: string, scratchFolder: string): Promise<void> {
  const store = gitRegistry({ remote: gitUrl, scratchFolder, ...openFor() });
  for (let round = 0; round < 50; round += 1) {
    if ((await store.read()).queued === 0) return;
    await store.submit([]);
  }
}

function reaperOf(lines: readonly Line[]): StormResult['reaper'] {
  const told = lines.filter((line) => line.kind === 'told');
  const failed: Record<string, number> = {};
  for (const line of lines)
    if (line.kind === 'failed') failed[line.failure] = (failed[line.failure] ?? 0) + 1;
  return {
    writes: told.length,
    queued: told.filter(({ results }) => results.includes('queued')).length,
    failed,
    worstBackoffMs: told.reduce((worst, { backoffMs }) => Math.max(worst, backoffMs), 0),
    worstTries: told.reduce((worst, { tries }) => Math.max(worst, tries), 0),
  };
}

function judged(folder: string, journals: string, reapers: string) {
  const [writers, reaper] = [readJournals(journals), readJournals(reapers)];
  const sent = new Map([...writers.sent, ...reaper.sent]);
  const told = new Map([...writers.told, ...reaper.told]);
  const queued = [...told.values()].filter(({ result }) => result === 'queued').length;
  const verdict = verify(folder, { sent, told, lines: writers.lines });
  return { ...verdict, queued, reaper: reaperOf(reaper.lines) };
}

export async function storm(wish: StormWish): Promise<StormResult> {
  const random = seeded(wish.seed);
  const server = await standUp();
  const road = await lossyRoad(new URL(server.apiUrl), wish.drop, random);
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-storm-'));
  const [journals, reapers] = [join(folder, 'journals'), join(folder, 'reapers')];
  for (const each of [journals, reapers, join(folder, 'scratch')]) mkdirSync(each, { recursive: true });
  const behind = (url: string): string => url.replace(new URL(url).origin, road.origin);
  let started = 0;
  const start = ({ name, role }: Crew): ChildProcess => {
    started += 1;
    const child = fork(wish.program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const task: WriterTask = {
      server: wish.server,
      gitUrl: behind(server.gitUrl),
      apiUrl: behind(server.apiUrl),
      graphqlUrl: behind(server.graphqlUrl),
      token: TOKEN,
      role,
      name,
      journal: join(role === 'reaper' ? reapers : journals, `${name}.${started}.jsonl`),
      scratchFolder: join(folder, 'scratch', `${name}.${started}`),
    };
    child.send(task);
    return child;
  };
  try {
    await sow(server.gitUrl, join(folder, 'scratch'), journals);
    const killed = await rage(wish, random, start);
    await lastFold(server.gitUrl, join(folder, 'scratch'));
    return { ...judged(server.folder, journals, reapers), wish, killed, answers: { ...road.counts } };
  } finally {
    await road.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The pods that writers share. */
async function sow(gitUrl: string, scratchFolder: string, journals: string): Promise<void> {
  const store = gitRegistry({ remote: gitUrl, scratchFolder, ...openFor() });
  const ops = Array.from({ length: 16 }, (_, index) =>
    register(`shared${index}`, { record: recordOf(`shared${index}`) }),
  );
  const atNs = process.hrtime.bigint().toString();
  const line: Line = { kind: 'sent', atNs, ops };
  writeFileSync(join(journals, 'sower.jsonl'), `${JSON.stringify(line)}\n`);
  await store.submit(ops);
}
