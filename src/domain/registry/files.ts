/** Registry files as text and back. Each file is read alone: one damaged file never hides the others. */
import { z } from 'zod';
import { type PodRecord, podKey, podRecord, SCHEMA_VERSION } from '../pod.ts';
import { VERSION } from '../version.ts';
import { carryUnknown, parseJson, stableText } from './json.ts';
import { podPath, type Sha256 } from './layout.ts';
import { type FileKind, isNewerVersion, MIGRATIONS, type Migration, migrated } from './migrations.ts';
import { type Meta, meta } from './state.ts';
import { type SweepState, sweepState } from './sweep.ts';

const NEEDS = /^\d{1,4}\.\d{1,4}\.\d{1,4}$/;
/** A record or meta file beyond this is not one of ours. */
const MAX_LENGTH = 256 * 1024;

export type Parsed<T> =
  | { readonly kind: 'whole'; readonly value: T }
  | { readonly kind: 'damaged'; readonly problem: string }
  /** Written by a podtrack that knows more: refused, never rewritten. */
  | { readonly kind: 'newer'; readonly version: number; readonly needs?: string };

const versioned = z.looseObject({
  schemaVersion: z.number().int(),
  /** The least podtrack that may judge and write it. */
  needs: z.string().regex(NEEDS).optional().catch(undefined),
});

function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'not of the schema' : `${issue.path.map(String).join('.')}: ${issue.message}`;
}

type ParseHow = { readonly maxLength?: number; readonly steps?: readonly Migration[] };

/** Parses one file of the registry; a newer schema is told apart from damage. */
export function parseFile<S extends z.ZodType>(
  schema: S,
  text: string,
  { maxLength = MAX_LENGTH, steps = [] }: ParseHow = {},
): Parsed<z.output<S>> {
  if (text.length > maxLength) return { kind: 'damaged', problem: `longer than ${maxLength} characters` };
  const json = parseJson(text);
  if ('problem' in json) return { kind: 'damaged', problem: json.problem };
  const version = versioned.safeParse(json.value);
  const needs = version.data?.needs;
  if (
    version.success &&
    (version.data.schemaVersion > SCHEMA_VERSION || isNewerVersion(needs ?? '', VERSION))
  ) {
    return { kind: 'newer', version: version.data.schemaVersion, ...(needs === undefined ? {} : { needs }) };
  }
  const read = schema.safeParse(migrated(json.value, steps));
  return read.success
    ? { kind: 'whole', value: read.data }
    : { kind: 'damaged', problem: problemOf(read.error) };
}

/** The file must lie where its own content says: else it would stand for a pod that it does not describe. */
export function parseRecord(path: string, text: string, sha256: Sha256): Parsed<PodRecord> {
  const parsed = parseFile(podRecord, text, { steps: MIGRATIONS.record });
  if (parsed.kind !== 'whole') return parsed;
  const expected = podPath(podKey(parsed.value), sha256);
  return path === expected ? parsed : { kind: 'damaged', problem: `its content belongs to ${expected}` };
}

export function parseMeta(text: string): Parsed<Meta> {
  return parseFile(meta, text, { steps: MIGRATIONS.meta });
}

/** The state file grows with the account: 10,000 pods and 5,000 foreign ones fit. */
export function parseSweep(text: string): Parsed<SweepState> {
  return parseFile(sweepState, text, { maxLength: 64 * MAX_LENGTH, steps: MIGRATIONS.sweep });
}

/** Exchanged as a whole by an op, so unknown fields inside them go with the old value. */
const REPLACED: ReadonlySet<string> = new Set([
  'owner',
  'fence',
  'switch',
  'hostKey',
  'lastMirror',
  'lastVerdict',
  'confirmed',
  'end',
]);

/** `next` as text, with what a newer writer put into `before` and this podtrack does not know. */
function write<S extends z.ZodType>(
  schema: S,
  next: z.output<S>,
  before: string | null,
  kind: FileKind,
): string {
  const encoded = z.encode(schema, next);
  const json = before === null ? null : parseJson(before);
  if (json === null || 'problem' in json) return stableText(encoded);
  const raw = migrated(json.value, MIGRATIONS[kind]);
  const read = schema.safeParse(raw);
  if (!read.success) return stableText(encoded);
  return stableText(carryUnknown(raw, z.encode(schema, read.data), encoded, REPLACED));
}

export function recordText(record: PodRecord, before: string | null): string {
  return write(podRecord, record, before, 'record');
}

export function metaText(next: Meta, before: string | null): string {
  return write(meta, next, before, 'meta');
}

export function sweepText(sweep: SweepState): string {
  return stableText(z.encode(sweepState, sweep));
}
