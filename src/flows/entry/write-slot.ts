/** Waits for this job's turn to write, where many jobs of one matrix begin together. */
import { isForTheRun, type Owner } from '../../domain/owner.ts';
import { isLive, isSamePod } from '../../domain/pod.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import { findRecord } from '../../domain/registry/change.ts';
import { saysSlot, slotWaitMs, type WriteSlot } from '../../domain/registry/write-slot.ts';
import type { Snapshot, World } from '../../ports.ts';

type Turn = {
  readonly pods: readonly ProviderPod[];
  readonly owner: Owner;
  readonly slot: WriteSlot | null;
};

/** Who finds his pods entered for him, as register-many leaves them, waits for nobody: their rows stand. */
export async function readInTurn(world: World, { pods, owner, slot }: Turn): Promise<Snapshot> {
  const snapshot = await world.registry.read();
  const waitMs = slotWaitMs(slot);
  if (slot === null || waitMs === 0) return snapshot;
  if (pods.every((pod) => isEntered(snapshot, pod, owner))) return snapshot;
  world.log.say('notice', saysSlot(slot));
  await world.clock.sleep(waitMs);
  return world.registry.read();
}

function isEntered({ state }: Snapshot, pod: ProviderPod, owner: Owner): boolean {
  const record = findRecord(state, pod.id);
  if (record === null || !isLive(record) || !isSamePod(record, pod)) return false;
  return record.owner.uuid === owner.uuid || isForTheRun(record.owner, owner);
}
