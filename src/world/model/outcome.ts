/** What a command on the world comes back with: a value, or a refusal that every skin words in its own way. */

export type RefusalReason =
  | 'not-found'
  | 'no-capacity'
  | 'host-full'
  | 'insufficient-balance'
  | 'rule'
  | 'wrong-status'
  | 'in-use'
  | 'unprocessable';

export interface Refused {
  readonly ok: false;
  readonly reason: RefusalReason;
  /** Readable detail in the provider's words. */
  readonly detail: string;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | Refused;

export const NO_CAPACITY =
  'There are no longer any instances available with the requested specifications. Please refresh and try again.';
export const HOST_FULL = 'There are not enough free GPUs on the host machine to start this pod.';
export const NOT_FOUND = 'resource not found';

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refused(reason: RefusalReason, detail: string): Refused {
  return { ok: false, reason, detail };
}

export function notFound(): Refused {
  return refused('not-found', NOT_FOUND);
}

export function rule(detail: string): Refused {
  return refused('rule', detail);
}
