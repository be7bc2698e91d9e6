/** A pod as the provider's side knows it: plain data, times in epoch ms, sizes in GB, rates in micro-dollars per hour. */
import type { PodAddress, PodFile, PodGpu } from '../pod-hosts.ts';

export type PodStatus = 'PROVISIONING' | 'STARTING' | 'RUNNING' | 'EXITED' | 'ERROR' | 'TERMINATED';
export type PodAction = 'start' | 'stop' | 'restart' | 'terminate';
export type Cloud = 'SECURE' | 'COMMUNITY';

/**
 * How far a pod gets after it was rented: the healthy way, or one of the ways seen in the field.
 * `stuck-*` never leave that status; `no-runtime`, `empty-runtime`, `no-ports` and `private-ports` say RUNNING with
 * runtime null, `{}`, without ports or with unpublished ones, for ever; `error` ends in ERROR, `exit` in EXITED.
 */
export const BOOTS = [
  'normal',
  'stuck-provisioning',
  'stuck-starting',
  'no-runtime',
  'empty-runtime',
  'no-ports',
  'private-ports',
  'error',
  'exit',
] as const;
export type Boot = (typeof BOOTS)[number];

export type Compute =
  | { readonly kind: 'gpu'; readonly id: string; readonly count: number }
  | { readonly kind: 'cpu'; readonly id: string; readonly vcpuCount: number; readonly memoryGb: number };

export type Mount =
  | { readonly kind: 'persistent'; readonly sizeGb: number; readonly path: string }
  | { readonly kind: 'network'; readonly volumeId: string; readonly path: string };

/** Where the scheduler put the pod; it keeps the machine while stopped. */
export interface Placement {
  readonly dataCenterId: string;
  readonly machineId: string;
  /** null on CPU machines. */
  readonly cudaVersion: string | null;
}

export interface LogLine {
  readonly at: number;
  readonly line: string;
}

export interface PodState {
  readonly id: string;
  name: string;
  image: string;
  args: string;
  cmd: readonly string[] | null;
  entrypoint: readonly string[] | null;
  diskGb: number;
  ports: readonly string[];
  env: Readonly<Record<string, string>>;
  registryId: string | null;
  readonly cloud: Cloud;
  readonly compute: Compute;
  mount: Mount | null;
  locked: boolean;
  globalNetworking: boolean;
  readonly placement: Placement;
  /** The scheduler's choice is told only once provisioning is over. */
  placed: boolean;
  /** Login name at the SSH proxy. */
  readonly hostName: string;
  status: PodStatus;
  readonly createdAt: number;
  startedAt: number | null;
  /** The next step of the lifecycle, null = none comes by itself. */
  dueAt: number | null;
  boot: Boot;
  /** null while no container is reachable. */
  address: PodAddress | null;
  /** Public port of each declared private port, fresh at each start. */
  publicPorts: Readonly<Record<string, number>>;
  /** GPUs the container finds, 0 after a zero-GPU start. */
  gpusFound: number;
  /** Scripted load; null on CPU pods. */
  gpu: PodGpu | null;
  /** A start answers "host full" while true. */
  hostFull: boolean;
  computeRate: number;
  /** The key RunPod injects into the container. */
  readonly scopedKey: string;
  lastChange: string;
  readonly systemLog: LogLine[];
  readonly files: Readonly<Record<string, PodFile>>;
  readonly sshKeys: readonly string[];
  /** Set when a DELETE was accepted but takes effect later. */
  ending: { readonly dueAt: number | null; pollsLeft: number | null } | null;
  /** How long a terminated pod is still shown as TERMINATED; null = not at all. */
  shownUntilAt: number | null;
  /** Until then a stopped pod still reports its old runtime. */
  staleUntilAt: number | null;
}

/** Which actions a status allows, as the prose of the specification lists them. */
export const ACTIONS: Readonly<Record<PodStatus, readonly PodAction[]>> = {
  PROVISIONING: ['stop', 'terminate'],
  STARTING: ['stop', 'terminate'],
  RUNNING: ['stop', 'restart', 'terminate'],
  EXITED: ['start', 'terminate'],
  ERROR: ['start', 'terminate'],
  TERMINATED: [],
};
