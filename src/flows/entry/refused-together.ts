/** One refusal for several pods that go in together: it names each pod that something speaks against. */
import { ConfigError, Refusal, WorldError } from '../../domain/errors.ts';

type Against = { readonly podId: string; readonly error: Refusal | ConfigError | WorldError };

/** `state` = what became of the others. What a person decided weighs more than what the world could not answer. */
export function refusedTogether(
  against: readonly Against[],
  state: string,
): Refusal | ConfigError | WorldError {
  const errors = against.map(({ error }) => error);
  const told = {
    tried: 'Registering several pods in one commit',
    cameBack: against.map(({ podId, error }) => `${podId}: ${error.told.cameBack}`).join('; '),
    state,
    next: [...new Set(errors.map((error) => error.told.next))].join('; '),
    cause: errors[0],
  };
  const refusal = errors.find((error) => error instanceof Refusal);
  if (refusal !== undefined) return new Refusal(refusal.gate, told);
  const wrong = errors.find((error) => error instanceof ConfigError);
  if (wrong !== undefined) return new ConfigError(wrong.input === 'pod-id' ? 'pod-ids' : wrong.input, told);
  const failed = errors.find((error) => error instanceof WorldError);
  if (failed === undefined) throw new Error('nothing speaks against them');
  return new WorldError(failed.failure, told, { status: failed.status, retryable: failed.retryable });
}
