/** Prices as whole micro-dollars per hour (1 USD = 1,000,000; storage is priced by a month of 730 hours). */
import type { Meter } from './state.ts';

const HOURS_A_MONTH = 730;

export function microPerHour(usdPerHour: number): number {
  return Math.round(usdPerHour * 1_000_000);
}

export function usd(micro: number): number {
  return micro / 1_000_000;
}

function monthly(usdPerGb: number, gb: number): number {
  return Math.round((usdPerGb * 1_000_000 * gb) / HOURS_A_MONTH);
}

/** Container disk, billed while the pod holds a machine: $0.10 per GB and month. */
export function containerDiskRate(gb: number): number {
  return monthly(0.1, gb);
}

/** A pod's own volume disk: $0.10 per GB and month, twice that while the pod is stopped. */
export function volumeDiskRate(gb: number, stopped: boolean): number {
  return monthly(stopped ? 0.2 : 0.1, gb);
}

/** A network volume: $0.07 per GB and month, $0.05 from 1 TB on; the fast tier costs $0.14. */
export function networkVolumeRate(gb: number, type: 'STANDARD' | 'HIGH_PERFORMANCE'): number {
  if (type === 'HIGH_PERFORMANCE') return monthly(0.14, gb);
  return monthly(gb < 1000 ? 0.07 : 0.05, gb);
}

/** Whole seconds of the clock that lie in [fromAt, toAt): billing is by the second and never depends on when somebody looked. */
export function billedSeconds(fromAt: number, toAt: number): number {
  return Math.max(0, Math.floor(toAt / 1000) - Math.floor(fromAt / 1000));
}

/** What a meter ran up inside [fromAt, toAt), in micro-dollars. */
export function meteredMicro(meter: Meter, fromAt: number, toAt: number): number {
  const start = Math.max(meter.fromAt, fromAt);
  const end = Math.min(meter.toAt ?? toAt, toAt);
  return (meter.ratePerHour * billedSeconds(start, end)) / 3600;
}
