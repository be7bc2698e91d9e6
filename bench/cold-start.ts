/** Cold start of the shipped command line against a Node process that does nothing. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeOpensshKey } from '../src/world/pods/openssh-key.ts';
import { startChild } from './child.ts';
import { median, megabytes, table, times } from './figures.ts';
import type { WorldPlace } from './messages.ts';
import { type Command, type Start, start } from './start.ts';

export const RUNS = 15;

export type ColdStart =
  | { readonly built: false }
  | {
      readonly built: true;
      readonly runs: number;
      readonly empty: Start;
      readonly commands: readonly { readonly name: string; readonly start: Start }[];
    };

/** In turns, so that a busy moment of the machine falls on all of them. */
export async function inTurns(commands: readonly Command[]): Promise<Start[]> {
  const starts = commands.map((): Start[] => []);
  for (let run = 0; run < RUNS; run += 1) {
    for (const [index, command] of commands.entries()) starts[index]?.push(await start(command));
  }
  return starts.map((runs) => ({
    wallMs: median(runs.map(({ wallMs }) => wallMs)),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
    peakRssBytes: median(runs.map(({ peakRssBytes }) => peakRssBytes)),
  }));
}

export type ColdWish = { readonly cli: string; readonly say: (line: string) => void };

export async function coldStart({ cli: path, say }: ColdWish): Promise<ColdStart> {
  const cli = resolve(path);
  if (!existsSync(cli)) return { built: false };
  say('cold start');
  const folder = await mkdtemp(join(tmpdir(), 'podtrack-bench-'));
  const world = startChild('world-process');
  try {
    const fleet = { healthy: 0, idle: 0, expired: 0 };
    const place = await world.ask<WorldPlace>({ fleet, publicLine: makeOpensshKey('bench').publicLine });
    const nothing = join(folder, 'nothing.cjs');
    await writeFile(nothing, '');
    const env = {
      HOME: folder,
      PODTRACK_HOME: join(folder, 'home'),
      RUNPOD_API_KEY: place.apiKey,
      RUNPOD_API_BASE_URL: place.restUrl,
      RUNPOD_GRAPHQL_URL: place.graphqlUrl,
    };
    const commands: Command[] = [
      { name: 'an empty Node process', args: [nothing], env: {} },
      { name: 'podtrack --help', args: [cli, '--help'], env },
      { name: 'podtrack list, empty registry', args: [cli, 'list'], env },
    ];
    const [empty, ...others] = await inTurns(commands);
    if (empty === undefined) throw new Error('nothing was measured');
    const named = others.map((one, index) => ({ name: commands[index + 1]?.name ?? '', start: one }));
    return { built: true, runs: RUNS, empty, commands: named };
  } finally {
    await world.ask({ ask: 'stop' });
    await world.ended();
    await rm(folder, { recursive: true, force: true });
  }
}

export function coldStartText(told: ColdStart): string {
  if (!told.built)
    return 'COLD START of the command line\nnot built: there is no such file; run `npm run build`';
  const { empty } = told;
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const row = (name: string, { wallMs, cpuMs, peakRssBytes }: Start): string[] => [
    name,
    ms(cpuMs),
    times(cpuMs / empty.cpuMs),
    ms(wallMs),
    times(wallMs / empty.wallMs),
    megabytes(peakRssBytes),
    times(peakRssBytes / empty.peakRssBytes),
  ];
  return [
    'COLD START of the command line',
    table([
      ['command', 'cpu', 'ratio', 'wall', 'ratio', 'memory', 'ratio'],
      row('an empty Node process', empty),
      ...told.commands.map(({ name, start: one }) => row(name, one)),
    ]),
    '',
    'How it was measured',
    `  medians of ${told.runs} starts each, in turns; CPU (user and system) and peak memory as each process tells them at`,
    '  its exit, its own children (git) not among them; wall time from spawn to close. Git and the API are real',
    '  and near: the registry is a bare folder, the account an embedded world without delay',
  ].join('\n');
}
