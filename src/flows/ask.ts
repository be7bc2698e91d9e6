/** Asks the world softly: a failure, or an answer that does not come in time, becomes an unseen part with its reason. */
import { SECOND_MS } from '../domain/duration.ts';
import { WorldError } from '../domain/errors.ts';
import { type Part, seen, unseen } from '../domain/part.ts';
import type { World } from '../ports.ts';

/** Words that begin with the failure's code, once. */
export function codedWords({ failure, told: { cameBack } }: WorldError): string {
  return cameBack.startsWith(failure) ? cameBack : `${failure}: ${cameBack}`;
}

/** Only the world may fail softly; a mistake in the program is thrown on. */
export async function softly<T>(question: () => Promise<T>): Promise<Part<T>> {
  return await question().then(
    (value) => seen(value),
    (error: unknown) => {
      if (!(error instanceof WorldError)) throw error;
      return unseen(codedWords(error));
    },
  );
}

/** An answer in time, or why there is none; what comes late is dropped. */
export async function inTime<T>(world: World, limitMs: number, work: () => Promise<T>): Promise<Part<T>> {
  const done = new AbortController();
  const late = world.clock
    .sleep(limitMs, done.signal)
    .then(() => unseen(`no answer within ${limitMs / SECOND_MS} s`));
  return await Promise.race([softly(work), late]).finally(() => done.abort());
}
