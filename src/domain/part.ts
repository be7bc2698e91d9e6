/** A piece of an observation: either seen with its value, or unseen with the reason why. */

/** "Not seen" is a value of its own; it never stands for "gone", "idle" or zero. */
export type Part<T> =
  | { readonly kind: 'seen'; readonly value: T }
  | { readonly kind: 'unseen'; readonly reason: string };

export const seen = <T>(value: T): Part<T> => ({ kind: 'seen', value });

export const unseen = <T = never>(reason: string): Part<T> => ({ kind: 'unseen', reason });

/** Applies `change` to a seen value and passes an unseen part on as it is. */
export function mapPart<A, B>(part: Part<A>, change: (value: A) => B): Part<B> {
  return part.kind === 'seen' ? seen(change(part.value)) : part;
}
