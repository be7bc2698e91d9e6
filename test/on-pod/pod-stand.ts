/** A pod as the on-pod scripts see it: a root folder, a PATH on which `sh` is the shell under test, and a clock to set. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe } from 'vitest';
import { onPodText } from '../../src/on-pod-text.ts';
import { hasHttpTool } from '../../src/world/pods/curl-stand-in.ts';
import { CURL_TEXT } from '../../src/world/pods/curl-text.ts';
import { component, suiteWith } from '../components.ts';

/** The shells that pods have; each suite is left out, and says so, where this machine lacks one. */
export const SHELLS = ['dash', 'bash', 'busybox', 'mksh'] as const;

/** The HTTP tools that the switch may use, each with what must be missing for it; curl has a stand-in where there is none. */
export function withEachTool(body: (without: readonly string[]) => void): void {
  suiteWith([], 'with curl', () => body([]));
  suiteWith(['wget'], 'with wget', () => body(['curl']));
  suiteWith(['python3'], 'with python3', () => body(['curl', 'wget']));
}

/** Makes a pod with the shell under test, taken away when the test has finished. */
export type LayPod = (
  finished: (after: () => Promise<void>) => void,
  options?: Omit<PodOptions, 'shell'>,
) => PodStand;

/** The tests of `body` under each shell, all side by side, for they mostly wait. */
export function underEachShell(body: (lay: LayPod) => void): void {
  describe.concurrent('in each shell', () => {
    for (const name of SHELLS) {
      const shell = component(name) ?? '';
      suiteWith([name], `under ${name}`, () =>
        body((finished, options = {}) => {
          const pod = new PodStand({ ...options, shell });
          finished(() => pod.close());
          return pod;
        }),
      );
    }
  });
}

/** As the real bootstrap runs it: by eval in a subshell, so that no script knows a file of its own. */
const BOOTSTRAP = 'script=$(cat "$0"); (eval "$script")';

export type Ran = {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The `key=value` lines; the last of a name counts. */
  readonly said: ReadonlyMap<string, string>;
};

export type PodOptions = {
  readonly shell?: string;
  readonly mounts?: readonly string[];
  /** Tools by name that are not on the pod's PATH. */
  readonly without?: readonly string[];
  /** A clock that stands where the test sets it, in seconds; default: this machine's. */
  readonly clock?: number;
  readonly injectedKey?: string;
};

const SHM = 'tmpfs /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0';
export const KEY = 'rpa_SECRETSECRETSECRETSECRET0123456789';

export class PodStand {
  readonly root = mkdtempSync(join(tmpdir(), 'podtrack-pod-'));
  readonly home = join(this.root, 'root');
  readonly ram = join(this.root, 'dev/shm/podtrack');
  readonly bin = join(this.root, 'bin');
  /** Shell text that runs before every script, such as a limit. */
  before = '';
  /** Whose login it is; this process's own unless set. */
  user: number | null = null;
  readonly #marker = randomBytes(8).toString('hex');
  readonly #path: string;

  constructor(options: PodOptions = {}) {
    for (const folder of ['dev/shm', 'run', 'tmp', 'proc/1', 'etc', 'root', 'usr/local/bin', 'bin'])
      mkdirSync(join(this.root, folder), { recursive: true });
    writeFileSync(join(this.root, 'proc/mounts'), `${(options.mounts ?? [SHM]).join('\n')}\n`);
    writeFileSync(join(this.root, 'proc/loadavg'), '1.25 0.50 0.10 1/100 4242\n');
    const key = options.injectedKey === undefined ? '' : `RUNPOD_API_KEY=${options.injectedKey}\0`;
    writeFileSync(join(this.root, 'proc/1/environ'), `PATH=/usr/bin\0${key}HOME=/root\0`);
    if (options.clock === undefined) symlinkSync('/proc/uptime', join(this.root, 'proc/uptime'));
    else this.setClock(options.clock);
    this.#path = this.#layTools(options);
  }

  /** Seconds of the clock that the switch goes by. */
  setClock(seconds: number): void {
    const file = join(this.root, 'proc/uptime');
    // In one step: a reader in between would find no clock and take the machine's.
    writeFileSync(`${file}.new`, `${seconds}.42 99.00\n`);
    renameSync(`${file}.new`, file);
  }

  install(words: Readonly<Record<string, string | number>>, key = KEY): Promise<Ran> {
    const defaults = {
      stop_in: 1000,
      owner_in: 900,
      absolute_in: 5000,
      extensions_left: 0,
      pet_window: 0,
      pod_id: 'pod1abcdefghij',
      registry_id: '00112233445566778899aabbccddeeff',
      owner_uuid: 'owner-1',
      rest: 'http://127.0.0.1:9',
      graphql: 'http://127.0.0.1:9/graphql',
      key_source: 'explicit',
      pull_margin: 100,
      pet_min: 300,
      hb_grace: 600,
      tick: 1,
      backoff_first: 1,
      backoff_last: 2,
    };
    const args = Object.entries({ ...defaults, ...words }).map(([name, value]) => `${name}=${value}`);
    return this.run('install', args, `${key}\n`);
  }

  /** Runs a script as a login on the pod would: arguments on the command line, the rest over stdin. */
  run(script: keyof typeof onPodText, args: readonly string[] = [], stdin = ''): Promise<Ran> {
    const file = join(this.root, `${script}.text`);
    writeFileSync(file, onPodText[script]);
    return this.shell(['-c', `${this.before}${BOOTSTRAP}`, file, ...args], stdin);
  }

