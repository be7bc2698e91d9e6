/** Finds and ends every process of a pod by a marker in its environment, whatever session it fled to. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The variable every process of a pod inherits; its value is `<pod id>-<nonce of the world>`. */
export const MARKER = 'PODTRACK_WORLD_POD';

/** Which markers are meant: one pod's, or all of one world's. */
type MarkerTest = (marker: string) => boolean;

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly marker: string | null;
}

/** Process ids that carry a matching marker, and their descendants (a child may have been started with `env -i`). */
export function processesOf(matches: MarkerTest): number[] {
  return matching(look(), matches);
}

function look(): readonly Seen[] {
  return process.platform === 'linux' ? seenInProc() : seenByPs();
}

let shared: readonly Seen[] | null = null;

/** One look for all pods that end in the same turn of the event loop: with hundreds of pods a look each would take minutes. */
function sharedLook(): readonly Seen[] {
  if (shared === null) {
    shared = look();
    setImmediate(() => {
      shared = null;
    });
  }
  return shared;
}

function matching(all: readonly Seen[], matches: MarkerTest): number[] {
  const ours = new Set(all.filter((one) => one.marker !== null && matches(one.marker)).map((one) => one.pid));
  for (let size = -1; size !== ours.size; ) {
    size = ours.size;
    for (const one of all) if (ours.has(one.parent)) ours.add(one.pid);
  }
  ours.delete(process.pid);
  return [...ours];
}

/** Ends them all, however they fork meanwhile. Rejects naming the ids that would not die. */
export async function endProcesses(matches: MarkerTest): Promise<void> {
  const rounds = endingRounds(() => matching(sharedLook(), matches));
  while (!rounds.next().done) await sleep(5);
}

/** The same for the exit of this process, where nothing asynchronous runs any more. */
export function endProcessesNow(matches: MarkerTest): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const rounds = endingRounds(() => processesOf(matches));
  while (!rounds.next().done) Atomics.wait(pause, 0, 0, 5);
}

/**
 * First all are stopped, and only when two looks in a row find no new one are they killed: a parent killed at once could leave a
 * child just forked, which then cleans its environment and belongs to nobody. Twice, since a process within execve shows no
 * environment for a moment. The caller waits a little at each yield.
 */
function* endingRounds(seeLeft: () => number[]): Generator<void, void> {
  const known = new Set<number>();
  let quiet = 0;
  for (let round = 0; round < 400; round += 1) {
    const left = seeLeft();
    if (left.length === 0 && quiet >= 2) return;
    const fresh = left.filter((pid) => !known.has(pid));
    quiet = fresh.length === 0 ? quiet + 1 : 0;
    for (const pid of fresh) known.add(pid);
    signal(fresh, 'SIGSTOP');
    if (quiet >= 2) signal(left, 'SIGKILL');
    yield;
  }
  throw new Error(`These processes of the world survived SIGKILL: ${seeLeft().join(', ')}`);
}

function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGKILL'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // Gone between the look and the signal: that is what was wanted.
    }
  }
}

function seenInProc(): Seen[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((name) => ({
    pid: Number(name),
    parent: Number(/^\d+ \(.*\) \S (\d+)/s.exec(readOrEmpty(`/proc/${name}/stat`))?.[1] ?? 0),
    marker: markerIn(readOrEmpty(`/proc/${name}/environ`).split('\0')),
  }));
}

/** macOS and the BSDs have no /proc: their ps prints the environment behind the command. */
function seenByPs(): Seen[] {
  const told = spawnSync('ps', ['-axwwE', '-o', 'pid=,ppid=,command='], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return (told.stdout ?? '').split('\n').map((line) => {
    const [, pid, parent, rest] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid ?? 0), parent: Number(parent ?? 0), marker: markerIn((rest ?? '').split(' ')) };
  });
}

function markerIn(environment: readonly string[]): string | null {
  const found = environment.find((entry) => entry.startsWith(`${MARKER}=`));
  return found === undefined ? null : found.slice(MARKER.length + 1);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // Ended meanwhile, or another user's: not ours either way.
  }
}
