/** The wall between pods: whatever goes wrong with one is that one's outcome and stops nobody else. */
import { WorldError } from '../domain/errors.ts';
import type { Outcome, OutcomeOrder } from '../domain/outcome.ts';

export async function walled(
  pod: string,
  order: OutcomeOrder,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    const known = error instanceof WorldError;
    const reason = known ? error.failure : 'unexpected-error';
    const says = known
      ? error.message
      : `unexpected: ${error instanceof Error ? error.message : String(error)}`;
    return { pod, order, kind: 'failed', reason, says, detail: {} };
  }
}
