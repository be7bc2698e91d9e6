/** Keep on this machine's disk: the user's word that the folder of the copy outlives the job. */
import { seen } from '../domain/part.ts';
import type { Keep } from '../ports.ts';

export function diskKeep(): Keep {
  return { keep: async ({ place }) => seen(`folder ${place}`) };
}
