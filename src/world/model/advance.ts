/** Time passes: due steps are taken in order, meters run, and an empty purse stops or ends pods. No timers here. */
import { charge, emptyAt } from './ledger.ts';
import { end, halt, takeDueStep } from './lifecycle.ts';
import type { PodState } from './pod-state.ts';
import type { PodChange, World } from './state.ts';

/** The provider looks at balances this often. */
const BILLING_JOB_MS = 5 * 60_000;

function isShown(pod: PodState, at: number): boolean {
  return pod.status !== 'TERMINATED' || (pod.shownUntilAt !== null && pod.shownUntilAt > at);
}

/** At $0 a pod with a network volume is stopped and one without is terminated; which are still to be dealt with? */
function unpaid(world: World): PodState[] {
  return [...world.pods.values()].filter((pod) => {
    if (pod.status === 'TERMINATED') return false;
    return pod.mount?.kind !== 'network' || (pod.status !== 'EXITED' && pod.status !== 'ERROR');
  });
}

function nextBillingJobAt(world: World): number {
  if (unpaid(world).length === 0) return Number.POSITIVE_INFINITY;
  const after = world.account.purse.micro <= 0 ? world.now + 1 : emptyAt(world);
  return Math.ceil(after / BILLING_JOB_MS) * BILLING_JOB_MS;
}

/** Epoch ms of the next thing that happens by itself; Infinity when nothing will. */
export function nextEventAt(world: World): number {
  let at = nextBillingJobAt(world);
  for (const pod of world.pods.values()) {
    if (pod.dueAt !== null) at = Math.min(at, pod.dueAt);
    const ending = pod.ending?.dueAt;
    if (ending !== undefined && ending !== null) at = Math.min(at, ending);
    if (pod.status === 'TERMINATED' && pod.shownUntilAt !== null) at = Math.min(at, pod.shownUntilAt);
  }
  return at;
}

function settle(world: World): void {
  for (const pod of world.pods.values()) {
    const { ending } = pod;
    if (ending !== null && (ending.pollsLeft === 0 || (ending.dueAt !== null && ending.dueAt <= world.now))) {
      end(world, pod, 'user');
    }
    // A step may be due at once after another when a delay is 0.
    while (pod.dueAt !== null && pod.dueAt <= world.now) takeDueStep(world, pod);
    if (!isShown(pod, world.now)) world.pods.delete(pod.id);
  }
}

function collect(world: World): void {
  if (world.account.purse.micro > 0 || world.now % BILLING_JOB_MS !== 0) return;
  for (const pod of unpaid(world)) {
    if (pod.mount?.kind === 'network') halt(world, pod, 'Runpod');
    else end(world, pod, 'Runpod');
  }
  settle(world);
}

/** Lets the world live until `now` (epoch ms); going backwards does nothing. */
export function advance(world: World, now: number): void {
  settle(world);
  while (world.now < now) {
    const nextAt = Math.min(now, Math.max(world.now + 1, nextEventAt(world)));
    charge(world, nextAt);
    world.now = nextAt;
    settle(world);
    collect(world);
  }
}

/** What happened to pods since the last call, oldest first. */
export function takeChanges(world: World): PodChange[] {
  return world.changes.splice(0);
}
