/** Puts a finished copy in the place of the last one, whole; what is not ours is set aside, never deleted. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Manifest } from '../../../domain/artifacts.ts';
import { type Choice, choice, sameChoice } from '../../../domain/choice.ts';
import { type Layout, leftAside, ownName, unverifiedFolder } from './layout.ts';
import type { Refused } from './listing.ts';
import { localTree } from './local-tree.ts';
import { bytesOf, nameOf } from './names.ts';

/** What is written beside a promoted copy. */
export type CopyFacts = {
  readonly podId: string;
  readonly remotePath: string;
  readonly choice: Choice | null;
  /** Epoch ms. */
  readonly promotedAt: number;
  readonly digest: string;
  readonly files: Manifest['files'];
  readonly links: Manifest['links'];
  readonly moving: readonly string[];
  readonly refused: readonly Refused[];
};

/** Names stand in base64 where they are no text. */
const nameText = z.union([z.string(), z.strictObject({ base64: z.string() })]);
const written = z.object({
  schemaVersion: z.literal(1),
  choice: choice.nullable().default(null),
  files: z.array(z.object({ path: nameText, size: z.number(), sha256: z.string() })),
  links: z.array(z.object({ path: nameText, target: nameText })),
});

type NameText = z.infer<typeof nameText>;

function toText(name: string): NameText {
  const bytes = bytesOf(name);
  return bytes.toString('utf8') === name ? name : { base64: bytes.toString('base64') };
}

function fromText(text: NameText): string {
  return typeof text === 'string' ? text : nameOf(Buffer.from(text.base64, 'base64'));
}

function factsFile(layout: Layout): string {
  return join(layout.side, 'manifest.json');
}

function token(): string {
  return randomBytes(6).toString('hex');
}

function writeFacts(layout: Layout, facts: CopyFacts): void {
  const text = {
    schemaVersion: 1,
    ...facts,
    promotedAt: new Date(facts.promotedAt).toISOString(),
    files: facts.files.map((file) => ({ ...file, path: toText(file.path) })),
    links: facts.links.map((link) => ({ path: toText(link.path), target: toText(link.target) })),
    moving: facts.moving.map(toText),
    refused: facts.refused.map((entry) => ({ ...entry, path: toText(entry.path) })),
  };
  const fresh = join(layout.side, `manifest-${token()}`);
  writeFileSync(fresh, `${JSON.stringify(text, null, 1)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, factsFile(layout));
}

/** The last promoted copy. */
type Last = { readonly names: ReadonlySet<string>; readonly choice: Choice | null };

/** No names when its list is not there or cannot be read. */
function lastCopy(layout: Layout): Last {
  if (!existsSync(factsFile(layout))) return { names: new Set(), choice: null };
  try {
    const last = written.parse(JSON.parse(readFileSync(factsFile(layout), 'utf8')));
    const names = new Set([...last.files, ...last.links].map((entry) => fromText(entry.path)));
    return { names, choice: last.choice };
  } catch {
    // A damaged list claims nothing: what lies there is then treated as somebody else's.
    return { names: new Set(), choice: null };
  }
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}

/** Moves what stands at the target aside; null when nothing stands there. */
function setAside(layout: Layout): string | null {
  const aside = join(layout.side, ownName('old'));
  try {
    renameSync(layout.target, aside);
    return aside;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Sets a fuller copy beside, in place of an earlier one that was less full. Null when the earlier one is better. */
function keepFuller(layout: Layout, aside: string, count: number): string | null {
  const previous = join(layout.side, 'previous');
  if (localTree(previous).files.size > count) return null;
  rmSync(previous, { recursive: true, force: true });
  renameSync(aside, previous);
  return previous;
}

/** What becomes of the copy before. Only what podtrack itself had put there is ever deleted. */
function dispose(layout: Layout, aside: string, last: Last, next: CopyFacts): string | null {
  const tree = localTree(aside);
  const names = [...tree.files.keys(), ...tree.links.keys(), ...tree.others];
  const foreign = names.filter((name) => !last.names.has(name));
  const count = next.files.length;
  if (foreign.length > 0) {
    const kept = join(layout.side, `kept-${token()}`);
    renameSync(aside, kept);
    return `${foreign.length} file(s) that podtrack had not put there are now in ${kept}`;
  }
  if (tree.files.size > count) {
    // Fewer files than before may be a loss on the pod.
    const previous = keepFuller(layout, aside, tree.files.size);
    if (previous !== null) {
      const now = next.choice === null ? 'the pod holds' : 'the choice holds';
      return `${now} ${count} files, the copy before had ${tree.files.size}; that one is now in ${previous}`;
    }
  }
  if (!sameChoice(last.choice, next.choice) && lacks(next, names)) {
    // What nobody chose this time was a good copy all the same.
    const kept = join(layout.side, `kept-${token()}`);
    renameSync(aside, kept);
    return `the copy before was of another choice of files; that one is now in ${kept}`;
  }
  rmSync(aside, { recursive: true, force: true });
  return null;
}

function lacks({ files, links }: CopyFacts, names: readonly string[]): boolean {
  const here = new Set([...files, ...links].map(({ path }) => path));
  return names.some((name) => !here.has(name));
}

/**
 * Renames the finished folder to the target and writes its facts. Returns what people should know about what lay
 * there before. A crash between the renames leaves the old copy beside, and `prepare` puts it back; one behind them
 * leaves it to the next pull.
 */
export function promote(layout: Layout, folder: string, facts: CopyFacts): string | null {
  const last = lastCopy(layout);
  const asides = leftAside(layout);
  for (let tries = 3; ; tries -= 1) {
    const aside = setAside(layout);
    if (aside !== null) asides.push(aside);
    try {
      renameSync(folder, layout.target);
      break;
    } catch (error) {
      // Another pull was faster between the two renames; its copy is set aside in turn.
      if (!isTaken(error) || tries <= 1) throw error;
    }
  }
  writeFacts(layout, facts);
  rmSync(unverifiedFolder(layout), { recursive: true, force: true });
  return disposeAll(layout, asides, last, facts);
}

function disposeAll(layout: Layout, asides: readonly string[], last: Last, facts: CopyFacts): string | null {
  const told = asides.map((aside) => dispose(layout, aside, last, facts));
  return told.filter((line) => line !== null).join('; ') || null;
}

/** For a copy that needs no promotion: ends what a process that died behind the second rename had left to do. */
export function endPromotion(layout: Layout, facts: CopyFacts): string | null {
  const asides = leftAside(layout);
  if (asides.length === 0) return null;
  const last = lastCopy(layout);
  writeFacts(layout, facts);
  return disposeAll(layout, asides, last, facts);
}

/** Keeps the complete files of a pull that failed, under a name that says what they are. Null when there are none. */
export function keepUnverified(layout: Layout, folder: string, complete: number): string | null {
  const kept = unverifiedFolder(layout);
  if (!existsSync(folder)) return null;
  if (complete === 0) {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  rmSync(kept, { recursive: true, force: true });
  renameSync(folder, kept);
  return kept;
}
