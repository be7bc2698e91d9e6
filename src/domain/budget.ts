/** Money, in integer micro-dollars: what a pod has cost, and what it will by a given time. */
import { HOUR_MS } from './duration.ts';

/** Micro-dollars of a dollar amount; null for what is no finite non-negative number. */
export function microUsd(dollars: number): number | null {
  return Number.isFinite(dollars) && dollars >= 0 ? Math.round(dollars * 1_000_000) : null;
}

/** Accrued cost between two times at an hourly rate; null when the rate is unknown: never zero. */
export function accrued(perHourMicroUsd: number | null, fromAt: number, toAt: number): number | null {
  if (perHourMicroUsd === null) return null;
  return Math.round((perHourMicroUsd * Math.max(0, toAt - fromAt)) / HOUR_MS);
}

/** Sum of what is known, and how many amounts were unknown. */
export function sumKnown(amounts: readonly (number | null)[]): { microUsd: number; unknown: number } {
  const known = amounts.filter((amount): amount is number => amount !== null);
  return { microUsd: known.reduce((sum, amount) => sum + amount, 0), unknown: amounts.length - known.length };
}

/** `$1.23`, `$0.004`; `unknown` for null. */
export function formatUsd(amount: number | null): string {
  if (amount === null) return 'unknown';
  const dollars = amount / 1_000_000;
  return `$${dollars < 0.1 && dollars > 0 ? dollars.toFixed(3) : dollars.toFixed(2)}`;
}
