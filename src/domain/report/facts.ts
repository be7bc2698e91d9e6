/** What a report is made of: the plan of a cycle and what came of it. */
import type { Outcome } from '../outcome.ts';
import type { Part } from '../part.ts';
import type { Plan } from '../policy/plan.ts';
import type { Listing } from '../provider-pod.ts';

/** Account, balance and spend as the provider tells them, in micro-dollars. */
export type Balance = Part<{
  readonly id: string;
  readonly balanceMicroUsd: number;
  readonly spendPerHourMicroUsd: number;
}>;

/** What a cycle leaves behind; the flow's own answer has this shape. */
export type CycleFacts = {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly listing: Part<Listing>;
  readonly balance: Balance;
  readonly dryRun: boolean;
  /** Whether the sweep state was renewed. */
  readonly swept: boolean;
  readonly lastSweepBefore: number | null;
  /** Why what was learned could not be committed at the end; left out = it was. */
  readonly unwritten?: string;
};
