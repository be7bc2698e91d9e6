/** A whole registry as one JSON document: what export writes and import reads. */
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { instant } from '../instant.ts';
import { podKey, podRecord, SCHEMA_VERSION } from '../pod.ts';
import { registryId } from '../stamp.ts';
import { parseJson } from './json.ts';
import type { OpOf } from './ops.ts';
import { allRecords, meta, type RegistryState } from './state.ts';

/** Sightings are not part of it: a reaper that starts over counts from zero, and inferred kills rest meanwhile. */
const registryDocument = z.looseObject({
  format: z.literal('podtrack-registry'),
  schemaVersion: z.literal(SCHEMA_VERSION),
  exportedAt: instant,
  meta,
  pods: z.array(podRecord),
  /** Path → rows, as they lie in the branch. */
  ledger: z.record(z.string().regex(/^ledger\/\d{4}\/\d{2}\/\d{2}\.jsonl$/), z.array(z.looseObject({}))),
  /** Damaged files; of those with a valid version before, that version stands among the pods. */
  damaged: z.array(z.object({ path: z.string(), problem: z.string() })),
});

export type RegistryDocument = z.input<typeof registryDocument>;

/** Rows that are no JSON are left out, and counted. */
export function documentOf(
  state: RegistryState,
  ledger: ReadonlyMap<string, string>,
  now: number,
): { readonly document: RegistryDocument; readonly unreadableRows: number } {
  let unreadableRows = 0;
  const rows = [...ledger].map(([path, text]): [string, Record<string, unknown>[]] => {
    const read = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseJson(line));
    const whole = read.flatMap((row) => {
      const plain = 'value' in row ? z.looseObject({}).safeParse(row.value) : null;
      return plain?.success === true ? [plain.data] : [];
    });
    unreadableRows += read.length - whole.length;
    return [path, whole];
  });
  const pods = allRecords(state).toSorted((left, right) => (podKey(left) < podKey(right) ? -1 : 1));
  const document = z.encode(registryDocument, {
    format: 'podtrack-registry',
    schemaVersion: SCHEMA_VERSION,
    exportedAt: now,
    meta: state.meta,
    pods: [...pods],
    ledger: Object.fromEntries(rows),
    damaged: state.quarantined.map(({ path, problem }) => ({ path, problem })),
  });
  return { document, unreadableRows };
}

/** What an import op needs of a document. Throws ConfigError that says what is wrong with it. */
export function readDocument(text: string): Pick<OpOf<'import'>, 'registryId' | 'records' | 'ledger'> {
  const json = parseJson(text);
  if ('problem' in json) throw notADocument(json.problem);
  const read = registryDocument.safeParse(json.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw notADocument(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { meta: from, pods, ledger } = read.data;
  const rows = Object.entries(ledger).flatMap(([path, lines]) =>
    lines.map((line) => ({ path, line: `${JSON.stringify(line)}\n` })),
  );
  return { registryId: registryId.parse(from.registryId), records: pods, ledger: rows };
}

function notADocument(cameBack: string): ConfigError {
  return new ConfigError('file', {
    tried: 'Reading the registry to import',
    cameBack,
    state: 'Nothing was changed',
    next: `Give a file that podtrack export has written, of schema ${SCHEMA_VERSION}`,
  });
}
