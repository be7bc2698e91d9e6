/** Who may do what to a record. Owner acts need the record's uuid; a reaper judges every pod. */
import type { Fence, PodRecord } from '../pod.ts';
import { type Refused, refused } from './change.ts';
import type { Actor } from './ops.ts';

/** An abandoned runner's uuid is no longer the record's once a later attempt has reclaimed the pod. */
export function ownsRecord(record: PodRecord, actor: Actor): boolean {
  return actor.kind !== 'reaper' && actor.uuid !== null && actor.uuid === record.owner.uuid;
}

export function mayJudge(record: PodRecord, actor: Actor): boolean {
  return actor.kind === 'reaper' || ownsRecord(record, actor);
}

/** The names under which `actor` may hold a fence: `reaper`, `reaper:<uuid>`, or the owner's uuid. */
export function isHolder(holder: string, actor: Actor): boolean {
  if (actor.kind === 'reaper') return holder === 'reaper' || holder === `reaper:${actor.uuid ?? ''}`;
  return holder === actor.uuid && holder !== 'reaper' && !holder.startsWith('reaper:');
}

export function holdsFence(fence: Fence | null, actor: Actor, fenceRev: number): boolean {
  return fence !== null && fence.rev === fenceRev && isHolder(fence.holder, actor);
}

export function otherOwner(record: PodRecord): Refused {
  return refused('other-owner', `${record.id} belongs to ${record.owner.label ?? 'an unlabelled owner'}`);
}
