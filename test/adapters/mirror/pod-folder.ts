/** A pod made of a folder: files of the test's choosing, an SSH server that runs commands in it, an open session. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sshShell } from '../../../src/adapters/ssh-shell.ts';
import type { PullSpec, ShellSession } from '../../../src/ports.ts';
import { createFolderPodHosts } from '../../../src/world/pods/folder-pod-hosts.ts';
import { shellOptions, targetAt } from '../shell/house.ts';
import { keyPair } from '../shell/keys.ts';
import { openSshd } from '../shell/open-sshd.ts';
import { type SshServer, sshServer } from '../shell/ssh-server.ts';

const key = keyPair();

export type PodFolder = {
  /** PODTRACK_ROOT of this pod. */
  readonly root: string;
  /** Where the artifacts lie on it, as seen from here. */
  readonly results: string;
  /** An empty folder of the test for what is pulled, with nothing else in it. */
  readonly here: string;
  readonly session: ShellSession;
  /** Lays files down below the artifact root: path → content. */
  lay(files: Readonly<Record<string, string | Buffer>>): void;
  link(path: string, target: string): void;
  remove(path: string): void;
  spec(more?: Partial<PullSpec>): PullSpec;
  close(): Promise<void>;
};

export const REMOTE_PATH = '/workspace/results';

type Ground = { readonly base: string; readonly root: string };

function folderOf(ground: Ground, session: ShellSession, close: () => Promise<void>): PodFolder {
  const { base, root } = ground;
  const results = join(root, REMOTE_PATH);
  const here = join(base, 'runner');
  return {
    root,
    results,
    here,
    session,
    lay(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(results, path)), { recursive: true });
        writeFileSync(join(results, path), content);
      }
    },
    link(path, target) {
      mkdirSync(dirname(join(results, path)), { recursive: true });
      symlinkSync(target, join(results, path));
    },
    remove: (path) => rmSync(join(results, path), { recursive: true }),
    spec: (more = {}) => ({
      podId: 'pod-1',
      remotePath: REMOTE_PATH,
      choice: null,
      localPath: join(here, 'results'),
      budgetMs: 60_000,
      ...more,
    }),
    async close() {
      await session.close();
      await close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function freshGround(): Ground {
  const base = mkdtempSync(join(tmpdir(), 'podtrack-mirror-'));
  mkdirSync(join(base, 'pod', REMOTE_PATH), { recursive: true });
  mkdirSync(join(base, 'runner'));
  return { base, root: join(base, 'pod') };
}

/** On the server in this process. `path`: the pod's PATH, for images that lack something. */
export async function podFolder(path?: string): Promise<PodFolder & { readonly server: SshServer }> {
  const ground = freshGround();
  const env = { PODTRACK_ROOT: ground.root, ...(path === undefined ? {} : { PATH: path }) };
  const server = await sshServer({ publicLine: key.publicLine, env, cwd: ground.base });
  const session = await sshShell(shellOptions(key.privateText)).open(targetAt(server.port));
  return { ...folderOf(ground, session, () => server.stop()), server };
}

/** Another connection to the same pod, after one was cut. */
export async function reopened(pod: { readonly server: SshServer }): Promise<ShellSession> {
  return sshShell(shellOptions(key.privateText)).open(targetAt(pod.server.port));
}

/** On a real sshd. */
export async function sshdFolder(): Promise<PodFolder> {
  const ground = freshGround();
  const server = await openSshd(key.publicLine, { PODTRACK_ROOT: ground.root });
  const session = await sshShell(shellOptions(key.privateText)).open(targetAt(server.port, server.username));
  return folderOf(ground, session, () => server.stop());
}

/** On a pod of the embedded world. */
export async function worldFolder(): Promise<PodFolder> {
  const ground = freshGround();
  const hosts = await createFolderPodHosts({ parent: ground.base });
  const address = await hosts.start({
    id: 'pod-1',
    name: 'train',
    image: 'runpod/pytorch',
    args: '',
    env: { PUBLIC_KEY: key.publicLine },
    ports: ['22/tcp'],
    sshKeys: [key.publicLine],
    files: {},
    gpu: null,
    volumePath: null,
  });
  const session = await sshShell(shellOptions(key.privateText)).open(targetAt(address.port));
  const root = hosts.folder('pod-1');
  mkdirSync(join(root, REMOTE_PATH), { recursive: true });
  return folderOf({ ...ground, root }, session, () => hosts.close());
}
