/** Forward migrations: how a file of an older schema reads as one of ours. Lazy: each file is written anew with its next change. */

type Plain = Readonly<Record<string, unknown>>;

/** From schema `from` to the next one. Pure; `file` has passed no check yet. */
export type Migration = { readonly from: number; readonly up: (file: Plain) => Plain };

export type FileKind = 'record' | 'meta' | 'sweep';

/** Schema 1 is the first. The golden files of each schema stay in test/domain/registry/golden. */
export const MIGRATIONS: Readonly<Record<FileKind, readonly Migration[]>> = {
  record: [],
  meta: [],
  sweep: [],
};

/** As far as the steps lead; a file that no step knows stays what it is, and its check will say so. */
export function migrated(value: unknown, steps: readonly Migration[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  let file = value as Plain;
  for (const { from, up } of steps) {
    if (file['schemaVersion'] === from) file = { ...up(file), schemaVersion: from + 1 };
  }
  return file;
}

/** `1.10.0` is newer than `1.9.3`; what is no version is newer than nothing. */
export function isNewerVersion(left: string, right: string): boolean {
  const parts = (version: string): number[] => version.split('.').map(Number);
  const [one, other] = [parts(left), parts(right)];
  for (const [index, part] of one.entries()) {
    const than = other[index] ?? 0;
    if (part !== than) return part > than;
  }
  return false;
}
