/** Why inferred kills must rest although the policy would make them. */
import { rowOf, type Verdict, verdict } from './reasons.ts';

/** Doubts about the registry's own memory; absolute deadlines and orphans by id are not held back. */
export type Caution = {
  readonly code: 'rewound' | 'damaged' | 'sweep-missing' | 'foreign-repository';
  readonly detail: string;
};

/** In a registry of another repository everything rests; other doubts hold back inferred verdicts only. */
export function restVerdict(wanted: Verdict, cautions: readonly Pick<Caution, 'code'>[]): Verdict {
  const [first] = cautions;
  if (first === undefined || wanted.kind === 'keep') return wanted;
  const foreign = cautions.some((caution) => caution.code === 'foreign-repository');
  if (!foreign && !rowOf(wanted).inferred && wanted.reason !== 'lost-absent') return wanted;
  return verdict('held-by-caution', { wanted: wanted.reason, because: first.code });
}
