/** A pod that its owner has stopped: what was verified right before holds as long as nobody starts it. */
import { z } from 'zod';
import { instant } from './instant.ts';
import type { ProviderPod } from './provider-pod.ts';

export const stoppedFacts = z.object({
  at: instant,
  /** The provider's start under which it ran until then. */
  startedAt: instant.nullable(),
  /** Whether its artifacts were verified and kept right before; null = none were wanted. */
  verified: z.boolean().nullable(),
});
export type StoppedFacts = z.infer<typeof stoppedFacts>;

type Rests = { readonly stopped?: StoppedFacts | undefined; readonly startedAt: number | null };

/** Stopped on its owner's word and not started since, as far as record and provider tell. */
export function restsStopped(record: Rests, pod: Pick<ProviderPod, 'status' | 'startedAt'>): boolean {
  const { stopped, startedAt } = record;
  if (stopped === undefined || pod.status !== 'EXITED') return false;
  const isSame = (start: number | null): boolean =>
    start === null || stopped.startedAt === null || start === stopped.startedAt;
  return isSame(startedAt) && isSame(pod.startedAt);
}
