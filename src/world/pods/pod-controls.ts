/** What demo and tests may do to the world's pods behind everybody's back: load, faults, files, and a look at what runs. */
import type { PodAddress, PodFile } from '../pod-hosts.ts';
import type { SshWatch } from './conduct.ts';
import type { GpuChange } from './gpu.ts';

/** How a command on the pod ended; `code` null = by `signal`. */
export interface RunResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Every verb rejects or throws with the pod's id when that pod is unknown or not running, unless it says otherwise. */
export interface PodControls {
  /** Whether nvidia-smi and the API see the change: both, from their next reading on. */
  setGpu(podId: string, change: GpuChange): Promise<void>;
  /** `path` as on the pod: `/workspace/x` or `~/x`. */
  writeFile(podId: string, path: string, content: PodFile): Promise<void>;
  /** Text of a file; rejects with ENOENT when there is none. */
  readFile(podId: string, path: string): Promise<string>;
  /** Writes the job's heartbeat file with the pod's present time, or other content. */
  heartbeat(podId: string, content?: string): Promise<void>;
  /** Runs a command inside the pod without SSH, as the job on it would. What it leaves behind keeps running; it must let go of stdout and stderr. */
  run(podId: string, command: string): Promise<RunResult>;
  /** Kills one of the on-pod guards by its pid file and answers its pid. Rejects when no such process of this pod runs. */
  killProcess(podId: string, name: 'watchdog' | 'supervisor'): Promise<number>;
  /** Process ids of the pod at this moment; works for any id. */
  processes(podId: string): readonly number[];
  /** Port closed, connections cut: no route. `restoreSsh` opens the same port again. */
  dropSsh(podId: string): Promise<void>;
  restoreSsh(podId: string): Promise<void>;
  /** The port takes connections and answers nothing, and those that stand fall silent. */
  freezeSsh(podId: string, frozen: boolean): void;
  /** The faults below outlive a stop. */
  refuseLogin(podId: string, refused: boolean): void;
  /** After so many bytes of one command's stdout nothing more comes; null ends it. */
  stallTransfer(podId: string, afterBytes: number | null): void;
  delaySsh(podId: string, delay: { readonly loginMs?: number; readonly execMs?: number }): void;
  /** Text on stdout before each command's own output. */
  setNoise(podId: string, text: string): void;
  /** From now on told of each login and command by SSH; null ends it. Outlives a stop. */
  watchSsh(podId: string, watch: SshWatch | null): void;
  /** Shows another host key from the next connection on, without a restart; answers its fingerprint. */
  swapHostKey(podId: string): Promise<string>;
  /** `SHA256:…` of the key shown now. */
  fingerprint(podId: string): string;
  /** A door like RunPod's SSH proxy: a terminal or nothing. Log in as RUNPOD_POD_HOSTNAME says. */
  openProxy(podId: string): Promise<PodAddress>;
  /** Where the pod's filesystem lies on this machine. */
  folder(podId: string): string;
}
