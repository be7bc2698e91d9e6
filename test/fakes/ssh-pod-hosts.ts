/** Hosts for a world of many pods that cost no process each: real SSH servers in front of pods that live in memory. */
import { setTimeout as wait } from 'node:timers/promises';
import { LIST_SCRIPT, TAR_SCRIPT } from '../../src/adapters/ssh/mirror/pod-scripts.ts';
import { onPodText } from '../../src/on-pod-text.ts';
import type { HostedPod, PodHosts } from '../../src/world/pod-hosts.ts';
import { listed, listing, tar } from '../adapters/mirror/crafted.ts';
import { type Asked, isOurs, openSshPod, type SshPod } from './ssh-pod.ts';
import { type SwitchedPod, switchedPod } from './switched-pod.ts';

export type SshPodHosts = PodHosts & {
  /** TCP connections that all pods together have taken so far. */
  connections(): number;
  close(): Promise<void>;
};

export type SshPodHostsOptions = {
  readonly now: () => number;
  readonly roundTripMs: () => number;
  /** From one GPU sample of a visit to the next. */
  readonly sampleSpacingMs: () => number;
  /** How a pod of this id behaves; left out = idle, with a switch. */
  readonly behaves: (podId: string) => Partial<SwitchedPod>;
};

const SCRIPTS = ['evidence', 'install', 'switch', 'probe'] as const;

/** The script's own text stands in stdin after a token and a length; what follows it is the script's input. */
function unwrapped(stdin: Buffer): { script: string; rest: Buffer } {
  const first = stdin.indexOf(10);
  const second = stdin.indexOf(10, first + 1);
  const length = Number(stdin.subarray(first + 1, Math.max(0, second)).toString('latin1'));
  const from = second + 1;
  return {
    script: stdin.subarray(from, from + length).toString('utf8'),
    rest: stdin.subarray(from + length),
  };
}

/** The pod's files under one folder, by their path in it. */
function filesBelow(pod: HostedPod, root: string): Map<string, string> {
  const inside = Object.entries(pod.files).filter(([path]) => path.startsWith(`${root}/`));
  return new Map(
    inside.map(([path, content]) => {
      if (typeof content !== 'string') throw new Error('these pods hold texts only');
      return [path.slice(root.length + 1), content];
    }),
  );
}

function packed(files: ReadonlyMap<string, string>, stdin: Buffer): Buffer {
  const names = stdin.toString('utf8').split('\0').slice(0, -1);
  return tar(names.map((name) => ({ name, content: files.get(name.slice('./'.length)) ?? '' })));
}

/** Samples are taken one after the other, as on a pod. */
async function sampling(args: readonly string[], spacingMs: number): Promise<void> {
  const samples = Number(args.find((arg) => arg.startsWith('samples='))?.slice('samples='.length) ?? 1);
  if (samples > 1 && spacingMs > 0) await wait((samples - 1) * spacingMs);
}

function answersOf(hosted: HostedPod, pod: SwitchedPod, options: SshPodHostsOptions) {
  return async ({ command, args, stdin }: Asked): Promise<{ exitCode: number; stdout: Buffer | string }> => {
    if (!isOurs(command)) {
      await sampling(command.split(' '), options.sampleSpacingMs());
      return { exitCode: 0, stdout: 'ok' };
    }
    const { script, rest } = unwrapped(stdin);
    const files = filesBelow(hosted, args[0] ?? '');
    if (script === LIST_SCRIPT) {
      const entries = [...files].map(([path, content]) => listed(path, content));
      return { exitCode: 0, stdout: listing(entries) };
    }
    if (script === TAR_SCRIPT) return { exitCode: 0, stdout: packed(files, rest) };
    const name = SCRIPTS.find((one) => onPodText[one] === script);
    if (name === undefined) throw new Error('a script that this pod does not know');
    await sampling(args, options.sampleSpacingMs());
    const answer = await pod.answer({ script: name, args, stdin: rest.toString('utf8'), timeoutMs: 0 });
    return typeof answer === 'string' ? { exitCode: 1, stdout: '' } : answer;
  };
}

type Host = { readonly pod: SwitchedPod; readonly door: SshPod };

/** Pods whose answers are made in this process: what is measured around them is the asking. */
export function sshPodHosts(options: SshPodHostsOptions): SshPodHosts {
  const hosts = new Map<string, Host>();
  let closedConnections = 0;
  const remove = async (podId: string): Promise<void> => {
    const host = hosts.get(podId);
    hosts.delete(podId);
    closedConnections += host?.door.connections() ?? 0;
    await host?.door.close();
  };
  return {
    async start(hosted) {
      const pod = switchedPod(hosted.id, options.now, options.behaves(hosted.id));
      const answer = answersOf(hosted, pod, options);
      const door = await openSshPod({
        publicLines: hosted.sshKeys,
        answer,
        roundTripMs: options.roundTripMs,
      });
      hosts.set(hosted.id, { pod, door });
      return { host: '127.0.0.1', port: door.port };
    },
    stop: remove,
    remove,
    telemetry: (podId) => {
      const host = hosts.get(podId);
      if (host === undefined) return null;
      const util = Number(host.pod.util);
      return { gpus: [{ util, memoryUtil: util === 0 ? 0 : 40 }] };
    },
    logs: () => [{ at: options.now(), line: 'epoch 1' }],
    connections: () =>
      [...hosts.values()].reduce((sum, { door }) => sum + door.connections(), closedConnections),
    async close() {
      await Promise.all([...hosts.keys()].map(remove));
    },
  };
}
