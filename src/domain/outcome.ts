/** How an order ended: expected ends are data, never exceptions. */

export type OutcomeOrder =
  | 'extend'
  | 're-arm'
  | 'pet'
  | 'keep'
  | 'stop'
  | 'mirror'
  | 'release'
  | 'teardown'
  | 'settle-gone';

/**
 * `done` as ordered; `released` the pod stays up because the verdict changed or the artifacts could not be
 * verified; `pending` our DELETE was accepted and absence is not yet confirmed; `handed-over` somebody else
 * holds the fence or the time ran out; `failed` anything else.
 */
export type OutcomeKind = 'done' | 'released' | 'pending' | 'handed-over' | 'failed';

export type Outcome = {
  readonly pod: string;
  readonly order: OutcomeOrder;
  readonly kind: OutcomeKind;
  /** A code from the flow that ended, kebab-case. */
  readonly reason: string;
  /** One sentence for people: what happened and what state things are in. */
  readonly says: string;
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
};

/** Whether a pod may still bill, or its data is unverified, after this. */
export function leavesOpen(outcome: Outcome): boolean {
  return outcome.kind !== 'done';
}
