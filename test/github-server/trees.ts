/** Trees and commits as bytes: parsed, changed and written. */
import type { Objects } from './objects.ts';

/** `mode` as git writes it: 100644, 40000, 120000, … */
export type TreeEntry = { readonly name: string; readonly mode: string; readonly oid: string };

/** `oid: null` removes the path. */
export type TreeChange = { readonly path: string; readonly mode: string; readonly oid: string | null };

const FOLDER = '40000';

export function parseTree(body: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(32, at);
    const end = body.indexOf(0, space);
    entries.push({
      mode: body.subarray(at, space).toString('utf8'),
      name: body.subarray(space + 1, end).toString('utf8'),
      oid: body.subarray(end + 1, end + 21).toString('hex'),
    });
    at = end + 21;
  }
  return entries;
}

function treeBytes(entries: readonly TreeEntry[]): Buffer {
  const sortName = ({ name, mode }: TreeEntry): Buffer => Buffer.from(mode === FOLDER ? `${name}/` : name);
  const sorted = [...entries].sort((left, right) => Buffer.compare(sortName(left), sortName(right)));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
}

export async function entriesOf(objects: Objects, tree: string): Promise<readonly TreeEntry[]> {
  // Behind a colon everything is a path, `^{tree}` too.
  const read = await objects.read(tree.includes(':') ? tree : `${tree}^{tree}`);
  return read?.kind === 'tree' ? parseTree(read.body) : [];
}

/** The oid of the changed tree; null = nothing is left in it. */
async function changed(objects: Objects, base: string | null, changes: readonly TreeChange[]) {
  const entries = new Map<string, TreeEntry>();
  if (base !== null) for (const entry of await entriesOf(objects, base)) entries.set(entry.name, entry);
  const below = new Map<string, TreeChange[]>();
  for (const { path, mode, oid } of changes) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length > 0) {
      below.set(name, [...(below.get(name) ?? []), { path: rest.join('/'), mode, oid }]);
    } else if (oid === null) entries.delete(name);
    else entries.set(name, { name, mode, oid });
  }
  for (const [name, inner] of below) {
    const before = entries.get(name);
    const oid: string | null = await changed(objects, before?.mode === FOLDER ? before.oid : null, inner);
    if (oid === null) entries.delete(name);
    else entries.set(name, { name, mode: FOLDER, oid });
  }
  return entries.size === 0 ? null : objects.write('tree', treeBytes([...entries.values()]));
}

export async function changeTree(
  objects: Objects,
  base: string | null,
  changes: readonly TreeChange[],
): Promise<string> {
  return (await changed(objects, base, changes)) ?? objects.write('tree', Buffer.alloc(0));
}

export type CommitRead = {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Epoch seconds. */
  readonly committedAtS: number;
};

export async function readCommit(objects: Objects, name: string): Promise<CommitRead | null> {
  const read = await objects.read(name);
  if (read === null || read.kind !== 'commit') return null;
  const text = read.body.toString('utf8');
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const values = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    oid: read.oid,
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    message: text.slice(end + 2),
    committedAtS: Number(/> (\d+) /.exec(values('committer')[0] ?? '')?.[1] ?? 0),
  };
}

export function writeCommit(
  objects: Objects,
  commit: { tree: string; parents: readonly string[]; message: string; at: number },
): string {
  const seconds = Math.floor(commit.at / 1000);
  const head = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author github-actions[bot] <github-actions[bot]@users.noreply.github.example> ${seconds} +0000`,
    `committer GitHub <noreply@github.example> ${seconds} +0000`,
  ];
  return objects.write('commit', Buffer.from(`${head.join('\n')}\n\n${commit.message}`));
}
