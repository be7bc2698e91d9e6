/** Refs of a bare repository: moved by git's own transaction, read with the lag of a replica. */
import type { Objects } from './objects.ts';
import { runGit } from './run-git.ts';

export type RefMove = {
  readonly ref: string;
  /** null = must not exist; undefined = whatever it is. */
  readonly before: string | null | undefined;
  /** null = deleted. */
  readonly after: string | null;
};

export type Refs = {
  /** As the primary knows it. */
  now(ref: string): Promise<string | null>;
  /** As a replica may still show it. */
  seen(ref: string): Promise<string | null>;
  below(prefix: string): Promise<readonly { readonly ref: string; readonly oid: string }[]>;
  /** All of them or none; null = done, else what git said. */
  move(moves: readonly RefMove[]): Promise<string | null>;
};

const NONE = '0'.repeat(40);

function line({ ref, before, after }: RefMove): string {
  const lease = before === undefined ? '' : ` ${before ?? NONE}`;
  return after === null ? `delete ${ref}${lease}\n` : `update ${ref} ${after}${lease}\n`;
}

/** `lag()` reads of a moved ref still see what it was before. */
export function openRefs(folder: string, objects: Objects, lag: () => number): Refs {
  const late = new Map<string, { readonly oid: string | null; left: number }>();
  const now = async (ref: string): Promise<string | null> => (await objects.read(ref))?.oid ?? null;
  return {
    now,
    async seen(ref) {
      const old = late.get(ref);
      if (old === undefined || old.left <= 0) return now(ref);
      old.left -= 1;
      return old.oid;
    },
    async below(prefix) {
      const { stdout } = await runGit(folder, ['for-each-ref', '--format=%(objectname) %(refname)']);
      return stdout
        .split('\n')
        .map((each) => ({ oid: each.slice(0, 40), ref: each.slice(41) }))
        .filter(({ ref }) => ref.startsWith(prefix) && ref !== '');
    },
    async move(moves) {
      const old = await Promise.all(moves.map(async ({ ref }) => [ref, await now(ref)] as const));
      const { exitCode, stderr } = await runGit(folder, ['update-ref', '--stdin'], moves.map(line).join(''));
      if (exitCode !== 0) return stderr.trim();
      for (const [ref, oid] of old) if (lag() > 0) late.set(ref, { oid, left: lag() });
      return null;
    },
  };
}
