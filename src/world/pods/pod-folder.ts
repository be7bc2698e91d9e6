/** The pod's disk: a folder that looks like a container from inside, wiped by a stop except for the mounted volume. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { PodFile } from '../pod-hosts.ts';

const FOLDERS = [
  'root/.ssh',
  'workspace',
  'dev/shm',
  'run',
  'tmp',
  'proc/1',
  'etc/ssh',
  'usr/local/bin',
  'usr/local/lib',
];

/** What a container of the official image shows; the scripts look here for a tmpfs they may write to. */
const MOUNTS = [
  'overlay / overlay rw,relatime 0 0',
  'proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0',
  'tmpfs /dev tmpfs rw,nosuid,size=65536k,mode=755 0 0',
  'shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0',
];

/** A path as the pod knows it (`/workspace/x`, `~/x`) → where it lies on this machine. Throws on one that climbs out. */
export function insidePod(root: string, path: string): string {
  const onPod = normalize(path.startsWith('~/') ? `/root/${path.slice(2)}` : `/${path}`);
  if (path.includes('\0') || path.split('/').includes('..'))
    throw new Error(`Not a plain path on the pod: ${path}`);
  return join(root, onPod);
}

/** Lays a fresh container filesystem at `root` and mounts the kept volume into it, if there is one. */
export async function layContainer(
  root: string,
  volume: { path: string; keptAt: string } | null,
): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const folder of FOLDERS) await mkdir(join(root, folder), { recursive: true });
  await chmod(join(root, 'root/.ssh'), 0o700);
  await chmod(join(root, 'tmp'), 0o1777);
  const mounts = volume === null ? MOUNTS : [...MOUNTS, `/dev/vda ${volume.path} ext4 rw,relatime 0 0`];
  await writeFile(join(root, 'proc/mounts'), `${mounts.join('\n')}\n`);
  for (const name of ['uptime', 'loadavg']) {
    if (existsSync(`/proc/${name}`)) await symlink(`/proc/${name}`, join(root, 'proc', name));
  }
  if (volume !== null) await mountVolume(root, volume);
}

/** Takes the container filesystem away; the volume is set aside first, as it outlives the container. */
export async function wipeContainer(
  root: string,
  volume: { path: string; keptAt: string } | null,
): Promise<void> {
  if (volume !== null && existsSync(insidePod(root, volume.path))) {
    await mkdir(dirname(volume.keptAt), { recursive: true });
    await rename(insidePod(root, volume.path), volume.keptAt);
  }
  await removeTree(root);
}

/** Removes a folder even when something writes into it for a moment longer. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}

/** Writes one file of the pod, with the folders above it. */
export async function layFile(root: string, path: string, content: PodFile): Promise<void> {
  const target = insidePod(root, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, bytesOf(content));
}

function bytesOf(content: PodFile): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return 'base64' in content ? Buffer.from(content.base64, 'base64') : filler(content.size);
}

/** Bytes that do not compress and are the same in every run. */
function filler(size: number): Buffer {
  const block = 32;
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += block) {
    createHash('sha256').update(`filler ${at}`).digest().copy(bytes, at);
  }
  return bytes;
}

async function mountVolume(root: string, volume: { path: string; keptAt: string }): Promise<void> {
  const mountPoint = insidePod(root, volume.path);
  if (!existsSync(volume.keptAt)) {
    await mkdir(mountPoint, { recursive: true });
    return;
  }
  await removeTree(mountPoint);
  await mkdir(dirname(mountPoint), { recursive: true });
  await rename(volume.keptAt, mountPoint);
}
