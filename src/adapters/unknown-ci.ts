/** Owner liveness where there is no forge to ask: every owner is unseen, and no verdict rests on it. */
import type { OwnerLiveness } from '../domain/owner.ts';
import { type Part, unseen } from '../domain/part.ts';
import type { Ci } from '../ports.ts';

export function unknownCi(): Ci {
  const reason = 'the command line asks no forge whether a run is over';
  return { liveness: async (owners) => owners.map((): Part<OwnerLiveness> => unseen(reason)) };
}
