/** What the registry's history says of one pod: how often it ended, and whether each fence was respected. */
import { z } from 'zod';
import { runGit } from '../github-server/run-git.ts';

type Registry = { readonly folder: string };

const fenced = z.object({
  status: z.string(),
  fence: z
    .object({ holder: z.string(), rev: z.number(), at: z.coerce.date(), until: z.coerce.date() })
    .nullable(),
});
type Fenced = z.infer<typeof fenced>;

/** Rows of the ledger that tell of its end. */
export async function endsIn({ folder }: Registry, podId: string): Promise<number> {
  const { stdout } = await runGit(folder, ['ls-tree', '-r', '--name-only', 'podtrack', 'ledger/']);
  const names = stdout.split('\n').filter((name) => name !== '');
  const texts = await Promise.all(names.map((name) => runGit(folder, ['show', `podtrack:${name}`])));
  return texts.flatMap((text) => text.stdout.split('\n')).filter((line) => line.includes(`"runpod.${podId}"`))
    .length;
}

/** Its record after each change, oldest first. */
async function recordsOf({ folder }: Registry, podId: string): Promise<readonly Fenced[]> {
  const { stdout } = await runGit(folder, ['ls-tree', '-r', '--name-only', 'podtrack', 'pods/']);
  const path = stdout.split('\n').find((name) => name.endsWith(`/runpod.${podId}.json`));
  if (path === undefined) return [];
  const log = await runGit(folder, ['log', '--reverse', '--format=%H', 'podtrack', '--', path]);
  const commits = log.stdout.trim().split('\n');
  const texts = await Promise.all(commits.map((commit) => runGit(folder, ['show', `${commit}:${path}`])));
  return texts.map((text) => fenced.parse(JSON.parse(text.stdout)));
}

/** One line for each fence that was taken while somebody else's was in force. */
export async function overtakenIn(registry: Registry, podId: string): Promise<readonly string[]> {
  const records = await recordsOf(registry, podId);
  return records.flatMap(({ fence }, at) => {
    const before = records[at - 1];
    const held = before?.status === 'terminating' ? before.fence : null;
    if (fence === null || held === null || fence.holder === held.holder) return [];
    if (held.until <= fence.at) return [];
    return [`${fence.holder} took the fence that ${held.holder} held until ${held.until.toISOString()}`];
  });
}
