/** Finds one pod's record, or says what a person should do instead. */
import { ConfigError, Refusal } from '../domain/errors.ts';
import type { Owner } from '../domain/owner.ts';
import { ownerName } from '../domain/owner.ts';
import type { PodRecord } from '../domain/pod.ts';
import { findRecord as recordOf } from '../domain/registry/change.ts';
import type { Snapshot, World } from '../ports.ts';

export type Found = { readonly record: PodRecord; readonly snapshot: Snapshot };

/** A damaged file counts as its last valid version. */
export async function findRecord(world: World, podId: string): Promise<Found> {
  const snapshot = await world.registry.read();
  const record = recordOf(snapshot.state, podId);
  if (record !== null) return { record, snapshot };
  throw new ConfigError('pod-id', {
    tried: `Looking up ${podId} in the registry ${world.registry.place}`,
    cameBack: 'there is no record of it',
    state: 'Nothing was changed',
    next: 'Register it first (podtrack register), or check the id with: podtrack list --all',
  });
}

/** Owner acts need the record's uuid to be mine. */
export function mustOwn(record: PodRecord, owner: Owner, act: string): void {
  if (record.owner.uuid === owner.uuid) return;
  throw new Refusal('other-owner', {
    tried: `${act} ${record.id}`,
    cameBack: `it belongs to ${ownerName(record.owner)}, and this process is ${ownerName(owner)}`,
    state: 'The pod and its record are as they were',
    next: `If it is yours to take, run: podtrack claim ${record.id}`,
  });
}
