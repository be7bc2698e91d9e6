/** What is known of one tree of the registry branch; of the next one only the changed files are read. */
import type { PodRecord } from '../../domain/pod.ts';
import type { FileChange } from '../../domain/registry/commit.ts';
import { type Parsed, parseMeta, parseRecord } from '../../domain/registry/files.ts';
import { hiding, isPodPath, META_PATH, mayHoldRecord, type Sha256 } from '../../domain/registry/layout.ts';
import type { RegistryState } from '../../domain/registry/state.ts';
import { damagedPaths, type LastValid, stateOf, type TreeRead } from '../../domain/registry/view.ts';
import { fetchWhole } from './depth.ts';
import { listTree, type Repository, readObjects, versionsOf } from './repository.ts';
import { ScratchError } from './run-git.ts';

type CachedFile = { readonly oid: string; readonly text: string; readonly parsed: Parsed<PodRecord> | null };

export type TreeCache = {
  readonly tip: string;
  /** Every path of the tree. */
  readonly paths: ReadonlySet<string>;
  /** Records and meta.json, by path. */
  readonly files: ReadonlyMap<string, CachedFile>;
  readonly state: RegistryState;
};

export type Reading = {
  readonly repository: Repository;
  readonly sha256: Sha256;
  readonly place: string;
  /** The full name of the branch: damaged files are looked up in its whole history. */
  readonly branch: string;
};

async function readFiles(of: Reading, wanted: ReadonlyMap<string, string>, before: TreeCache | null) {
  const files = new Map<string, CachedFile>();
  const missing: [string, string][] = [];
  for (const [path, oid] of wanted) {
    const known = before?.files.get(path);
    if (known?.oid === oid) files.set(path, known);
    else missing.push([path, oid]);
  }
  const texts = await readObjects(
    of.repository,
    missing.map(([, oid]) => oid),
  );
  for (const [index, [path, oid]] of missing.entries()) {
    const text = texts[index] ?? null;
    if (text === null) throw new ScratchError(`${path} is named by the tree and not there`);
    files.set(path, { oid, text, parsed: path === META_PATH ? null : parseRecord(path, text, of.sha256) });
  }
  return files;
}

function treeOf(files: ReadonlyMap<string, CachedFile>): TreeRead {
  const meta = files.get(META_PATH);
  const pods = [...files].flatMap(([path, { parsed }]) => (parsed === null ? [] : [{ path, parsed }]));
  return { meta: meta === undefined ? null : parseMeta(meta.text), pods };
}

/** The newest version of `path` below `tip` that `parse` takes; null = none of the last fifty. */
async function newestValid<T>(
  of: Reading,
  file: { readonly tip: string; readonly path: string },
  parse: (text: string) => Parsed<T>,
): Promise<T | null> {
  await fetchWhole(of.repository, of.branch);
  const commits = await versionsOf(of.repository, file.tip, file.path);
  const texts = await readObjects(
    of.repository,
    commits.map((commit) => `${commit}:${file.path}`),
  );
  for (const text of texts) {
    const parsed = text === null ? null : parse(text);
    if (parsed?.kind === 'whole') return parsed.value;
  }
  return null;
}

async function lastValid(of: Reading, tip: string, paths: readonly string[]): Promise<LastValid> {
  const records = new Map<string, PodRecord>();
  for (const path of paths.filter(mayHoldRecord)) {
    const record = await newestValid(of, { tip, path }, (text) => parseRecord(path, text, of.sha256));
    if (record !== null) records.set(path, record);
  }
  const meta = paths.includes(META_PATH) ? await newestValid(of, { tip, path: META_PATH }, parseMeta) : null;
  return { meta, records };
}

/** What hides records is told as a damaged file would be, under its own path. */
function damageOf(hides: ReturnType<typeof hiding>, oid: string): [string, CachedFile][] {
  if (hides === null) return [];
  return [[hides.path, { oid, text: '', parsed: { kind: 'damaged', problem: hides.problem } }]];
}

/** Reads the tree of `tip`, with what `before` already knows. Throws WorldError for a registry it may not judge. */
export async function readTree(of: Reading, tip: string, before: TreeCache | null): Promise<TreeCache> {
  const listed = await listTree(of.repository, tip);
  const hidden = new Map(listed.flatMap(({ path, oid, kind }) => damageOf(hiding(path, kind), oid)));
  const wanted = listed.filter(
    ({ path, kind }) => kind === 'file' && !hidden.has(path) && (path === META_PATH || isPodPath(path)),
  );
  const read = await readFiles(of, new Map(wanted.map(({ path, oid }) => [path, oid])), before);
  const files = new Map([...read, ...hidden]);
  const tree = treeOf(files);
  const damaged = damagedPaths(tree);
  const valid = damaged.length === 0 ? { meta: null, records: new Map() } : await lastValid(of, tip, damaged);
  return {
    tip,
    paths: new Set(listed.map(({ path }) => path)),
    files,
    state: stateOf(tree, valid, of.place),
  };
}

/** The tree after our own commit: what was written need not be read again. */
export function advance(
  of: { readonly before: TreeCache | null; readonly sha256: Sha256 },
  commit: { readonly tip: string; readonly files: readonly FileChange[]; readonly state: RegistryState },
): TreeCache {
  const paths = new Set(of.before?.paths ?? []);
  const files = new Map(of.before?.files ?? []);
  for (const { path, text } of commit.files) {
    if (text === null) {
      paths.delete(path);
      files.delete(path);
      continue;
    }
    paths.add(path);
    // Its oid is not known here, so another tree that names the path reads it once more.
    if (path === META_PATH) files.set(path, { oid: '', text, parsed: null });
    else if (isPodPath(path)) files.set(path, { oid: '', text, parsed: parseRecord(path, text, of.sha256) });
  }
  return { tip: commit.tip, paths, files, state: commit.state };
}
