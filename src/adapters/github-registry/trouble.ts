/** How a registry on GitHub that cannot be read or written is told. */
import { WorldError, type WorldFailure } from '../../domain/errors.ts';
import { type Outcome, WRITE } from './outcome.ts';

export type Failed = Exclude<Outcome, { kind: 'done' }>;

/** What a reader can do about an outcome that more tries did not change. */
function nextOf(outcome: Failed): string {
  switch (outcome.kind) {
    case 'final':
      return outcome.next;
    case 'missing':
    case 'moved':
      return 'Check owner and name of the registry, and the repositories that the token may reach';
    case 'limited':
      return `Try again in ${Math.ceil(outcome.waitMs / 1000)} s; register-many and a token of an app keep within the limits`;
    case 'empty':
      return 'Push a first commit to the repository: git commit --allow-empty -m start && git push';
    case 'locked':
      return 'A lock file of a dead process may lie in the repository: the server’s administrator must remove it';
    case 'unsupported':
      return 'Use the git store on this server: PODTRACK_REGISTRY=<git URL>';
    case 'lost-race':
    case 'ambiguous':
      return 'Try again when GitHub answers; its status page tells of outages';
  }
}

/** What somebody else may take over from: another credential, another way. */
function failureOf(outcome: Failed, otherwise: WorldFailure): WorldFailure {
  if (outcome.kind === 'unsupported') return 'unsupported';
  return outcome.kind === 'final' && outcome.because === 'bad-credentials' ? 'unauthorized' : otherwise;
}

export function unreadable(place: string, outcome: Failed): WorldError {
  return new WorldError(
    failureOf(outcome, 'registry-unreadable'),
    {
      tried: `Reading the registry at ${place}`,
      cameBack: outcome.why,
      state: 'Nothing was written, and nothing was concluded from what could not be read',
      next: nextOf(outcome),
    },
    { retryable: ['limited', 'ambiguous', 'locked', 'lost-race'].includes(outcome.kind) },
  );
}

/** Every write follows a look: what could be seen then and is "not found" for a write may only be read. */
export function writeRefused(place: string, outcome: Failed): WorldError {
  const readOnly = outcome.kind === 'missing';
  return new WorldError(failureOf(outcome, 'write-refused'), {
    tried: `Writing to the registry at ${place}`,
    cameBack: readOnly
      ? `it can be read, and GitHub hides it from a write: this token may not do that (${outcome.why})`
      : outcome.why,
    state: 'Nothing was written, and trying again as is would not help',
    next: readOnly ? WRITE : nextOf(outcome),
  });
}

/** After the last try, or where the wait that GitHub asks for is longer than our patience. */
export function gaveUp(place: string, last: Failed, tries: number): WorldError {
  const unclear = last.kind === 'ambiguous';
  const failure = unclear ? 'outcome-unknown' : last.kind === 'limited' ? 'rate-limited' : 'conflict';
  return new WorldError(
    failure,
    {
      tried: `Writing to the registry at ${place}, ${tries} times`,
      cameBack: last.why,
      state: unclear
        ? 'Whether the last try was written is unknown; the same keys may be sent again'
        : 'Nothing was written',
      next:
        last.kind === 'limited' || last.kind === 'locked'
          ? nextOf(last)
          : 'Send the same operations again; their keys keep them from being doubled',
    },
    { retryable: true },
  );
}
