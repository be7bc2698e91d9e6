/** Runs the world's pods on this machine: each a folder, a real shell and a real SSH server. Ends all of it with `close`. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedPod, PodHosts } from '../pod-hosts.ts';
import {
  type Container,
  type Ground,
  newContainer,
  removeContainer,
  shutDoors,
  startContainer,
  stopContainer,
} from './container.ts';
import { podControls } from './controls.ts';
import { hasHttpTool } from './curl-stand-in.ts';
import { telemetryOf } from './gpu.ts';
import type { PodControls } from './pod-controls.ts';
import { removeTree } from './pod-folder.ts';
import { endProcesses, endProcessesNow } from './processes.ts';

export interface FolderPodHostsOptions {
  /** Epoch ms; for log lines, telemetry scripts and heartbeats. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** Where the world's folder is made. Default: the system's folder for temporary files. */
  readonly parent?: string | undefined;
  /** `always` puts the curl stand-in on every pod; default only where this machine has neither curl nor wget. */
  readonly curl?: 'when-missing' | 'always' | undefined;
}

export interface FolderPodHosts extends PodHosts, PodControls {
  /** Names of tools that pods get a stand-in for, because this machine lacks them. Say so to whoever watches. */
  readonly standIns: readonly string[];
  /** Ends every process and removes every folder of this world. Harmless when called again. */
  close(): Promise<void>;
}

/** Sets up an empty ground for pods. Should this process exit without `close`, processes and folders still go with it. */
export async function createFolderPodHosts(options: FolderPodHostsOptions = {}): Promise<FolderPodHosts> {
  const withCurl = options.curl === 'always' || !hasHttpTool(process.env['PATH'] ?? '');
  const ground: Ground = {
    folder: await mkdtemp(join(options.parent ?? tmpdir(), 'podtrack-world-')),
    nonce: randomBytes(6).toString('hex'),
    withCurl,
    closed: false,
    now: options.now ?? Date.now,
  };
  const pods = new Map<string, Container>();
  const inTurn = turns();
  const ours = (marker: string) => marker.endsWith(`-${ground.nonce}`);
  const atExit = () => {
    endProcessesNow(ours);
    rmSync(ground.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  };
  process.once('exit', atExit);
  return {
    ...hostVerbs(pods, ground, inTurn),
    ...podControls(pods, ground),
    standIns: withCurl ? ['curl'] : [],
    close: async () => {
      ground.closed = true;
      // One look at the process table for all of them: a look per pod is dear where there are hundreds.
      await Promise.all([...pods.values()].map((one) => inTurn(one.id, () => shutDoors(one))));
      pods.clear();
      await endProcesses(ours);
      await removeTree(ground.folder);
      process.off('exit', atExit);
    },
  };
}

function hostVerbs(pods: Map<string, Container>, ground: Ground, inTurn: Turns): PodHosts {
  return {
    start: (pod: HostedPod) =>
      inTurn(pod.id, async () => {
        const container = pods.get(pod.id) ?? newContainer(pod, ground);
        pods.set(pod.id, container);
        return await startContainer(container, pod);
      }),
    stop: (podId) =>
      inTurn(podId, async () => {
        const container = pods.get(podId);
        if (container !== undefined) await stopContainer(container);
      }),
    remove: (podId) =>
      inTurn(podId, async () => {
        const container = pods.get(podId);
        if (container === undefined) return;
        await removeContainer(container);
        pods.delete(podId);
      }),
    telemetry: (podId) => {
      const container = pods.get(podId);
      if (container === undefined || container.running === null) return null;
      return telemetryOf(container.gpu, ground.now() - container.running.startedAt);
    },
    logs: (podId) => pods.get(podId)?.log.lines() ?? [],
  };
}

type Turns = <T>(podId: string, act: () => Promise<T>) => Promise<T>;

/** Acts on one pod follow each other; acts on different pods do not wait. */
function turns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return (podId, act) => {
    const next = (last.get(podId) ?? Promise.resolve()).then(act, act);
    last.set(podId, next);
    return next;
  };
}
