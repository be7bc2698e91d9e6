/** Keep for the command line: a person's own disk lasts; the disk of a runner that is thrown away does not. */
import { type Part, unseen } from '../domain/part.ts';
import type { Keep } from '../ports.ts';
import { diskKeep } from './disk-keep.ts';

/** `lasting` unseen = the copy is verified, and still the pod may not be ended over it; the reason says why. */
export function localKeep(lasting: Part<true>): Keep {
  return lasting.kind === 'seen' ? diskKeep() : { keep: async () => unseen(lasting.reason) };
}
