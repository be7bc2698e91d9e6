/** The history as events: one per op of a trailer. Trailers are text that anybody may have written. */
import { z } from 'zod';
import { formatInstant } from '../instant.ts';
import { parseOpTrailer } from './message.ts';

/** A commit as the history gives it. */
export type Told = {
  readonly version: string;
  readonly at: number;
  readonly headline: string;
  readonly trailers: readonly (readonly [string, string])[];
};

export type HistoryEvent = {
  /** RFC 3339, when it was committed. */
  readonly at: string;
  readonly version: string;
  /** The registry's count of commits; null where the trailer is missing. */
  readonly seq: number | null;
  /** `hand-edit`: a commit without trailers, which podtrack did not make. `unknown`: a trailer that says no op. */
  readonly op: string;
  readonly pod: string | null;
  readonly rev: number | null;
  readonly key: string | null;
  /** Of the commit: several where it holds ops of several. */
  readonly actors: readonly string[];
  readonly runs: readonly string[];
  readonly detail: Readonly<Record<string, string>>;
  readonly headline: string;
};

const word = z.string().regex(/^[a-z][a-z-]{0,30}$/);
const key = z.string().regex(/^[a-z0-9]{1,20}\.[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/);
const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

const orNull = <S extends z.ZodType>(schema: S, value: string | undefined): z.output<S> | null => {
  const read = schema.safeParse(value);
  return read.success ? read.data : null;
};

/** Each op of each commit once, in order. `pod` keeps only events of that key. */
export function eventsOf(entries: readonly Told[], pod: string | null = null): readonly HistoryEvent[] {
  return entries.flatMap(ofCommit).filter((event) => pod === null || event.pod === pod);
}

function ofCommit(entry: Told): readonly HistoryEvent[] {
  const { at, version, headline, trailers } = entry;
  const values = (name: string): string[] =>
    trailers.filter(([each]) => each === name).map(([, value]) => value);
  const [seq] = values('Podtrack-Seq');
  const shared = {
    at: formatInstant(at),
    version,
    seq: orNull(count, seq),
    actors: values('Podtrack-Actor'),
    runs: values('Podtrack-Run'),
    headline,
  };
  const bare = { ...shared, pod: null, rev: null, key: null, detail: {} };
  if (trailers.length === 0) return [{ ...bare, op: 'hand-edit' }];
  return values('Podtrack-Op').map((value): HistoryEvent => {
    const { op, pod, rev, key: opKey, ...detail } = parseOpTrailer(value);
    const named = orNull(word, op);
    if (named === null) return { ...bare, op: 'unknown' };
    return {
      ...shared,
      op: named,
      pod: orNull(key, pod),
      rev: orNull(count, rev),
      key: opKey ?? null,
      detail,
    };
  });
}
