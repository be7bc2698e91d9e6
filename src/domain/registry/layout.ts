/** Where things lie in the registry branch. */
import { formatInstant } from '../instant.ts';

export const META_PATH = 'meta.json';
export const README_PATH = 'README.md';
export const ATTRIBUTES_PATH = '.gitattributes';
/** The one file of the state branch. */
export const SWEEP_PATH = 'sweep.json';

/** Lower-case hex of the SHA-256 of a text; given by the caller, since the domain computes nothing of the kind. */
export type Sha256 = (text: string) => string;

/** `pods/<xx>/<provider>.<id>.json`, xx = the first two hex digits of the key's SHA-256. */
export function podPath(key: string, sha256: Sha256): string {
  return `pods/${sha256(key).slice(0, 2)}/${key}.json`;
}

/** Whether a path of the tree is meant to hold a record; everything else in the tree is left alone. */
export function isPodPath(path: string): boolean {
  return path.startsWith('pods/') && /\.json$/i.test(path);
}

/** Whether a record could ever have lain there: no history is searched for versions of any other path. */
export function mayHoldRecord(path: string): boolean {
  return /^pods\/[0-9a-f]{2}\/runpod\.[A-Za-z0-9][A-Za-z0-9_-]{0,62}\.json$/.test(path);
}

export type TreeEntryKind = 'file' | 'link' | 'module';
const KINDS = { link: 'a symbolic link', module: 'a submodule', file: 'a file' } as const;

/** What stands in the tree where records should lie, and hides them; null = nothing is hidden. */
export function hiding(
  path: string,
  kind: TreeEntryKind,
): { readonly path: string; readonly problem: string } | null {
  if (path !== 'pods' && !path.startsWith('pods/')) return null;
  if (/^pods(?:\/[0-9a-f]{2})?$/.test(path))
    return { path, problem: `${KINDS[kind]} where a folder of records should lie` };
  if (kind !== 'file') return { path, problem: `${KINDS[kind]} where a record should lie` };
  const folder = /^(pods\/.*?\.json)\//i.exec(path)?.[1];
  return folder === undefined ? null : { path: folder, problem: 'a folder where a record should lie' };
}

/** `ledger/YYYY/MM/DD.jsonl`, by the day (UTC) on which the pod ended. */
export function ledgerPath(at: number): string {
  return `ledger/${formatInstant(at).slice(0, 10).replaceAll('-', '/')}.jsonl`;
}
