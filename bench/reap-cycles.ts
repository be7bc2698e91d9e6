/** Reap cycles over fleets of several sizes, each beside the peer's pattern, against the same world with the same delays. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOpensshKey } from '../src/world/pods/openssh-key.ts';
import type { Fleet } from '../test/fakes/fleet.ts';
import { type Child, runChild, startChild } from './child.ts';
import { median } from './figures.ts';
import type { Cost, CycleResult, Distance, ReaperStart, WorldCounts, WorldPlace } from './messages.ts';

export const DISTANCE: Distance = { apiMs: 150, sshRoundTripMs: 40, sampleSpacingMs: 1000 };

export type Traffic = { readonly connections: number; readonly requests: number };
export type Run = Traffic & { readonly wallMs: number; readonly peakRssBytes: number };

const MINUTE_MS = 60_000;
/** The fleet is entered, and two cycles see every pod once each, before the one that is measured: its idle pods are due then. */
const ENTER_AT_MS = 30 * MINUTE_MS;
const SEEN_AT_MS = [28 * MINUTE_MS, 12 * MINUTE_MS];

type Stand = {
  readonly world: Child;
  readonly place: WorldPlace;
  readonly privateKey: string;
  readonly folder: string;
};

/** A fresh world with its pods; its delays are off until `far` is called. */
async function withStand<T>(fleet: Fleet, use: (stand: Stand) => Promise<T>): Promise<T> {
  const key = makeOpensshKey('bench');
  const world = startChild('world-process');
  const folder = await mkdtemp(join(tmpdir(), 'podtrack-bench-'));
  try {
    const place = await world.ask<WorldPlace>({ fleet, publicLine: key.publicLine });
    return await use({ world, place, privateKey: key.privateKey, folder });
  } finally {
    await world.ask({ ask: 'stop' });
    await world.ended();
    await rm(folder, { recursive: true, force: true });
  }
}

const far = (stand: Stand): Promise<object> => stand.world.ask({ ask: 'distance', distance: DISTANCE });

async function counted<C extends Cost>(
  stand: Stand,
  work: () => Promise<C>,
): Promise<{ cost: C; traffic: Traffic }> {
  const before = await stand.world.ask<WorldCounts>({ ask: 'counts' });
  const cost = await work();
  const after = await stand.world.ask<WorldCounts>({ ask: 'counts' });
  const traffic = {
    connections: after.connections - before.connections,
    requests: after.requests - before.requests,
  };
  return { cost, traffic };
}

function reaper(stand: Stand, task: ReaperStart['task'], shiftMs: number): Promise<CycleResult> {
  const { place, privateKey, folder } = stand;
  const start: ReaperStart = { task, world: place, privateKey, folder, shiftMs };
  return runChild<CycleResult>('reaper-process', start);
}

/** A cycle that did not do its whole work is no figure. */
function checkWork({ done, notDone }: CycleResult, fleet: Fleet): void {
  const wanted = { pet: fleet.healthy, mirror: fleet.healthy, teardown: fleet.idle + fleet.expired };
  const short = Object.entries(wanted).filter(([order, count]) => (done[order] ?? 0) !== count);
  if (short.length === 0 && notDone.length === 0) return;
  throw new Error(
    `the cycle did ${JSON.stringify(done)} instead of ${JSON.stringify(wanted)}\n${notDone.join('\n')}`,
  );
}

async function prepared(stand: Stand): Promise<void> {
  await reaper(stand, 'enter', ENTER_AT_MS);
  for (const shiftMs of SEEN_AT_MS) await reaper(stand, 'cycle', shiftMs);
  await far(stand);
}

async function measured(stand: Stand, fleet: Fleet): Promise<Run> {
  const { cost, traffic } = await counted(stand, () => reaper(stand, 'cycle', 0));
  checkWork(cost, fleet);
  return { ...traffic, wallMs: cost.wallMs, peakRssBytes: cost.peakRssBytes };
}

function middle(runs: readonly Run[]): Run {
  const of = (figure: keyof Run): number => median(runs.map((run) => run[figure]));
  return {
    wallMs: of('wallMs'),
    connections: of('connections'),
    requests: of('requests'),
    peakRssBytes: of('peakRssBytes'),
  };
}

/** Our cycle: the median of several fresh processes. A fleet that loses pods is a new one each time. */
export async function ourCycle(fleet: Fleet, times: number): Promise<Run> {
  const runs: Run[] = [];
  const ends = fleet.idle + fleet.expired > 0;
  while (runs.length < times) {
    await withStand(fleet, async (stand) => {
      await prepared(stand);
      do runs.push(await measured(stand, fleet));
      while (!ends && runs.length < times);
    });
  }
  return middle(runs);
}

/** The peer's pattern, once: it waits for the network nearly all of its time and hardly varies. */
export function peerCycle(fleet: Fleet): Promise<Run> {
  return withStand(fleet, async (stand) => {
    await far(stand);
    const { place: world, privateKey } = stand;
    const { cost, traffic } = await counted(stand, () =>
      runChild<Cost>('peer-process', { world, privateKey }),
    );
    return { ...traffic, wallMs: cost.wallMs, peakRssBytes: cost.peakRssBytes };
  });
}
