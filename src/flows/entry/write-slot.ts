/** Waits for this job's turn to write, where many jobs of one matrix begin together. */
import { isForTheRun, type Owner } from '../../domain/owner.ts';
import { isLive, isSamePod } from '../../domain/pod.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import { findRecord } from '../../domain/registry/change.ts';
import { saysSlot, slotWaitMs, type WriteSlot } from '../../domain/registry/write-slot.ts';
import type { Snapshot, World } from '../../ports.ts';

type Turn = { readonly pod: ProviderPod; readonly owner: Owner; readonly slot: WriteSlot | null };

/** Who finds the pod entered for him, as register-many leaves it, waits for nobody: its row stands. */
export async function readInTurn(world: World, { pod, owner, slot }: Turn): Promise<Snapshot> {
  const snapshot = await world.registry.read();
  const waitMs = slotWaitMs(slot);
  if (slot === null || waitMs === 0) return snapshot;
  const record = findRecord(snapshot.state, pod.id);
  const isEntered =
    record !== null &&
    (record.owner.uuid === owner.uuid || isForTheRun(record.owner, owner)) &&
    isLive(record) &&
    isSamePod(record, pod);
  if (isEntered) return snapshot;
  world.log.say('notice', saysSlot(slot));
  await world.clock.sleep(waitMs);
  return world.registry.read();
}
