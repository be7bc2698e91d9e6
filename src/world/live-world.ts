/** A model tied to a clock and to the hosts of its pods, so that all three say the same at any moment. */
import type { WorldClock } from './clock.ts';
import { type HostBridge, hostBridge } from './host-bridge.ts';
import type { Lookout } from './http/call.ts';
import { advance, nextEventAt, takeChanges } from './model/advance.ts';
import { scriptedTelemetry } from './model/gpu-load.ts';
import type { PodChange, World } from './model/state.ts';
import type { PodHosts } from './pod-hosts.ts';

/** A world in which nothing is due still looks up now and then. */
const IDLE_LOOK_MS = 60_000;
const NO_HOSTS: HostBridge = { deliver: () => undefined, settled: async () => undefined };

export interface LiveWorld {
  readonly world: World;
  readonly clock: WorldClock;
  readonly lookout: Lookout;
  /** Brings the model up to the clock, tells hosts and listeners what happened, and sets the next alarm. */
  catchUp(): void;
  onPod(listener: (change: PodChange) => void): void;
  /** Resolves when the hosts have done what they were told. */
  hostsSettled(): Promise<void>;
  /** No more alarms; every container goes. */
  end(): Promise<void>;
}

function every(clock: WorldClock, ms: number, look: () => void): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(ms, () => {
      look();
      again();
    });
  };
  again();
  return () => cancel();
}

export function liveWorld(world: World, clock: WorldClock, hosts: PodHosts | undefined): LiveWorld {
  const bridge = hosts === undefined ? NO_HOSTS : hostBridge(world, hosts);
  const listeners: ((change: PodChange) => void)[] = [];
  let cancelAlarm = () => {};
  let isOver = false;

  function catchUp(): void {
    advance(world, clock.now());
    const changes = takeChanges(world);
    bridge.deliver(changes);
    for (const change of changes) for (const listener of listeners) listener(change);
    cancelAlarm();
    if (isOver) return;
    const waitMs = Math.max(1, nextEventAt(world) - clock.now());
    cancelAlarm = clock.after(Math.min(IDLE_LOOK_MS, waitMs), catchUp);
  }

  return {
    world,
    clock,
    catchUp,
    lookout: {
      telemetry: (pod) => (hosts === undefined ? scriptedTelemetry(world, pod) : hosts.telemetry(pod.id)),
      containerLog: (pod) => hosts?.logs(pod.id) ?? [],
      every: (ms, look) => every(clock, ms, look),
    },
    onPod: (listener) => void listeners.push(listener),
    hostsSettled: () => bridge.settled(),
    async end() {
      isOver = true;
      cancelAlarm();
      await bridge.settled();
      if (hosts === undefined) return;
      await Promise.all([...world.pods.keys()].map((podId) => hosts.remove(podId)));
    },
  };
}
