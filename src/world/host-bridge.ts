/** Carries what happens in the model to whoever runs the containers, one pod's changes strictly in order, and their addresses back. */
import { failStart, reportAddress } from './model/lifecycle.ts';
import type { PodState } from './model/pod-state.ts';
import type { PodChange, World } from './model/state.ts';
import type { HostedPod, PodHosts } from './pod-hosts.ts';

export interface HostBridge {
  deliver(changes: readonly PodChange[]): void;
  /** Resolves when every change delivered so far has been carried out. */
  settled(): Promise<void>;
}

/** The environment as the container sees it: RunPod's own variables under the user's, which win. */
function containerEnv(pod: PodState): Record<string, string> {
  const { compute, mount } = pod;
  return {
    RUNPOD_POD_ID: pod.id,
    RUNPOD_POD_HOSTNAME: pod.hostName,
    RUNPOD_DC_ID: pod.placement.dataCenterId,
    RUNPOD_GPU_COUNT: String(pod.gpusFound),
    RUNPOD_CPU_COUNT: String(compute.kind === 'cpu' ? compute.vcpuCount : 12 * compute.count),
    RUNPOD_API_KEY: pod.scopedKey,
    ...(mount?.kind === 'network' ? { RUNPOD_VOLUME_ID: mount.volumeId } : {}),
    ...pod.env,
  };
}

/** A pod as its host needs to know it. */
export function hostedPod(pod: PodState): HostedPod {
  const own = (pod.env['PUBLIC_KEY'] ?? '').split('\n').filter((line) => line.trim() !== '');
  return {
    id: pod.id,
    name: pod.name,
    image: pod.image,
    args: pod.args,
    env: containerEnv(pod),
    ports: pod.ports,
    sshKeys: [...own, ...pod.sshKeys],
    files: pod.files,
    gpu: pod.gpu === null ? null : { ...pod.gpu, count: pod.gpusFound },
    volumePath: pod.mount?.path ?? null,
  };
}

async function carryOut(
  hosts: PodHosts,
  change: PodChange,
  start: (change: PodChange) => Promise<void>,
): Promise<void> {
  const { podId } = change;
  switch (change.kind) {
    case 'created':
      return;
    case 'started':
      return await start(change);
    case 'restarted':
      await hosts.stop(podId);
      return await start(change);
    case 'stopped':
      return await hosts.stop(podId);
    case 'terminated':
      return await hosts.remove(podId);
    default:
      return change.kind satisfies never;
  }
}

export function hostBridge(world: World, hosts: PodHosts): HostBridge {
  const chains = new Map<string, Promise<void>>();
  const newest = new Map<string, PodChange>();

  async function start(change: PodChange): Promise<void> {
    const pod = world.pods.get(change.podId);
    if (pod === undefined || newest.get(pod.id) !== change) return;
    try {
      const address = await hosts.start(hostedPod(pod));
      // Something else may have happened to the pod meanwhile; that comes next in its chain.
      if (newest.get(pod.id) === change) reportAddress(pod, address);
    } catch (cause) {
      failStart(world, pod, cause instanceof Error ? cause.message : String(cause));
    }
  }

  function chain(change: PodChange): Promise<void> {
    const before = chains.get(change.podId) ?? Promise.resolve();
    // A host that fails to stop or remove a container must not keep the account from going on.
    const link = before.then(() => carryOut(hosts, change, start)).catch(() => undefined);
    return link.finally(() => {
      if (newest.get(change.podId) !== change) return;
      chains.delete(change.podId);
      newest.delete(change.podId);
    });
  }

  return {
    deliver(changes) {
      for (const change of changes) {
        newest.set(change.podId, change);
        chains.set(change.podId, chain(change));
      }
    },
    async settled() {
      while (chains.size > 0) await Promise.all(chains.values());
    },
  };
}
