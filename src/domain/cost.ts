/** What a pod of ours costs, by the rate that its record holds; unknown wherever that rate does not speak. */
import { accrued } from './budget.ts';
import type { PodRecord } from './pod.ts';
import type { ProviderStatus } from './provider-pod.ts';

const STOPPED: ReadonlySet<string> = new Set(['exited-counting', 'exited-grace']);

/** Whether it is stopped: as it was shown now, else as it was last judged. Then its disk alone bills, and no answer says how much. */
function isStopped({ fence, lastVerdict }: PodRecord, status: ProviderStatus | null): boolean {
  if (status !== null) return status === 'EXITED';
  return STOPPED.has(fence?.reason ?? '') || STOPPED.has(lastVerdict?.reason ?? '');
}

/** Micro-dollars per hour; null = unknown. `status` as it is shown now, null where nobody looked. */
export function rateOf(record: PodRecord, status: ProviderStatus | null): number | null {
  return isStopped(record, status) ? null : record.costPerHourMicroUsd;
}

/** Cost so far, or at its end; null = unknown. */
export function costOf(record: PodRecord, now: number, status: ProviderStatus | null): number | null {
  if (record.end !== null) return record.end.costMicroUsd;
  return accrued(rateOf(record, status), record.createdAt ?? record.registeredAt, now);
}
