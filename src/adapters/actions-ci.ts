/** Owner liveness on GitHub: not asked yet, so every owner is unseen, with the reason, and no verdict rests on it. */
import type { OwnerLiveness } from '../domain/owner.ts';
import { type Part, unseen } from '../domain/part.ts';
import type { Ci } from '../ports.ts';

/** The reaper of this version judges by deadlines, heartbeats and idleness alone. */
export function actionsCi(): Ci {
  const reason = 'this version does not ask GitHub whether the run is over';
  return {
    liveness: async (owners) => owners.map((): Part<OwnerLiveness> => unseen(reason)),
  };
}
