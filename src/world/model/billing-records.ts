/** Bills as the API tells them: meters cut into hour, day, week, month or year buckets. */
import { peekFault } from './faults.ts';
import { meteredMicro, usd } from './rates.ts';
import type { Meter, MeterPart, World } from './state.ts';

export const BUCKETS = ['hour', 'day', 'week', 'month', 'year'] as const;
export type BucketSize = (typeof BUCKETS)[number];

export interface BillingWindow {
  readonly startAt: number;
  readonly endAt: number;
  readonly bucketSize: BucketSize;
}

/** One subject's sums in one bucket, USD by part. */
export interface BillingRow {
  readonly id: string;
  readonly product: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly usd: Readonly<Partial<Record<MeterPart, number>>>;
  readonly gb: number;
  readonly billedMs: number;
}

/** Start of the bucket that holds `at`, in UTC; weeks start on Monday. */
export function bucketStart(at: number, size: BucketSize): number {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (size === 'hour') return Math.floor(at / 3_600_000) * 3_600_000;
  if (size === 'day') return Date.UTC(year, month, day);
  if (size === 'week') return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
  return size === 'month' ? Date.UTC(year, month, 1) : Date.UTC(year, 0, 1);
}

export function nextBucket(startAt: number, size: BucketSize): number {
  const date = new Date(startAt);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (size === 'hour') return startAt + 3_600_000;
  if (size === 'day') return startAt + 86_400_000;
  if (size === 'week') return Date.UTC(year, month, day + 7);
  return size === 'month' ? Date.UTC(year, month + 1, 1) : Date.UTC(year + 1, 0, 1);
}

/** Widens a window outward to whole buckets. */
export function snapped(window: BillingWindow): BillingWindow {
  const { bucketSize } = window;
  const lastStart = bucketStart(window.endAt, bucketSize);
  return {
    bucketSize,
    startAt: bucketStart(window.startAt, bucketSize),
    endAt: lastStart === window.endAt ? window.endAt : nextBucket(lastStart, bucketSize),
  };
}

/** The last `n` buckets up to and with the one that holds `now`. */
export function lastBuckets(now: number, n: number, bucketSize: BucketSize): BillingWindow {
  let startAt = bucketStart(now, bucketSize);
  const endAt = nextBucket(startAt, bucketSize);
  for (let i = 1; i < n; i += 1) startAt = bucketStart(startAt - 1, bucketSize);
  return { startAt, endAt, bucketSize };
}

function rowOf(meters: readonly Meter[], window: { startAt: number; endAt: number }): BillingRow | null {
  const first = meters[0];
  if (first === undefined) return null;
  const sums: Partial<Record<MeterPart, number>> = {};
  let total = 0;
  let billedMs = 0;
  for (const meter of meters) {
    const micro = meteredMicro(meter, window.startAt, window.endAt);
    sums[meter.part] = (sums[meter.part] ?? 0) + usd(micro);
    total += micro;
    if (meter.part === 'gpu' || meter.part === 'cpu') {
      billedMs += Math.max(
        0,
        Math.min(meter.toAt ?? window.endAt, window.endAt) - Math.max(meter.fromAt, window.startAt),
      );
    }
  }
  if (total === 0) return null;
  const product = meters.find((meter) => meter.product !== '')?.product ?? '';
  const gb = Math.max(...meters.map((meter) => meter.gb));
  return { id: first.id, product, ...window, usd: sums, gb, billedMs };
}

/** One row per subject and bucket in which it cost something; terminated pods still have theirs. `id` narrows to one. */
export function billingRows(
  world: World,
  of: Meter['of'],
  window: BillingWindow,
  id: string | null,
): BillingRow[] {
  const lag = peekFault(world.faults, 'billing-lag', { operation: 'billing', podId: null });
  const knownUntil = world.now - (lag?.ms ?? 0);
  const subjects = new Map<string, Meter[]>();
  for (const meter of [...world.closedMeters, ...world.openMeters]) {
    if (meter.of !== of || (id !== null && meter.id !== id)) continue;
    subjects.set(meter.id, [...(subjects.get(meter.id) ?? []), meter]);
  }
  const rows: BillingRow[] = [];
  for (
    let startAt = window.startAt;
    startAt < window.endAt;
    startAt = nextBucket(startAt, window.bucketSize)
  ) {
    const endAt = nextBucket(startAt, window.bucketSize);
    const until = Math.min(endAt, knownUntil);
    if (until <= startAt) break;
    for (const meters of subjects.values()) {
      const row = rowOf(meters, { startAt, endAt: until });
      if (row !== null) rows.push({ ...row, endAt });
    }
  }
  return rows;
}
