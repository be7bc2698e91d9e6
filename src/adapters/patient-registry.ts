/** A registry whose lost races are run again until a time: for who has to decide one and cannot queue it. */
import { SECOND_MS } from '../domain/duration.ts';
import { WorldError } from '../domain/errors.ts';
import type { Chance, Clock, Log, RegistryStore } from '../ports.ts';

export type PatientOptions = {
  readonly store: RegistryStore;
  /** Epoch ms; the last round begins before it. */
  readonly until: number;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
};

const FIRST_MS = SECOND_MS;
const LONGEST_MS = 20 * SECOND_MS;

/** Full jitter, as within a round: whoever lost together must not come back together. */
function pauseMs(rounds: number, chance: Chance): number {
  const random = Number.parseInt(chance.hex(4), 16) / 2 ** 32;
  return Math.round(random * Math.min(LONGEST_MS, FIRST_MS * 2 ** rounds));
}

/** The same ops with the same keys: what was written after all is not doubled. Only `conflict` is waited out. */
export function patientRegistry({ store, until, clock, chance, log }: PatientOptions): RegistryStore {
  return {
    ...store,
    async submit(ops) {
      for (let rounds = 1; ; rounds += 1) {
        try {
          return await store.submit(ops);
        } catch (error) {
          if (!(error instanceof WorldError) || error.failure !== 'conflict') throw error;
          const leftMs = until - clock.now();
          if (leftMs <= 0) throw error;
          const left = `${Math.ceil(leftMs / SECOND_MS)} s are left for it`;
          log.say('info', `${store.place}: every race was lost (${error.told.cameBack}); again, ${left}`);
          await clock.sleep(Math.min(leftMs, pauseMs(rounds, chance)));
          if (clock.now() >= until) throw error;
        }
      }
    },
  };
}
