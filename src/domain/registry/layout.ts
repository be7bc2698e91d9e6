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
  return path.startsWith('pods/') && path.endsWith('.json');
}

/** `ledger/YYYY/MM/DD.jsonl`, by the day (UTC) on which the pod ended. */
export function ledgerPath(at: number): string {
  return `ledger/${formatInstant(at).slice(0, 10).replaceAll('-', '/')}.jsonl`;
}
