/** The registry as one value: what `read()` gives and what `apply` changes. */
import { z } from 'zod';
import { instant } from '../instant.ts';
import { type PodRecord, SCHEMA_VERSION } from '../pod.ts';
import { registryId } from '../stamp.ts';

export const meta = z.looseObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  registryId,
  /** The repository this registry belongs to; null for a local one. */
  repository: z.object({ server: z.string(), id: z.string() }).nullable(),
  seq: z.number().int().min(0),
  /** How often the history was compacted. */
  epoch: z.number().int().min(0).default(0),
  updatedAt: instant,
  /** Last acknowledgement of each alarm that stops inferred kills. */
  acknowledged: z
    .object({
      breakerAt: instant.nullable().default(null),
      /** The lost tip (`sweep.registryTip` of that day) whose absence a person has accepted. */
      rewoundTip: z.string().max(80).nullable().default(null),
      accountAt: instant.nullable().default(null),
    })
    .default({ breakerAt: null, rewoundTip: null, accountAt: null }),
  /** Idempotency keys of the last operations on the registry as a whole. */
  keys: z.array(z.string().max(300)).max(16).default([]),
});

export type Meta = z.infer<typeof meta>;

/** A file that could not be read as a record: told, never dropped, never taken for "no record". */
export type Quarantined = {
  readonly path: string;
  readonly problem: string;
  /** The newest version in the history that was valid; it goes on counting. */
  readonly lastValid: PodRecord | null;
};

export type RegistryState = {
  readonly meta: Meta;
  /** By `<provider>.<id>`. */
  readonly pods: Readonly<Record<string, PodRecord>>;
  readonly quarantined: readonly Quarantined[];
};

/** A quarantined record counts as its last valid version. */
export function allRecords(state: RegistryState): readonly PodRecord[] {
  const kept = state.quarantined.flatMap((file) => (file.lastValid === null ? [] : [file.lastValid]));
  return [...Object.values(state.pods), ...kept];
}

/** A registry that nobody has written to yet. */
export function emptyRegistry(id: string, repository: Meta['repository'], now: number): RegistryState {
  return {
    meta: {
      schemaVersion: SCHEMA_VERSION,
      registryId: id,
      repository,
      seq: 0,
      epoch: 0,
      updatedAt: now,
      acknowledged: { breakerAt: null, rewoundTip: null, accountAt: null },
      keys: [],
    },
    pods: {},
    quarantined: [],
  };
}
