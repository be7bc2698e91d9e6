/** A registry with a second credential: where the first is refused as such, the second goes on, and it is said once. */
import { WorldError } from '../domain/errors.ts';
import type { Log, RegistryStore } from '../ports.ts';

export type FallbackOptions = {
  readonly first: RegistryStore;
  readonly second: RegistryStore;
  readonly log: Log;
  /** What the two are called, for people. */
  readonly names: readonly [string, string];
};

/** The words of both stores for a credential that is no longer any: expired, revoked, mistyped. */
const REFUSED = /credentials were refused|Bad credentials|\b401\b/i;

/** A dead token is neither contention nor a missing permission: one try, then the next one, for good. */
export function fallbackRegistry({ first, second, log, names }: FallbackOptions): RegistryStore {
  let current = first;
  const ask = async <T>(question: (store: RegistryStore) => Promise<T>): Promise<T> => {
    const asked = current;
    try {
      return await question(asked);
    } catch (error) {
      if (asked === second || !isRefused(error)) throw error;
      if (current === first) {
        log.say('warning', `the ${names[0]} was refused by ${first.place}; going on with the ${names[1]}`);
      }
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

function isRefused(error: unknown): boolean {
  return (
    error instanceof WorldError && (error.failure === 'unauthorized' || REFUSED.test(error.told.cameBack))
  );
}
