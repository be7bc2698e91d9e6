/** One row per end of a pod, so that nobody has to walk the history to know what was spent. */
import { z } from 'zod';
import { instant } from '../instant.ts';
import { type PodRecord, podKey } from '../pod.ts';
import { stableLine } from './json.ts';
import { ledgerPath } from './layout.ts';
import type { LedgerRow, RegistryEvent } from './ops.ts';
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

export function ledgerRows(events: readonly RegistryEvent[], after: RegistryState): readonly LedgerRow[] {
  return events.flatMap((event) => {
    if (event.ledger !== undefined) return event.ledger;
    const record = event.pod === null ? undefined : after.pods[event.pod];
    const { how, reason, endedAt, verified, costMicroUsd } = event.detail;
    if (record === undefined || typeof how !== 'string' || typeof endedAt !== 'number') return [];
    const row = {
      how,
      reason: String(reason),
      verified: typeof verified === 'boolean' ? verified : null,
      costMicroUsd: typeof costMicroUsd === 'number' ? costMicroUsd : null,
    };
    return [ledgerRowOf(record, { ...row, endedAt })];
  });
}

type End = Pick<z.output<typeof ledgerRow>, 'how' | 'reason' | 'verified' | 'costMicroUsd' | 'endedAt'>;

export function ledgerRowOf(record: PodRecord, end: End): LedgerRow {
  const from = record.startedAt ?? record.createdAt ?? record.registeredAt;
  const row = z.encode(ledgerRow, {
    ...end,
    pod: podKey(record),
    name: record.name,
    owner: record.owner.label,
    repository: record.owner.repository,
    gpu: record.gpu,
    registeredAt: record.registeredAt,
    durationMs: Math.max(0, end.endedAt - from),
    costPerHourMicroUsd: record.costPerHourMicroUsd,
  });
  return { path: ledgerPath(end.endedAt), line: stableLine(row) };
}

/** How a row names its pod. */
export const rowName = (key: string): string => `"pod":${JSON.stringify(key)}`;
