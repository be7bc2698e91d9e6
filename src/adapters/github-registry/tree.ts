/** What is known of one tree of the registry branch; of the next one only the changed files are read. */
import { createHash } from 'node:crypto';
import type { PodRecord } from '../../domain/pod.ts';
import type { FileChange } from '../../domain/registry/commit.ts';
import { type Parsed, parseMeta, parseRecord } from '../../domain/registry/files.ts';
import {
  hiding,
  isPodPath,
  META_PATH,
  mayHoldRecord,
  type TreeEntryKind,
} from '../../domain/registry/layout.ts';
import type { RegistryState } from '../../domain/registry/state.ts';
import { damagedPaths, type LastValid, stateOf, type TreeRead } from '../../domain/registry/view.ts';
import { query } from './ask.ts';
import {
  type BlobText,
  blobsQuery,
  blobsShape,
  type Entry,
  type RegistryTip,
  VERSIONS,
  versionsShape,
} from './queries.ts';
import type { Session } from './session.ts';
import { unreadable } from './trouble.ts';

type CachedFile = { readonly oid: string; readonly text: string; readonly parsed: Parsed<PodRecord> | null };

export type TreeCache = {
  readonly tip: string;
  /** The tree's own oid, upon which REST builds. */
  readonly tree: string;
  /** Every path of the root and of the records. */
  readonly paths: ReadonlySet<string>;
  /** Records and meta.json, by path. */
  readonly files: ReadonlyMap<string, CachedFile>;
  readonly state: RegistryState;
};

type Listed = {
  readonly paths: ReadonlySet<string>;
  /** Path → oid, and the text where it came along. */
  readonly wanted: ReadonlyMap<string, { readonly oid: string; readonly text: BlobText | null }>;
  /** What stands where records should lie and hides them. */
  readonly hidden: ReadonlyMap<string, string>;
};

/** Files per query: GitHub gives up a query that takes ten seconds. */
const BLOBS_AT_ONCE = 200;

const kindOf = ({ type, mode }: Entry): TreeEntryKind =>
  type === 'commit' ? 'module' : mode === 0o120000 ? 'link' : 'file';
const isFile = (of: Entry): boolean => of.type === 'blob' && kindOf(of) === 'file';

function list(tip: RegistryTip): Listed {
  const paths = new Set(tip.tree.entries.map(({ name }) => name));
  const wanted = new Map<string, { oid: string; text: BlobText | null }>();
  const hidden = new Map<string, string>();
  const hide = (path: string, kind: TreeEntryKind): boolean => {
    const told = hiding(path, kind);
    if (told !== null) hidden.set(told.path, told.problem);
    return told !== null;
  };
  if (tip.meta !== null && isFile(tip.meta))
    wanted.set(META_PATH, { oid: tip.meta.oid, text: tip.meta.object });
  const take = (path: string, of: Entry & { object?: BlobText | null | undefined }): void => {
    paths.add(path);
    // Its files are not listed here.
    if (of.type === 'tree') hidden.set(path, 'a folder where a record should lie');
    else if (!hide(path, kindOf(of)) && isPodPath(path))
      wanted.set(path, { oid: of.oid, text: of.object ?? null });
  };
  for (const entry of tip.tree.entries)
    if (entry.name === 'pods' && entry.type !== 'tree') take('pods', entry);
  for (const shard of tip.pods?.object?.entries ?? []) {
    const path = `pods/${shard.name}`;
    if (shard.object === null) take(path, { ...shard, object: null });
    for (const file of shard.object?.entries ?? []) take(`${path}/${file.name}`, file);
  }
  return { paths, wanted, hidden };
}

/** A record is damaged long before its text is cut, so a cut text needs no second question. */
async function textsOf(session: Session, oids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (let from = 0; from < oids.length; from += BLOBS_AT_ONCE) {
    const part = oids.slice(from, from + BLOBS_AT_ONCE);
    const { repository } = await query(session, blobsQuery(part), {}, blobsShape);
    for (const [index, oid] of part.entries()) {
      const blob = repository[`b${index}`] ?? null;
      if (blob === null)
        throw unreadable(session.place, { kind: 'lost-race', why: 'a file was replaced meanwhile' });
      texts.set(oid, blob.text ?? '');
    }
  }
  return texts;
}

