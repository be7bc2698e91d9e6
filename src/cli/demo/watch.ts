/** Small looks behind the stage: waiting for something to be so, records, trees of files, guards on a pod. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodRecord } from '../../domain/pod.ts';
import { insidePod } from '../../world/pods/pod-folder.ts';
import { FOREIGN, OURS, RESULTS } from './cast.ts';
import type { Scene } from './scene.ts';

/** Thrown where the demo was interrupted. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Waits; throws Interrupted when the demo is to end. */
export async function pause({ world, signal }: Scene, ms: number): Promise<void> {
  await world.clock.sleep(ms, signal);
  if (signal.aborted) throw new Interrupted();
}

/** Looks every 100 ms whether it is so, for at most `withinMs`. Answers the time it took, or null. */
export async function until(
  scene: Scene,
  withinMs: number,
  isSo: () => boolean | Promise<boolean>,
): Promise<number | null> {
  const from = scene.world.clock.now();
  while (!(await isSo())) {
    if (scene.world.clock.now() - from > withinMs) return null;
    await pause(scene, 100);
  }
  return scene.world.clock.now() - from;
}

/** The record as the registry holds it at this moment. */
export async function recordOf({ world }: Scene, pod: string): Promise<PodRecord | undefined> {
  return (await world.registry.read()).state.pods[`runpod.${pod}`];
}

/** `path sha256` of every file below; empty when there is no such folder. */
export async function treeOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = files.map(async (file) => {
    const digest = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    return `${file.slice(folder.length + 1)} ${digest}`;
  });
  return (await Promise.all(lines)).toSorted();
}

/** What lay where at the beginning, looked at behind everybody's back. */
export type Laid = {
  /** Artifacts by pod of ours. */
  readonly results: ReadonlyMap<string, readonly string[]>;
  /** The whole foreign pod. */
  readonly foreign: readonly string[];
};

export async function laidOut({ hosts }: Scene): Promise<Laid> {
  const results = new Map<string, readonly string[]>();
  for (const pod of OURS) results.set(pod, await treeOf(insidePod(hosts.folder(pod), RESULTS)));
  return { results, foreign: await treeOf(hosts.folder(FOREIGN)) };
}

/** Whether the copy here is what lay on the pod, file by file; a pod without files has no copy. */
export async function isCopied({ mirror }: Scene, laid: Laid, pod: string): Promise<boolean> {
  const copy = await treeOf(join(mirror, pod));
  return copy.length > 0 && copy.join('\n') === laid.results.get(pod)?.join('\n');
}

const GUARDS = ['watchdog', 'supervisor'] as const;
type Guard = (typeof GUARDS)[number];

/** The process id of a guard that lives, or null. */
export async function guardOf({ hosts }: Scene, pod: string, guard: Guard): Promise<number | null> {
  const seat = await hosts.readFile(pod, `/dev/shm/podtrack/${guard}.pid`).catch(() => '');
  const pid = Number.parseInt(seat, 10);
  return hosts.processes(pod).includes(pid) ? pid : null;
}

/** Kills both at once; each would start the other again, so it is done until neither comes back. */
export async function killBothGuards(scene: Scene, pod: string): Promise<boolean> {
  for (let round = 0; round < 5; round += 1) {
    await Promise.allSettled(GUARDS.map((guard) => scene.hosts.killProcess(pod, guard)));
    await pause(scene, 300);
    const left = await Promise.all(GUARDS.map((guard) => guardOf(scene, pod, guard)));
    if (left.every((pid) => pid === null)) return true;
  }
  return false;
}
