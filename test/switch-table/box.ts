/** A pod in namespaces of its own: real mounts, a real first process, a PATH made of links, and a user. Needs root. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { onPodText } from '../../src/on-pod-text.ts';
import { component } from '../components.ts';
import { killIfThere, type Ran, until } from '../on-pod/pod-stand.ts';
import type { Image } from './images.ts';

/** On a disk, and not below a place that the switch would look at. */
const BOXES = '/var/tmp';
const NOBODY = 65_534;
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
// By its place: the pod's PATH may hold the one of BusyBox, which knows other options.
const NSENTER = whereIs('nsenter') ?? 'nsenter';
/** As the real bootstrap runs a script: by eval in a subshell, so that none knows a file of its own. */
const BOOTSTRAP = 'script=$(cat "$0"); (eval "$script")';

/** May this process give a pod mounts of its own? */
export function mayUnshare(): boolean {
  return spawnSync('unshare', ['-m', '-p', '-f', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}

export class Box {
  readonly folder = mkdtempSync(join(BOXES, 'podtrack-box-'));
  readonly bin = join(this.folder, 'bin');
  readonly home = join(this.folder, 'home');
  /** By which authorities the check reached the API. */
  authorities = 'default';
  readonly #image: Image;
  readonly #path: string;
  #holder: ChildProcess | null = null;
  #first = 0;

  constructor(image: Image, shell: string, authority: string) {
    this.#image = image;
    chmodSync(this.folder, 0o755);
    for (const name of ['bin', 'home', 'disk', 'scripts']) mkdirSync(join(this.folder, name));
    if (image.user === 'nobody') chownSync(this.home, NOBODY, NOBODY);
    writeFileSync(join(this.folder, 'authority'), authority);
    for (const [name, text] of Object.entries(onPodText))
      writeFileSync(join(this.folder, 'scripts', name), text);
    symlinkSync(shell, join(this.bin, 'sh'));
    for (const [name, text] of Object.entries(image.made ?? {})) {
      writeFileSync(join(this.bin, name), text);
      chmodSync(join(this.bin, name), 0o755);
    }
    this.#path = [this.bin, toolsOf(image)].join(delimiter);
    this.leads('127.0.0.1');
  }

  /** Where the name of the API leads; null = nowhere. Written in place: the pod has this very file mounted. */
  leads(address: string | null): void {
    const line = address === null ? '' : `${address} api.podtrack.test\n`;
    writeFileSync(join(this.folder, 'hosts'), `127.0.0.1 localhost\n${line}`);
  }

  /** Begins the pod: its mounts are laid, and its first process stays until `close`. */
  async open(): Promise<void> {
    const lines = [
      'set -e',
      'mount --bind "$box/hosts" /etc/hosts',
      // podtrack-job must not land in this machine's own folders.
      'mount -t tmpfs tmpfs /usr/local/bin',
      this.#image.mounts,
      ': >"$box/ready"',
      'exec sleep 3600',
    ];
    const flags = ['-m', '-p', '-f', '--mount-proc', '--kill-child', '--propagation', 'private'];
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.home, box: this.folder };
    const holder = spawn('unshare', [...flags, '/bin/sh', '-c', lines.join('\n')], { env, stdio: 'ignore' });
    this.#holder = holder;
    await until('the pod', () => existsSync(join(this.folder, 'ready')) || holder.exitCode !== null);
    const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8');
    this.#first = Number(children.trim());
    if (!(this.#first > 1)) throw new Error(`The pod "${this.#image.name}" did not begin`);
  }

  /** As a login on the pod would. */
  run(script: keyof typeof onPodText, args: readonly string[], stdin = ''): Promise<Ran> {
    const login = this.#image.user === 'nobody' ? ['-S', String(NOBODY), '-G', String(NOBODY)] : [];
    const shell = [join(this.bin, 'sh'), '-c', BOOTSTRAP, join(this.folder, 'scripts', script), ...args];
    return this.#enter([...login, '--', ...shell], stdin);
  }

  /** As root, with this machine's own tools. */
  asRoot(line: string): Promise<Ran> {
    return this.#enter(['--', '/bin/sh', '-c', `PATH=/usr/bin:/bin; ${line}`], '');
  }

  async #enter(how: readonly string[], stdin: string): Promise<Ran> {
    const child = spawn(NSENTER, ['-t', String(this.#first), '-m', '-p', `--wd=${this.folder}`, ...how], {
      env: { PATH: this.#path, HOME: this.home, ENV: '' },
      stdio: 'pipe',
    });
    const heard = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        heard[name] += text;
      });
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const exit = await new Promise<number>((done, failed) => {
      child.on('error', failed);
      child.on('close', (code) => done(code ?? -1));
    });
    const said = new Map(
      heard.stdout.split('\n').flatMap((line): [string, string][] => {
        const at = line.indexOf('=');
        return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
      }),
    );
    return { exit, ...heard, said };
  }

  /** A file of the switch, wherever in memory it lives, or empty. */
  held(name: string): string {
    for (const place of ['dev/shm', 'run']) {
      try {
        return readFileSync(`/proc/${this.#first}/root/${place}/podtrack/${name}`, 'utf8');
      } catch {} // Not in this place, or gone between two looks.
    }
    return '';
  }

  async close(): Promise<void> {
    const holder = this.#holder;
    if (holder !== null && holder.exitCode === null) {
      const closed = new Promise((done) => holder.once('close', done));
      if (this.#first > 1) killIfThere(this.#first);
      holder.kill('SIGKILL');
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

const toolFolders = new Map<string, string>();

/** A folder of links to every tool of this image, made once for all its pods; `sh` is the pod's own matter. */
function toolsOf({ tools }: Image): string {
  const known = toolFolders.get(JSON.stringify(tools));
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(BOXES, 'podtrack-tools-'));
  chmodSync(folder, 0o755);
  toolFolders.set(JSON.stringify(tools), folder);
  const link = (name: string, to: string | null): void => {
    if (to !== null && name !== 'sh' && !existsSync(join(folder, name))) symlinkSync(to, join(folder, name));
  };
  if ('busybox' in tools) {
    const busybox = component('busybox') ?? '';
    const applets = spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.split('\n');
    for (const name of applets.filter((one) => one !== '')) link(name, busybox);
  }
  for (const name of namesOf(tools)) link(name, whereIs(name));
  return folder;
}

function namesOf(tools: Image['tools']): readonly string[] {
  if ('only' in tools) return tools.only;
  if ('busybox' in tools) return tools.and;
  const all = FOLDERS.filter(existsSync).flatMap((folder) => readdirSync(folder));
  return [...new Set(all)].filter((name) => !tools.but.includes(name));
}

function whereIs(name: string): string | null {
  const found = FOLDERS.map((folder) => join(folder, name)).find(existsSync);
  return found === undefined ? null : realpathSync(found);
}

export function dropTools(): void {
  for (const folder of toolFolders.values()) rmSync(folder, { recursive: true, force: true });
  toolFolders.clear();
}
