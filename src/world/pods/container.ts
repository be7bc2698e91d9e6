/** One pod of the world: its container's life (start, stop, remove) over a folder, a shell and an SSH door. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostedPod, PodAddress } from '../pod-hosts.ts';
import { type Conduct, goodConduct } from './conduct.ts';
import { containerEnv, environText, rpEnvironmentText, sessionEnv } from './container-env.ts';
import { type ContainerLog, containerLog, startLines } from './container-logs.ts';
import { installCurl } from './curl-stand-in.ts';
import { type GpuState, gpuState } from './gpu.ts';
import { installNvidiaSmi } from './nvidia-smi.ts';
import { makeOpensshKey, type OpensshKey } from './openssh-key.ts';
import { layContainer, layFile, removeTree, wipeContainer } from './pod-folder.ts';
import { endProcesses } from './processes.ts';
import { openSshDoor, type SshDoor } from './ssh-door.ts';
import type { LoginRule } from './ssh-login.ts';

/** What all containers of one world have in common. */
export interface Ground {
  readonly folder: string;
  readonly nonce: string;
  readonly withCurl: boolean;
  /** Set when the world ends: nothing starts any more. */
  closed: boolean;
  now(): number;
}

/** A pod of the world, running or not. Changed only by this file and, for the faults, through the controls. */
export interface Container {
  readonly id: string;
  readonly ground: Ground;
  readonly conduct: Conduct;
  readonly log: ContainerLog;
  pod: HostedPod;
  gpu: GpuState;
  /** Everything that exists only while the container runs. */
  running: Running | null;
  filesLaid: boolean;
}

export interface Running {
  readonly startedAt: number;
  readonly door: SshDoor;
  proxy: SshDoor | null;
  hostKey: OpensshKey;
}

/** A container that has not started yet. Throws on an id that is no plain folder name. */
export function newContainer(pod: HostedPod, ground: Ground): Container {
  if (!/^[\w-]{1,64}$/.test(pod.id)) throw new Error(`Not a pod id that can be a folder: ${pod.id}`);
  const log = containerLog(() => ground.now());
  const gpu = gpuState(pod.gpu);
  return { id: pod.id, ground, conduct: goodConduct(), log, pod, gpu, running: null, filesLaid: false };
}

/** Where the container's filesystem lies on this machine. */
export function rootOf(container: Container): string {
  return join(container.ground.folder, 'pods', container.id);
}

/** What marks this pod's processes. */
export function markerOf(container: Container): string {
  return `${container.id}-${container.ground.nonce}`;
}

/** Brings the container up with a fresh filesystem, host key and port; the volume is what it was. Leaves nothing behind when it rejects. */
export async function startContainer(container: Container, pod: HostedPod): Promise<PodAddress> {
  await stopContainer(container);
  if (container.ground.closed) throw new Error(`The world has ended; pod ${pod.id} starts no more`);
  if (JSON.stringify(pod.gpu) !== JSON.stringify(container.pod.gpu)) container.gpu = gpuState(pod.gpu);
  container.pod = pod;
  const running = await openDoor(container);
  container.running = running;
  try {
    if (!runsSshd(pod)) await running.door.close();
    await layContainer(rootOf(container), volumeOf(container));
    await furnish(container, running);
  } catch (cause) {
    await stopContainer(container);
    throw cause;
  }
  container.log.add(`start container for ${pod.image}: begin`);
  if (startScriptRuns(pod)) {
    container.log.add(...startLines(container.id, runsSshd(pod) ? running.hostKey.fingerprint : null));
  }
  return running.door.address;
}

/** Ends every process of the pod and wipes its disk but for the volume. Harmless when it is not running. */
export async function stopContainer(container: Container): Promise<void> {
  if (container.running === null) return;
  await shutDoors(container);
  await endProcesses((marker) => marker === markerOf(container));
  await wipeContainer(rootOf(container), volumeOf(container));
}

/** Stops and takes the volume away too. */
export async function removeContainer(container: Container): Promise<void> {
  await stopContainer(container);
  await removeTree(keptVolume(container));
}

/** Cuts the pod off; its processes are still there. */
export async function shutDoors(container: Container): Promise<void> {
  const { running } = container;
  container.running = null;
  await running?.door.close();
  await running?.proxy?.close();
}

/** Starts a process inside the pod as a login session would: bare environment, its own process group. */
export function launch(
  container: Container,
  shellArguments: readonly string[],
): ChildProcessWithoutNullStreams {
  const root = rootOf(container);
  return spawn('/bin/sh', shellArguments, {
    cwd: join(root, 'root'),
    env: sessionEnv(root, markerOf(container)),
    detached: true,
    stdio: 'pipe',
  });
}

/** Who may log in: the keys in the pod's own authorized_keys, read at each login as sshd does. */
export function loginRule(container: Container, username: string): LoginRule {
  return {
    username,
    keys: () => authorizedKeys(join(rootOf(container), 'root/.ssh/authorized_keys')),
    refused: () => container.conduct.refuseLogin,
  };
}

async function openDoor(container: Container): Promise<Running> {
  const hostKey = makeOpensshKey(`root@${container.id.slice(0, 12)}`);
  const door = await openSshDoor({
    hostKey,
    login: loginRule(container, 'root'),
    conduct: container.conduct,
    launch: (shellArguments) => launch(container, shellArguments),
    terminalOnly: false,
  });
  return { startedAt: container.ground.now(), door, proxy: null, hostKey };
}

async function furnish(container: Container, running: Running): Promise<void> {
  const root = rootOf(container);
  const { pod } = container;
  const env = containerEnv(pod, running.door.address);
  await writeFile(join(root, 'proc/1/environ'), environText(env), { mode: 0o600 });
  await writeFile(join(root, 'etc/rp_environment'), rpEnvironmentText(env), { mode: 0o600 });
  await writeFile(join(root, 'etc/ssh/ssh_host_ed25519_key.pub'), `${running.hostKey.publicLine}\n`);
  await writeFile(join(root, 'root/.ssh/authorized_keys'), pod.sshKeys.map((line) => `${line}\n`).join(''), {
    mode: 0o600,
  });
  await installNvidiaSmi(root, container.gpu);
  if (container.ground.withCurl) await installCurl(root);
  if (container.filesLaid) return;
  for (const [path, content] of Object.entries(pod.files)) await layFile(root, path, content);
  container.filesLaid = true;
}

/** An own command line replaces the start script, and with it sshd, unless it starts one of them itself (docs/facts/pod.md). */
function startScriptRuns(pod: HostedPod): boolean {
  return pod.args === '' || pod.args.includes('start.sh');
}

function runsSshd(pod: HostedPod): boolean {
  return pod.ports.includes('22/tcp') && (startScriptRuns(pod) || /sshd|ssh start/.test(pod.args));
}

function volumeOf(container: Container): { path: string; keptAt: string } | null {
  const { volumePath } = container.pod;
  return volumePath === null ? null : { path: volumePath, keptAt: keptVolume(container) };
}

function keptVolume(container: Container): string {
  return join(container.ground.folder, 'volumes', container.id);
}

function authorizedKeys(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return []; // No such file admits nobody, as with sshd.
  }
}
