/** The steps of a pod's life: each changes status, meters, stock and log together, and tells whoever runs the containers. */

import type { PodAddress } from '../pod-hosts.ts';
import { nextInt } from './chance.ts';
import { longDate } from './instant.ts';
import { meterPod } from './ledger.ts';
import type { PodState, PodStatus } from './pod-state.ts';
import type { ChangeKind, World } from './state.ts';
import { takeGpus } from './stock.ts';

const MAX_SYSTEM_LINES = 200;

export function tell(world: World, pod: PodState, kind: ChangeKind): void {
  world.changes.push({ kind, podId: pod.id, at: world.now });
}

export function systemLine(world: World, pod: PodState, line: string): void {
  pod.systemLog.push({ at: world.now, line });
  if (pod.systemLog.length > MAX_SYSTEM_LINES) pod.systemLog.shift();
}

function isRented(status: PodStatus): boolean {
  return status === 'PROVISIONING' || status === 'STARTING' || status === 'RUNNING';
}

/** Moves a pod to a status and keeps meters and stock in step with it. */
function move(world: World, pod: PodState, status: PodStatus): void {
  const before = isRented(pod.status);
  pod.status = status;
  const after = isRented(status);
  if (before && !after) takeGpus(world, pod.compute, pod.placement.dataCenterId, -1);
  if (!before && after) takeGpus(world, pod.compute, pod.placement.dataCenterId, 1);
  meterPod(world, pod);
}

/** Public ports of a start: every declared port gets a new one. */
export function freshPorts(world: World, ports: readonly string[]): Record<string, number> {
  const privatePorts = ports.map((port) => port.split('/')[0] ?? '').filter((port) => port !== '');
  return Object.fromEntries(privatePorts.map((port) => [port, 10_000 + nextInt(world.chance, 50_000)]));
}

/** The container is being brought up on the machine. */
export function beginStart(world: World, pod: PodState): void {
  pod.placed = true;
  move(world, pod, 'STARTING');
  pod.publicPorts = freshPorts(world, pod.ports);
  pod.address = null;
  pod.dueAt = pod.boot === 'stuck-starting' ? null : world.now + world.settings.timing.startMs;
  systemLine(world, pod, `create container ${pod.image}`);
  if (pod.boot === 'normal') tell(world, pod, 'started');
}

function becomeRunning(world: World, pod: PodState): void {
  pod.dueAt = null;
  if (pod.boot === 'error') {
    systemLine(world, pod, 'error creating container: OCI runtime create failed');
    move(world, pod, 'ERROR');
    return;
  }
  if (pod.boot === 'exit') {
    systemLine(world, pod, 'container exited with code 1');
    halt(world, pod, 'Runpod');
    return;
  }
  pod.startedAt = world.now;
  systemLine(world, pod, 'start container');
  if (!world.hosted && pod.boot === 'normal') {
    pod.address = { host: '203.0.113.17', port: pod.publicPorts['22'] ?? 22 };
  }
  move(world, pod, 'RUNNING');
}

/** The step that was due: PROVISIONING → STARTING → RUNNING (or where the boot ends). */
export function takeDueStep(world: World, pod: PodState): void {
  pod.dueAt = null;
  if (pod.status === 'PROVISIONING') beginStart(world, pod);
  else if (pod.status === 'STARTING') becomeRunning(world, pod);
}

/** Stops a pod: compute released, container disk wiped, volume kept at double rate. `by` as `lastStatusChange` names it. */
export function halt(world: World, pod: PodState, by: 'user' | 'Runpod'): void {
  pod.dueAt = null;
  pod.address = null;
  pod.lastChange = `Exited by ${by}: ${longDate(world.now)}`;
  systemLine(world, pod, 'stop container');
  move(world, pod, 'EXITED');
  tell(world, pod, 'stopped');
}

/** Restarts the container in place: same machine, RAM and container disk gone, new ports. */
export function restart(world: World, pod: PodState): void {
  systemLine(world, pod, 'restart container');
  tell(world, pod, 'restarted');
  const { boot } = pod;
  // The host learns of one change, so the start inside must not tell of a second one.
  const told = world.changes.length;
  beginStart(world, pod);
  if (boot === 'normal') world.changes.splice(told);
}

/** Ends a pod for good; its persistent disk goes with it, a network volume is only detached. */
export function end(world: World, pod: PodState, by: 'user' | 'Runpod'): void {
  if (pod.status === 'TERMINATED') return;
  pod.dueAt = null;
  pod.ending = null;
  pod.address = null;
  pod.staleUntilAt = null;
  pod.lastChange = `Terminated by ${by}: ${longDate(world.now)}`;
  move(world, pod, 'TERMINATED');
  const own = world.keys.findIndex((key) => key.podId === pod.id);
  if (own >= 0) world.keys.splice(own, 1);
  tell(world, pod, 'terminated');
}

/** The container of a starting or running pod can be reached here. */
export function reportAddress(pod: PodState, address: PodAddress): void {
  if (pod.status === 'STARTING' || pod.status === 'RUNNING') pod.address = address;
}

/** The host could not bring the container up: unrecoverable, as far as the account is concerned. */
export function failStart(world: World, pod: PodState, why: string): void {
  if (pod.status !== 'STARTING' && pod.status !== 'RUNNING') return;
  pod.dueAt = null;
  systemLine(world, pod, `error starting container: ${why}`);
  move(world, pod, 'ERROR');
}