async function readFiles(session: Session, { wanted }: Listed, before: TreeCache | null) {
  const missing = [...wanted].flatMap(([path, { oid, text }]) =>
    text === null && before?.files.get(path)?.oid !== oid ? [oid] : [],
  );
  const texts = await textsOf(session, [...new Set(missing)]);
  const files = new Map<string, CachedFile>();
  for (const [path, { oid, text: came }] of wanted) {
    const known = before?.files.get(path);
    if (known?.oid === oid) files.set(path, known);
    else {
      const text = came === null ? (texts.get(oid) ?? '') : (came.text ?? '');
      files.set(path, {
        oid,
        text,
        parsed: path === META_PATH ? null : parseRecord(path, text, session.sha256),
      });
    }
  }
  return files;
}

function treeRead(files: ReadonlyMap<string, CachedFile>, hidden: Listed['hidden']): TreeRead {
  const meta = files.get(META_PATH);
  const pods = [...files].flatMap(([path, { parsed }]) => (parsed === null ? [] : [{ path, parsed }]));
  const hiders = [...hidden].map(([path, problem]) => {
    const parsed: Parsed<PodRecord> = { kind: 'damaged', problem };
    return { path, parsed };
  });
  return { meta: meta === undefined ? null : parseMeta(meta.text), pods: [...pods, ...hiders] };
}

/** The newest version of `path` below `tip` that `parse` takes; null = none of the last fifty. */
async function newestValid<T>(
  session: Session,
  file: { readonly tip: string; readonly path: string },
  parse: (text: string) => Parsed<T>,
): Promise<T | null> {
  const { repository } = await query(session, VERSIONS, file, versionsShape);
  for (const { file: version } of repository.object.history.nodes) {
    const text = version?.object?.text ?? null;
    const parsed = text === null ? null : parse(text);
    if (parsed?.kind === 'whole') return parsed.value;
  }
  return null;
}

async function lastValid(session: Session, tip: string, paths: readonly string[]): Promise<LastValid> {
  const records = new Map<string, PodRecord>();
  for (const path of paths.filter(mayHoldRecord)) {
    const parse = (text: string): Parsed<PodRecord> => parseRecord(path, text, session.sha256);
    const record = await newestValid(session, { tip, path }, parse);
    if (record !== null) records.set(path, record);
  }
  const meta = paths.includes(META_PATH)
    ? await newestValid(session, { tip, path: META_PATH }, parseMeta)
    : null;
  return { meta, records };
}

/** The tree that `tip` lists, with what is known already. Throws WorldError for a registry it may not judge. */
export async function readTree(session: Session, tip: RegistryTip): Promise<TreeCache> {
  const listed = list(tip);
  const files = await readFiles(session, listed, session.tree);
  const tree = treeRead(files, listed.hidden);
  const damaged = damagedPaths(tree);
  const valid =
    damaged.length === 0 ? { meta: null, records: new Map() } : await lastValid(session, tip.oid, damaged);
  const state = stateOf(tree, valid, session.place);
  return { tip: tip.oid, tree: tip.tree.oid, paths: listed.paths, files, state };
}

/** git's own name of a file, so that what we wrote is known when it is listed. */
function blobOid(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');
}

/** The tree after our own commit: what was written need not be read again. */
export function advance(
  session: Session,
  before: TreeCache | null,
  commit: {
    readonly tip: string;
    readonly tree: string;
    readonly files: readonly FileChange[];
    readonly state: RegistryState;
  },
): TreeCache {
  const paths = new Set(before?.paths ?? []);
  const files = new Map(before?.files ?? []);
  for (const { path, text } of commit.files) {
    if (text === null) {
      paths.delete(path);
      files.delete(path);
      continue;
    }
    paths.add(path);
    const oid = blobOid(text);
    if (path === META_PATH) files.set(path, { oid, text, parsed: null });
    else if (isPodPath(path)) files.set(path, { oid, text, parsed: parseRecord(path, text, session.sha256) });
  }
  return { tip: commit.tip, tree: commit.tree, paths, files, state: commit.state };
}
