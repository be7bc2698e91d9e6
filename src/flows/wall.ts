/** The wall between pods: whatever goes wrong with one is that one's outcome and stops nobody else. */
import { ConfigError, Refusal, WorldError } from '../domain/errors.ts';
import type { Outcome, OutcomeOrder } from '../domain/outcome.ts';

export async function walled(
  pod: string,
  order: OutcomeOrder,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const done = await apart(work);
  return done.kind === 'done' ? done.value : { pod, order, kind: 'failed', ...told(done.error), detail: {} };
}

export type Apart<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The same for work that has no outcome: what was thrown is handed back as it is. */
export async function apart<T>(work: () => Promise<T>): Promise<Apart<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

function told(error: unknown): { readonly reason: string; readonly says: string } {
  if (error instanceof WorldError) return { reason: error.failure, says: error.message };
  if (error instanceof Refusal) return { reason: error.gate, says: error.message };
  if (error instanceof ConfigError) return { reason: error.input, says: error.message };
  const says = `unexpected: ${error instanceof Error ? error.message : String(error)}`;
  return { reason: 'unexpected-error', says };
}
