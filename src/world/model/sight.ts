/** What a reader gets to see of the pods: the truth, bent by lag, partial lists and late endings where those are switched on. */
import { peekFault, takeFault } from './faults.ts';
import type { PodState } from './pod-state.ts';
import type { World } from './state.ts';

/** A DELETE that takes a few looks to show: this was one of them. */
function countPoll(pod: PodState): void {
  const { ending } = pod;
  if (ending !== null && ending.pollsLeft !== null && ending.pollsLeft > 0) ending.pollsLeft -= 1;
}

function isLagging(world: World, pod: PodState, operation: 'listPods' | 'getPod'): boolean {
  const lag = peekFault(world.faults, 'list-lag', { operation: 'listPods', podId: pod.id });
  if (lag === null || world.now - pod.createdAt >= lag.ms) return false;
  return operation === 'listPods' || lag.getToo;
}

/** The list as it is answered now, in an order that means nothing. */
export function listedPods(world: World): PodState[] {
  const occasion = { operation: 'listPods', podId: null } as const;
  if (takeFault(world.faults, 'empty-list', occasion) !== null) return [];
  const all = [...world.pods.values()].filter((pod) => !isLagging(world, pod, 'listPods'));
  const pods = all.sort((a, b) => (a.id < b.id ? -1 : 1)).filter((pod) => !isLeftOut(world, pod));
  for (const pod of pods) countPoll(pod);
  return takeFault(world.faults, 'partial-list', occasion) === null
    ? pods
    : pods.slice(Math.ceil(pods.length / 2));
}

/** A partial list that names a pod leaves out just that one. */
function isLeftOut(world: World, pod: PodState): boolean {
  const { faults } = world;
  const named = faults.filter(({ fault }) => fault.name === 'partial-list' && fault.podId === pod.id);
  return takeFault(named, 'partial-list', { operation: 'listPods', podId: pod.id }) !== null;
}

/** One pod by id, or null when it is not (yet, or any more) to be seen. */
export function seenPod(world: World, podId: string): PodState | null {
  const pod = world.pods.get(podId);
  if (pod === undefined || isLagging(world, pod, 'getPod')) return null;
  countPoll(pod);
  return pod;
}
