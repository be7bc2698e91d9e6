/** What a job's end means for its pod: teardown, unless the owner asked for a bounded keep, or for a stop. */
import { ConfigError } from './errors.ts';

/** The runner's word for the job; anything that is none of its three words is `unknown`. */
export type JobEnd = 'success' | 'failure' | 'cancelled' | 'unknown';

export const ENDINGS = ['teardown', 'keep', 'stop'] as const;
export type Ending = (typeof ENDINGS)[number];

export type EndingWishes = {
  readonly onSuccess: Ending;
  readonly onFailure: Ending;
  readonly onCancel: Ending;
};

export function jobEnd(status: string): JobEnd {
  const word = status.trim().toLowerCase();
  return word === 'success' || word === 'failure' || word === 'cancelled' ? word : 'unknown';
}

/** An end that nobody can name is no reason to let a pod live on. */
export function endingFor(end: JobEnd, wishes: EndingWishes): Ending {
  switch (end) {
    case 'success':
      return wishes.onSuccess;
    case 'failure':
      return wishes.onFailure;
    case 'cancelled':
      return wishes.onCancel;
    case 'unknown':
      return 'teardown';
  }
}

/** Empty = teardown. Throws a ConfigError that names `input`. */
export function parseEnding(text: string, input: string): Ending {
  const word = text.trim().toLowerCase();
  if (word === '') return 'teardown';
  const known = ENDINGS.find((ending) => ending === word);
  if (known !== undefined) return known;
  throw new ConfigError(input, {
    tried: `Reading ${input}`,
    cameBack: `"${word.slice(0, 40)}" is not one of ${ENDINGS.join(', ')}`,
    state: 'Nothing was changed',
    next: 'Give one of these words, or leave it out for teardown',
  });
}
