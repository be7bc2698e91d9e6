/** Why a forge refuses a write for good: kinds that no second try changes, whichever way the write took. */

/**
 * What goes away by itself is none of these: a lost lease, a lock, a quota, a server error.
 * `configuration` is everything else that only a person can mend.
 */
export type RefusedBy =
  | 'hook'
  | 'ruleset'
  | 'protected-branch'
  | 'read-only'
  | 'bad-credentials'
  | 'secret-found'
  | 'configuration';
