/** What becomes of a pod whose record could not be written, after it was found that it may become ours. */
import { WorldError } from '../../domain/errors.ts';
import type { PodRecord } from '../../domain/pod.ts';
import type { World } from '../../ports.ts';
import { type Ending, terminateAndConfirm } from '../ending/end-pod.ts';

/** A pod that carries this job's own nonce would bill unseen: it is ended. Every other is left and named. */
export async function notRecorded(
  world: World,
  record: PodRecord,
  own: boolean,
  error: WorldError,
): Promise<WorldError> {
  const ending = own ? await terminateAndConfirm(world, record) : null;
  const state = `Pod ${record.id} ${saysLeft(ending)}`;
  return new WorldError(error.failure, { ...error.told, state, cause: error }, { status: error.status });
}

function saysLeft(ending: Ending | null): string {
  if (ending === null) return 'was not made by this job: it was left running and is not registered';
  const made = 'was made by this job and could not be recorded';
  switch (ending.kind) {
    case 'gone':
    case 'lost':
      return `${made}, so it was ended (${ending.proof})`;
    case 'pending':
      return `${made}; its end was asked for and is not confirmed (${ending.why}): it may bill`;
    case 'failed':
      return `${made}, nor ended (${ending.why}): it may bill`;
  }
}
