/** Runs work that needs the scratch repository; a broken one is thrown away and the work is done again. */
import { WorldError } from '../../domain/errors.ts';
import { ScratchError } from './run-git.ts';
import type { Session } from './session.ts';

const TRIES = 3;

/**
 * A lock that a killed git left, a full disk, or objects that the remote has replaced between two questions.
 * Nothing of it has reached the remote. Throws WorldError `registry-unreadable` after three scratch repositories.
 */
export async function withScratch<T>(session: Session, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ScratchError)) throw error;
      session.renew();
      if (tries >= TRIES) throw broken(session, error);
    }
  }
}

function broken(session: Session, cause: ScratchError): WorldError {
  return new WorldError(
    'registry-unreadable',
    {
      tried: `Working on the registry at ${session.remote.place} in a scratch repository`,
      cameBack: cause.message,
      state: 'Nothing was written by this step',
      next: 'See whether the scratch folder can be written and has room, and whether the registry is whole (git fsck)',
      cause,
    },
    { retryable: true },
  );
}
