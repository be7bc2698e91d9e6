/** The whole account as one plain value: what the pure functions of this folder read and change, and nothing else. */
import type { Chance } from './chance.ts';
import type { ActiveFault } from './faults.ts';
import type { Cloud, PodState } from './pod-state.ts';

/** Switches that change how the world is served, not what happens in it. */
export interface Settings {
  /** The October 2026 edition: lists carry `pagination`, GPUs carry vcpuCount and memory. */
  pagination: boolean;
  /** No page holds more than this, whatever `limit` says; null = no such bound. */
  pageCap: number | null;
  /** Serve the retired REST v1 too. */
  v1: boolean;
  /** What the key injected into a pod may do to its own pod over GraphQL (seen to vary by deployment). */
  podKey: 'terminate' | 'stop-only' | 'read-only';
  /** Whether that key is taken by REST v2 for its own pod (unknown in the field, so off). */
  podKeyOnRest: boolean;
  /** Requests per window and user; null = exempt, no RateLimit headers. */
  rateLimit: RateQuota | null;
  timing: Timing;
}

export interface RateQuota {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
}

/** How long the steps of a start take, in ms. */
export interface Timing {
  readonly provisionMs: number;
  readonly startMs: number;
}

/** Money held to the micro-dollar; `rest` counts the 3600ths of one that are owed but not yet whole. */
export interface Purse {
  micro: number;
  rest: number;
}

export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly purse: Purse;
  readonly spendLimitMicro: number;
  sshKeys: readonly string[];
}

export type KeyScope = 'full' | 'read-only' | 'pod';

/** An API key; `podId` names the pod of a pod-scoped one. */
export interface ApiKey {
  readonly key: string;
  readonly scope: KeyScope;
  readonly podId: string | null;
  revoked: boolean;
}

export type MeterPart = 'gpu' | 'cpu' | 'disk' | 'standard' | 'high-performance';

/** One stretch of time over which something costs the same; closed when the rate changes. */
export interface Meter {
  readonly of: 'pod' | 'volume';
  readonly id: string;
  readonly part: MeterPart;
  /** GPU type or CPU flavour, '' for storage. */
  readonly product: string;
  readonly gb: number;
  readonly ratePerHour: number;
  readonly fromAt: number;
  toAt: number | null;
}

export interface VolumeState {
  readonly id: string;
  name: string;
  sizeGb: number;
  readonly dataCenterId: string;
  readonly type: 'STANDARD' | 'HIGH_PERFORMANCE';
  readonly createdAt: number;
}

/** A template's settings; `ownerId` null = from the public catalog. */
export interface TemplateState {
  readonly id: string;
  name: string;
  image: string;
  args: string;
  cmd: readonly string[] | null;
  entrypoint: readonly string[] | null;
  diskGb: number;
  persistent: { readonly sizeGb: number; readonly path: string } | null;
  ports: readonly string[];
  env: Readonly<Record<string, string>>;
  registryId: string | null;
  serverless: boolean;
  public: boolean;
  category: 'NVIDIA' | 'AMD' | 'CPU';
  startSsh: boolean;
  startJupyter: boolean;
  allowedCudaVersions: readonly string[];
  readonly source: 'own' | 'official' | 'verified' | 'community';
  readonly createdAt: number;
}

/** A container registry login; username and password are write-only and not kept. */
export interface RegistryState {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface GpuKind {
  readonly id: string;
  readonly name: string;
  readonly pool: string | null;
  readonly manufacturer: 'NVIDIA' | 'AMD';
  readonly memoryGb: number;
  readonly price: Readonly<Record<Cloud, number>>;
  readonly serverlessPrice: number | null;
  readonly maxCount: Readonly<Record<Cloud, number>>;
  /** What one GPU of a machine brings with it. */
  readonly vcpuPerGpu: number;
  readonly ramPerGpuGb: number;
  readonly cudaVersions: readonly string[];
}

export interface CpuKind {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly vcpu: { readonly min: number; readonly max: number };
  readonly ramGbPerVcpu: number;
  readonly pricePerVcpu: number;
  readonly serverlessPricePerVcpu: number;
}

export interface DataCenterKind {
  readonly id: string;
  readonly name: string;
  readonly region: 'NORTH_AMERICA' | 'EUROPE' | 'ASIA' | 'OCEANIA';
  readonly country: string;
  readonly globalNetwork: boolean;
  readonly networkVolumeTypes: readonly ('STANDARD' | 'HIGH_PERFORMANCE')[];
  readonly compliance: readonly string[];
}

/** What can be rented. `stock[gpu][dataCenter]` = GPUs free there now; prices in USD per hour. */
export interface Catalog {
  readonly gpus: readonly GpuKind[];
  readonly cpus: readonly CpuKind[];
  readonly dataCenters: readonly DataCenterKind[];
  readonly stock: Record<string, Record<string, number>>;
}

export type ChangeKind = 'created' | 'started' | 'stopped' | 'restarted' | 'terminated';

/** Something that happened to a pod, for whoever runs its container. */
export interface PodChange {
  readonly kind: ChangeKind;
  readonly podId: string;
  readonly at: number;
}

/** A counting window of the rate limit: `startAt` epoch ms, `used` requests since then. */
export interface RateWindow {
  startAt: number;
  used: number;
}

export interface World {
  now: number;
  readonly chance: Chance;
  readonly settings: Settings;
  readonly account: Account;
  readonly keys: ApiKey[];
  readonly pods: Map<string, PodState>;
  readonly volumes: Map<string, VolumeState>;
  readonly templates: Map<string, TemplateState>;
  readonly registries: Map<string, RegistryState>;
  readonly catalog: Catalog;
  readonly openMeters: Meter[];
  readonly closedMeters: Meter[];
  readonly windows: Readonly<Record<keyof RateQuota, RateWindow>>;
  faults: ActiveFault[];
  /** What happened since the last `takeChanges`. */
  readonly changes: PodChange[];
  /** True when containers are run by somebody else, who reports their addresses. */
  readonly hosted: boolean;
}
