/** The controls over a map of containers: each finds its pod, does one thing to it, and names the pod when it cannot. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  type Container,
  type Ground,
  launch,
  loginRule,
  markerOf,
  type Running,
  rootOf,
} from './container.ts';
import { proxyUser } from './container-env.ts';
import { changedGpu } from './gpu.ts';
import { writeGpuState } from './nvidia-smi.ts';
import { makeOpensshKey } from './openssh-key.ts';
import type { PodControls, RunResult } from './pod-controls.ts';
import { insidePod, layFile } from './pod-folder.ts';
import { processesOf } from './processes.ts';
import { openSshDoor } from './ssh-door.ts';

const RAM_FOLDERS = ['/dev/shm', '/run', '/tmp'];

/** The part of the world's pods that only its makers may touch. */
export function podControls(pods: ReadonlyMap<string, Container>, ground: Ground): PodControls {
  const known = (podId: string): Container => {
    const container = pods.get(podId);
    if (container === undefined) throw new Error(`The world hosts no pod ${podId}`);
    return container;
  };
  const up = (podId: string): { container: Container; running: Running } => {
    const container = known(podId);
    if (container.running === null) throw new Error(`Pod ${podId} is not running`);
    return { container, running: container.running };
  };
  return { ...sshControls(known, up), ...insideControls(known, up, ground) };
}

type Known = (podId: string) => Container;
type Up = (podId: string) => { container: Container; running: Running };
type SshVerb =
  | 'dropSsh'
  | 'restoreSsh'
  | 'freezeSsh'
  | 'refuseLogin'
  | 'stallTransfer'
  | 'delaySsh'
  | 'setNoise'
  | 'watchSsh'
  | 'swapHostKey'
  | 'fingerprint'
  | 'openProxy';

function sshControls(known: Known, up: Up): Pick<PodControls, SshVerb> {
  return {
    dropSsh: async (podId) => await up(podId).running.door.close(),
    restoreSsh: async (podId) => await up(podId).running.door.reopen(),
    freezeSsh: (podId, frozen) => up(podId).running.door.freeze(frozen),
    refuseLogin: (podId, refused) => {
      known(podId).conduct.refuseLogin = refused;
    },
    stallTransfer: (podId, afterBytes) => {
      known(podId).conduct.stallAfterBytes = afterBytes;
    },
    delaySsh: (podId, { loginMs, execMs }) => {
      const { conduct } = known(podId);
      conduct.loginDelayMs = loginMs ?? conduct.loginDelayMs;
      conduct.execDelayMs = execMs ?? conduct.execDelayMs;
    },
    setNoise: (podId, noise) => {
      known(podId).conduct.noise = noise;
    },
    watchSsh: (podId, watch) => {
      known(podId).conduct.watch = watch ?? (() => false);
    },
    swapHostKey: async (podId) => {
      const { running } = up(podId);
      running.hostKey = makeOpensshKey('root@elsewhere');
      running.door.setHostKey(running.hostKey);
      return running.hostKey.fingerprint;
    },
    fingerprint: (podId) => up(podId).running.hostKey.fingerprint,
    openProxy: async (podId) => {
      const { container, running } = up(podId);
      running.proxy ??= await openSshDoor({
        hostKey: makeOpensshKey('proxy'),
        login: loginRule(container, proxyUser(container.pod)),
        conduct: container.conduct,
        launch: (shellArguments) => launch(container, shellArguments),
        terminalOnly: true,
      });
      return running.proxy.address;
    },
  };
}

function insideControls(known: Known, up: Up, ground: Ground): Omit<PodControls, SshVerb> {
  const write: PodControls['writeFile'] = async (podId, path, content) =>
    await layFile(rootOf(up(podId).container), path, content);
  return {
    setGpu: async (podId, change) => {
      const container = known(podId);
      container.gpu = changedGpu(container.gpu, change);
      if (container.running !== null) await writeGpuState(rootOf(container), container.gpu);
    },
    writeFile: write,
    readFile: async (podId, path) => await readFile(insidePod(rootOf(up(podId).container), path), 'utf8'),
    heartbeat: async (podId, content) =>
      await write(podId, '~/.podtrack_job_alive', content ?? `${Math.floor(ground.now() / 1000)}\n`),
    run: async (podId, command) => await run(up(podId).container, command),
    killProcess: async (podId, name) => await killGuard(up(podId).container, name),
    processes: (podId) => processesOf((marker) => marker === `${podId}-${ground.nonce}`),
    folder: (podId) => rootOf(known(podId)),
  };
}

async function run(container: Container, command: string): Promise<RunResult> {
  const child = launch(container, ['-c', command]);
  child.stdin.end();
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const [end, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { ...end, stdout, stderr };
}

/** The pid file says who; only a process that also carries this pod's marker is touched, as a pid may have passed to a stranger. */
async function killGuard(container: Container, name: string): Promise<number> {
  const ours = processesOf((marker) => marker === markerOf(container));
  for (const folder of RAM_FOLDERS) {
    const path = insidePod(rootOf(container), `${folder}/podtrack/${name}.pid`);
    const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10);
    if (!ours.includes(pid)) continue;
    process.kill(pid, 'SIGKILL');
    return pid;
  }
  throw new Error(
    `Pod ${container.id} runs no ${name}: no pid file in its RAM folders names a process of this pod`,
  );
}
