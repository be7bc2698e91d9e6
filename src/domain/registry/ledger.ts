/** One row per end of a pod, so that nobody has to walk the history to know what was spent. */
import { z } from 'zod';
import { instant } from '../instant.ts';
import { stableLine } from './json.ts';
import { ledgerPath } from './layout.ts';
import type { RegistryEvent } from './ops.ts';
import type { RegistryState } from './state.ts';

/** `durationMs` counts from the last start known. A pod that was reopened has several rows; its last one counts. */
const ledgerRow = z.object({
  pod: z.string(),
  name: z.string(),
  owner: z.string().nullable(),
  repository: z.string().nullable(),
  gpu: z.string().nullable(),
  how: z.string(),
  reason: z.string(),
  verified: z.boolean().nullable(),
  registeredAt: instant,
  endedAt: instant,
  durationMs: z.number().int().min(0),
  costPerHourMicroUsd: z.number().int().nullable(),
  costMicroUsd: z.number().int().nullable(),
});

/** What must be appended to which ledger file. */
export type LedgerRow = { readonly path: string; readonly line: string };

export function ledgerRows(events: readonly RegistryEvent[], after: RegistryState): readonly LedgerRow[] {
  return events.flatMap((event) => {
    const record = event.pod === null ? undefined : after.pods[event.pod];
    const { how, reason, endedAt, verified, costMicroUsd } = event.detail;
    if (record === undefined || typeof how !== 'string' || typeof endedAt !== 'number') return [];
    const from = record.startedAt ?? record.createdAt ?? record.registeredAt;
    const row = z.encode(ledgerRow, {
      pod: event.pod ?? '',
      name: record.name,
      owner: record.owner.label,
      repository: record.owner.repository,
      gpu: record.gpu,
      how,
      reason: String(reason),
      verified: typeof verified === 'boolean' ? verified : null,
      registeredAt: record.registeredAt,
      endedAt,
      durationMs: Math.max(0, endedAt - from),
      costPerHourMicroUsd: record.costPerHourMicroUsd,
      costMicroUsd: typeof costMicroUsd === 'number' ? costMicroUsd : null,
    });
    return [{ path: ledgerPath(endedAt), line: stableLine(row) }];
  });
}
