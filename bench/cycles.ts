/** The section on reap cycles: which fleets are measured, against what, and how it is printed. */
import type { Fleet } from '../test/fakes/fleet.ts';
import { megabytes, seconds, table, times } from './figures.ts';
import { DISTANCE, ourCycle, peerCycle, type Run } from './reap-cycles.ts';
import { start } from './start.ts';

/** What the peer itself was recorded with elsewhere; it is quoted, never computed with. */
type Recorded = { readonly wallMs: number; readonly connections: number };

type Case = {
  readonly name: string;
  readonly fleet: Fleet;
  /** Times as fast as the peer's pattern; null = no target was set. */
  readonly target: number | null;
  readonly recorded: Recorded | null;
  /** The replay is linear in the pods: the largest fleet's is reckoned from that of 50. */
  readonly peer: 'replayed' | 'reckoned from 50';
};

const healthy = (count: number): Fleet => ({ healthy: count, idle: 0, expired: 0 });

const CASES: readonly Case[] = [
  { name: '1 healthy', fleet: healthy(1), target: null, recorded: null, peer: 'replayed' },
  { name: '10 healthy', fleet: healthy(10), target: null, recorded: null, peer: 'replayed' },
  {
    name: '50 healthy',
    fleet: healthy(50),
    target: 30,
    recorded: { wallMs: 57_900, connections: 200 },
    peer: 'replayed',
  },
  { name: '200 healthy', fleet: healthy(200), target: null, recorded: null, peer: 'reckoned from 50' },
  {
    name: '40 healthy, 5 idle, 5 expired',
    fleet: { healthy: 40, idle: 5, expired: 5 },
    target: 12,
    recorded: { wallMs: 86_700, connections: 195 },
    peer: 'replayed',
  },
];

export type CycleFigure = {
  readonly name: string;
  readonly pods: number;
  readonly ours: Run;
  readonly peer: Run & { readonly how: Case['peer'] };
  /** How many times as fast as the peer's pattern. */
  readonly ratio: number;
  readonly target: number | null;
  readonly recorded: Recorded | null;
};

export type Cycles = {
  readonly delays: typeof DISTANCE;
  readonly cases: readonly CycleFigure[];
  /** Peak resident memory of the reaper over the largest fleet, against a Node process that does nothing. */
  readonly memory: { readonly pods: number; readonly reaperBytes: number; readonly idleNodeBytes: number };
};

const sizeOf = ({ healthy: calm, idle, expired }: Fleet): number => calm + idle + expired;

function reckoned(of: Run, factor: number): Run {
  return {
    wallMs: of.wallMs * factor,
    connections: of.connections * factor,
    requests: of.requests,
    peakRssBytes: of.peakRssBytes,
  };
}

export type Wish = { readonly quick: boolean; readonly say: (line: string) => void };

export async function cycles({ quick, say }: Wish): Promise<Cycles> {
  const figures: CycleFigure[] = [];
  for (const { name, fleet, target, recorded, peer: how } of CASES) {
    say(`reap cycle: ${name}`);
    const ours = await ourCycle(fleet, quick ? 1 : 3);
    const pods = sizeOf(fleet);
    const base = figures.find((figure) => figure.pods === 50);
    if (how === 'replayed') say(`the peer's pattern: ${name}`);
    const peer =
      how === 'replayed' || base === undefined
        ? await peerCycle(fleet)
        : reckoned(base.peer, pods / base.pods);
    const ratio = peer.wallMs / ours.wallMs;
    figures.push({ name, pods, ours, peer: { ...peer, how }, ratio, target, recorded });
  }
  const largest = figures.reduce((most, figure) => (figure.pods > most.pods ? figure : most));
  const memory = {
    pods: largest.pods,
    reaperBytes: largest.ours.peakRssBytes,
    idleNodeBytes: (await start({ name: 'node', args: ['-e', ''], env: {} })).peakRssBytes,
  };
  return { delays: DISTANCE, cases: figures, memory };
}

function rowOf({ name, pods, ours, peer, ratio, target, recorded }: CycleFigure): string[] {
  const verdict = target === null ? '-' : `${target}× ${ratio >= target ? 'met' : 'MISSED'}`;
  const reckon = peer.how === 'replayed' ? '' : '*';
  return [
    name,
    seconds(ours.wallMs),
    (ours.connections / pods).toFixed(2),
    String(ours.requests),
    `${seconds(peer.wallMs)}${reckon}`,
    (peer.connections / pods).toFixed(2),
    times(ratio),
    verdict,
    recorded === null ? '-' : `${seconds(recorded.wallMs)}, ${recorded.connections}`,
  ];
}

const HEAD = ['fleet', 'cycle', 'ssh/pod', 'api', 'peer', 'ssh/pod', 'ratio', 'target', 'peer as recorded'];

export function cyclesText({ delays, cases, memory }: Cycles): string {
  const fifty = cases.find(({ pods, peer }) => pods === 50 && peer.connections === 4 * pods);
  const perConnection =
    fifty === undefined
      ? ''
      : ` (${seconds(fifty.peer.wallMs / fifty.peer.connections)} each, recorded 0.29 s)`;
  const ratio = memory.reaperBytes / memory.idleNodeBytes;
  return [
    'REAP CYCLE beside the Python peer (target: at most 1 SSH connection per pod and cycle)',
    table([HEAD, ...cases.map(rowOf)]),
    '* reckoned from the replay over 50 pods: it is linear in the pods',
    '',
    `memory  peak of the reaper over ${memory.pods} pods ${megabytes(memory.reaperBytes)}, an idle Node process ${megabytes(memory.idleNodeBytes)}: ${times(ratio)}`,
    '',
    'How it was measured',
    `  delays   ${delays.apiMs} ms before each API answer; ${delays.sshRoundTripMs} ms for each way there and back on SSH sockets;`,
    `           a GPU sample every ${delays.sampleSpacingMs} ms, so six before an idle end are a floor of 5 s`,
    '  cycle    the real flow and adapters (REST, GraphQL, SSH, mirror, git registry in a bare folder) in a fresh',
    '           process, from the first read to the last write; median of the runs; a run that left work undone fails',
    '  pods     one real SSH server each, in another process; our scripts are answered from memory, since shells of',
    '           200 pods on this machine would measure its process table; ssh/pod is counted at those servers',
    `  peer     its pattern, replayed: one pod after the other, one login per step${perConnection}:`,
    '           4 for a healthy or idle pod, 3 for an expired one; 3 API calls per pod that ends; no process is',
    '           spawned and nothing copied, which the peer itself pays for. "As recorded": the peer itself, elsewhere',
  ].join('\n');
}
