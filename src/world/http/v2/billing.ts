/** /v2/billing: what pods and network volumes cost, in buckets; late records and terminated pods included. */
import { z } from 'zod';
import {
  type BillingRow,
  type BillingWindow,
  BUCKETS,
  billingRows,
  lastBuckets,
  snapped,
} from '../../model/billing-records.ts';
import { parseInstant, rfc3339 } from '../../model/instant.ts';
import type { MeterPart } from '../../model/state.ts';
import { type Checked, checkQuery } from '../body-check.ts';
import type { Call, Route } from '../call.ts';
import { json, problem, type Reply } from '../reply.ts';
import { podBillingAnswer, volumeBillingAnswer } from './answers.ts';

const DEFAULT_SPAN_MS = 30 * 86_400_000;

const instant = z.string().refine((text) => parseInstant(text) !== null, 'value is not a valid date-time');
const billingQuery = z.object({
  startTime: instant.optional(),
  endTime: instant.optional(),
  bucketSize: z.enum(BUCKETS).default('day'),
  lastN: z.coerce.number().int().min(1).optional(),
});

function windowIn(call: Call): Checked<BillingWindow> {
  const asked = checkQuery(billingQuery, call.request.query);
  if (!asked.ok) return asked;
  const { startTime, endTime, bucketSize, lastN } = asked.value;
  const { now } = call.world;
  if (lastN !== undefined) {
    if (startTime === undefined && endTime === undefined) {
      return { ok: true, value: lastBuckets(now, lastN, bucketSize) };
    }
    return { ok: false, reply: problem(400, 'lastN and startTime/endTime are mutually exclusive') };
  }
  const endAt = (endTime === undefined ? null : parseInstant(endTime)) ?? now;
  const startAt = (startTime === undefined ? null : parseInstant(startTime)) ?? now - DEFAULT_SPAN_MS;
  if (startAt >= endAt) return { ok: false, reply: problem(400, 'startTime must be before endTime') };
  return { ok: true, value: snapped({ startAt, endAt, bucketSize }) };
}

function usdOf(rows: readonly BillingRow[], part: MeterPart): number {
  return rows.reduce((sum, row) => sum + (row.usd[part] ?? 0), 0);
}

function podAmounts(rows: readonly BillingRow[]) {
  const amounts = {
    gpuAmount: usdOf(rows, 'gpu'),
    cpuAmount: usdOf(rows, 'cpu'),
    diskAmount: usdOf(rows, 'disk'),
  };
  return { totalAmount: amounts.gpuAmount + amounts.cpuAmount + amounts.diskAmount, ...amounts };
}

function volumeAmounts(rows: readonly BillingRow[]) {
  const amounts = {
    standardAmount: usdOf(rows, 'standard'),
    highPerformanceAmount: usdOf(rows, 'high-performance'),
  };
  return { totalAmount: amounts.standardAmount + amounts.highPerformanceAmount, ...amounts };
}

function times({ startAt, endAt }: { startAt: number; endAt: number }) {
  return { startTime: rfc3339(startAt), endTime: rfc3339(endAt) };
}

function pods(call: Call): Reply {
  const window = windowIn(call);
  if (!window.ok) return window.reply;
  const podId = call.request.query.get('podId');
  const rows = billingRows(call.world, 'pod', window.value, podId);
  const { bucketSize } = window.value;
  return json(200, {
    records: rows.map((row) => ({ ...times(row), podId: row.id, ...podAmounts([row]) })),
    metadata: {
      query: { ...times(window.value), bucketSize, ...(podId === null ? {} : { podId }) },
      recordCount: rows.length,
      totals: podAmounts(rows),
      uniquePodCount: new Set(rows.map(({ id }) => id)).size,
    },
  });
}

function volumes(call: Call): Reply {
  const window = windowIn(call);
  if (!window.ok) return window.reply;
  const networkVolumeId = call.request.query.get('networkVolumeId');
  const rows = billingRows(call.world, 'volume', window.value, networkVolumeId);
  const { bucketSize } = window.value;
  return json(200, {
    records: rows.map((row) => ({ ...times(row), networkVolumeId: row.id, ...volumeAmounts([row]) })),
    metadata: {
      query: { ...times(window.value), bucketSize, ...(networkVolumeId === null ? {} : { networkVolumeId }) },
      recordCount: rows.length,
      totals: volumeAmounts(rows),
      uniqueNetworkVolumeCount: new Set(rows.map(({ id }) => id)).size,
    },
  });
}

const row = { method: 'GET', operation: 'billing' } as const;

export const billingRoutes: readonly Route[] = [
  { ...row, path: '/v2/billing/pods', answer: podBillingAnswer, handle: pods },
  { ...row, path: '/v2/billing/network-volumes', answer: volumeBillingAnswer, handle: volumes },
];
