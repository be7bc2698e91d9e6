/** What the world's account side asks of whoever runs the pods (folder, shell and SSH server), so that either can be tested alone. */

/** A file the pod holds from the start: text, bytes, or so many bytes of deterministic filler. */
export type PodFile = string | { readonly base64: string } | { readonly size: number };

/** One step of scripted GPU load: from `afterMs` since the pod started these numbers hold. */
export interface GpuStep {
  readonly afterMs: number;
  /** 0–100, per cent. */
  readonly util: number;
  readonly memUsedMiB?: number | undefined;
}

/** What `nvidia-smi` and the API's telemetry should say. `count` 0 = the zero-GPU start seen in the field. */
export interface PodGpu {
  readonly name: string;
  readonly count: number;
  /** 0–100, per cent. */
  readonly util: number;
  readonly memUsedMiB: number;
  readonly memTotalMiB: number;
  readonly script?: readonly GpuStep[] | undefined;
}

/** Everything a host needs to bring one container up. */
export interface HostedPod {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  /** The container command line, '' = the image's own start script. */
  readonly args: string;
  /** The pod's environment as the container sees it: the user's, PUBLIC_KEY, and the injected RUNPOD_* with the pod-scoped RUNPOD_API_KEY. */
  readonly env: Readonly<Record<string, string>>;
  /** "port/proto" as declared; without `22/tcp` the pod must not be reachable by SSH. */
  readonly ports: readonly string[];
  /** authorized_keys lines the container accepts (PUBLIC_KEY split by line, plus the seed's own). */
  readonly sshKeys: readonly string[];
  /** Absolute path on the pod → content, laid down when the pod is first started. */
  readonly files: Readonly<Record<string, PodFile>>;
  /** null on CPU pods. */
  readonly gpu: PodGpu | null;
  /** Where the disk that survives a stop is mounted, e.g. "/workspace"; null = none. Everything else is wiped by a stop. */
  readonly volumePath: string | null;
}

/** Where a container's port 22 can be dialled. A host picks a new port at each start. */
export interface PodAddress {
  readonly host: string;
  readonly port: number;
}

/** GPU numbers as the API would report them, one entry per GPU, 0–100. */
export interface PodTelemetry {
  readonly gpus: readonly { readonly util: number; readonly memoryUtil: number }[];
}

/** One log line of a container; `at` in epoch ms. */
export interface PodLogLine {
  readonly at: number;
  readonly line: string;
}

/**
 * The machines behind the account. `start` may be called again after `stop` (fresh container filesystem and host keys, volume kept);
 * `remove` forgets everything and must be harmless for an unknown id. Rejections of `start` put the pod in ERROR.
 * `telemetry` is null when the host did not answer.
 */
export interface PodHosts {
  start(pod: HostedPod): Promise<PodAddress>;
  stop(podId: string): Promise<void>;
  remove(podId: string): Promise<void>;
  telemetry(podId: string): PodTelemetry | null;
  logs(podId: string): readonly PodLogLine[];
}
