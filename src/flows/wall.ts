/** The wall between pods: whatever goes wrong with one is that one's outcome and stops nobody else. */
import { ConfigError, Refusal, WorldError } from '../domain/errors.ts';
import type { Outcome, OutcomeOrder } from '../domain/outcome.ts';

export async function walled(
  pod: string,
  order: OutcomeOrder,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return { pod, order, kind: 'failed', ...told(error), detail: {} };
  }
}

function told(error: unknown): { readonly reason: string; readonly says: string } {
  if (error instanceof WorldError) return { reason: error.failure, says: error.message };
  if (error instanceof Refusal) return { reason: error.gate, says: error.message };
  if (error instanceof ConfigError) return { reason: error.input, says: error.message };
  const says = `unexpected: ${error instanceof Error ? error.message : String(error)}`;
  return { reason: 'unexpected-error', says };
}
