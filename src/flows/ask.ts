/** Asks the world softly: a failure becomes an unseen part with its reason. */
import { WorldError } from '../domain/errors.ts';
import { type Part, seen, unseen } from '../domain/part.ts';

/** Only the world may fail softly; a mistake in the program is thrown on. */
export async function softly<T>(question: () => Promise<T>): Promise<Part<T>> {
  return await question().then(
    (value) => seen(value),
    (error: unknown) => {
      if (!(error instanceof WorldError)) throw error;
      const { cameBack } = error.told;
      return unseen(cameBack.startsWith(error.failure) ? cameBack : `${error.failure}: ${cameBack}`);
    },
  );
}
