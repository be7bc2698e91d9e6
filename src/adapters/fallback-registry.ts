/** A registry with a second way to it: where the first fails in a way that the second may mend, that one goes on. */
import { WorldError, type WorldFailure } from '../domain/errors.ts';
import type { Log, RegistryStore } from '../ports.ts';

export type FallbackOptions = {
  readonly first: RegistryStore;
  readonly second: RegistryStore;
  /** The failure of the first that hands over to the second, for good; every other is told as it is. */
  readonly when: Extract<WorldFailure, 'unauthorized' | 'unsupported'>;
  /** Said once, when it does. */
  readonly says: string;
  readonly log: Log;
};

/** The same question is asked again, the same ops with the same keys: what the first has written after all is not doubled. */
export function fallbackRegistry({ first, second, when, says, log }: FallbackOptions): RegistryStore {
  let current = first;
  const ask = async <T>(question: (store: RegistryStore) => Promise<T>): Promise<T> => {
    const asked = current;
    try {
      return await question(asked);
    } catch (error) {
      if (asked === second || !(error instanceof WorldError) || error.failure !== when) throw error;
      if (current === first) log.say('warning', says);
      current = second;
      return await question(second);
    }
  };
  return {
    place: first.place,
    read: () => ask((store) => store.read()),
    submit: (ops) => ask((store) => store.submit(ops)),
    saveSweep: (sweep) => ask((store) => store.saveSweep(sweep)),
    history: (filter) => ask((store) => store.history(filter)),
    probeWrite: () => ask((store) => store.probeWrite()),
  };
}