  /** Runs the pod's `sh` itself. */
  async shell(args: readonly string[], stdin = ''): Promise<Ran> {
    const login = this.user === null ? {} : { uid: this.user, gid: this.user };
    const child = spawn(join(this.bin, 'sh'), args, {
      env: this.env,
      cwd: this.root,
      stdio: 'pipe',
      ...login,
    });
    const heard = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (heard.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (heard.stderr += chunk));
    // A script may refuse before it has read everything.
    child.stdin.on('error', () => undefined).end(stdin);
    const exit = await new Promise<number>((done, fail) => {
      child.on('error', fail).on('close', (code) => done(code ?? -1));
    });
    const said = new Map(
      heard.stdout.split('\n').flatMap((line): [string, string][] => {
        const at = line.indexOf('=');
        return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
      }),
    );
    return { exit, ...heard, said };
  }

  get env(): Record<string, string> {
    return {
      PATH: this.#path,
      HOME: this.home,
      PODTRACK_ROOT: this.root,
      PODTRACK_TEST_POD: this.#marker,
      ENV: '',
    };
  }

  status(): Promise<Ran> {
    return this.run('switch', ['status']);
  }

  /** A file of the switch, or empty. */
  held(name: string): string {
    try {
      return readFileSync(join(this.ram, name), 'utf8');
    } catch {
      return '';
    }
  }

  pidOf(role: 'watchdog' | 'supervisor'): number {
    return Number(this.held(`${role}.pid`).split(' ')[0]);
  }

  /** Until the watchdog has looked at its clock anew: what it would do at this time, it has done. */
  async turned(): Promise<void> {
    const turn = (): number => Number(this.held('watchdog.beat').split(' ')[0]);
    const from = turn();
    await this.wakeUntil('two turns of the watchdog', () => turn() >= from + 2);
  }

  /** Lets the watchdog turn now, as a pet does, instead of at its next tick. */
  wake(): void {
    const pid = this.pidOf('watchdog');
    if (pid > 1) killIfThere(pid, 'SIGUSR1');
  }

  /** Wakes the watchdog until `test` holds. */
  async wakeUntil(what: string, test: () => boolean | Promise<boolean>): Promise<void> {
    await until(what, () => {
      this.wake();
      return test();
    });
  }

  /** The heartbeat file with this content and age of its modification time, in seconds. */
  heartbeat(content: string, agoS: number): void {
    const file = join(this.home, '.podtrack_job_alive');
    writeFileSync(file, content);
    const at = Date.now() / 1000 - agoS;
    utimesSync(file, at, at);
  }

  /** Every process of this pod, by a marker in its environment. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) =>
        readOrEmpty(`/proc/${pid}/environ`).split('\0').includes(`PODTRACK_TEST_POD=${this.#marker}`),
      )
      .map(Number);
  }

  /** Command lines of every process of this pod. */
  commandLines(): string[] {
    return this.processes().map((pid) => readOrEmpty(`/proc/${pid}/cmdline`));
  }

  async close(): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      const left = this.processes();
      if (left.length === 0) break;
      for (const pid of left) killIfThere(pid);
      await sleep(10);
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  /** A program of the pod, in its own bin folder. */
  program(name: string, text: string): void {
    writeFileSync(join(this.bin, name), text);
    chmodSync(join(this.bin, name), 0o755);
  }

  /** The world's small curl, for machines that have no HTTP tool. */
  #layCurl(): void {
    writeFileSync(join(this.root, 'curl.mjs'), CURL_TEXT);
    this.program('curl', `#!/bin/sh\nexec '${process.execPath}' '${join(this.root, 'curl.mjs')}' "$@"\n`);
  }

  #layTools(options: PodOptions): string {
    const { without = [] } = options;
    symlinkSync(options.shell ?? '/bin/sh', join(this.bin, 'sh'));
    if (!without.includes('curl') && !hasHttpTool(process.env['PATH'] ?? '')) this.#layCurl();
    const tools = options.without === undefined ? (process.env['PATH'] ?? '') : toolsWithout(options.without);
    return [this.bin, tools].join(delimiter);
  }
}

const toolFolders = new Map<string, string>();

/** A folder with every tool of this machine but these, made once. */
function toolsWithout(without: readonly string[]): string {
  const key = without.join(' ');
  const known = toolFolders.get(key);
  if (known !== undefined) return known;
  const made = mkdtempSync(join(tmpdir(), 'podtrack-tools-'));
  toolFolders.set(key, made);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(existsSync)) {
    for (const name of readdirSync(folder)) {
      if (without.includes(name) || existsSync(join(made, name))) continue;
      symlinkSync(join(folder, name), join(made, name));
    }
  }
  return made;
}

afterAll(() => {
  for (const folder of toolFolders.values()) rmSync(folder, { recursive: true, force: true });
  toolFolders.clear();
});

/** Waits until `test` holds; the limit is generous and says only "never". */
export async function until(what: string, test: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 500; round += 1) {
    if (await test()) return;
    await sleep(50);
  }
  throw new Error(`Never came: ${what}`);
}

export function killIfThere(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  // Zero and negative numbers mean a whole group: our own, when a seat was empty.
  if (pid <= 1) throw new Error(`No process to send ${signal} to`);
  try {
    process.kill(pid, signal);
  } catch {
    // Ended by itself between the look and the kill.
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // Gone meanwhile, or not ours to read.
  }
}
