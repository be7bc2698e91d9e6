/** Whether a tip that is no ancestor any more lies in what a compaction has archived: by trailer, archive ref and records. */
import { z } from 'zod';
import { ARCHIVE_PREFIX, type Compaction, readCompaction } from '../../domain/registry/compaction.ts';
import { query, settled } from './ask.ts';
import { commitsBelow } from './history.ts';
import { refSha } from './queries.ts';
import type { Session } from './session.ts';

/** A compaction that nobody has noticed for longer is looked at by a person. */
const FAR_BACK = 500;
const MOST_EPOCHS = 20;

const FOLDERS = `query Folders($owner: String!, $name: String!, $left: String!, $right: String!) {
  repository(owner: $owner, name: $name) { left: object(expression: $left) { oid } right: object(expression: $right) { oid } }
}`;
const folder = z.object({ oid: z.string() }).nullable();
const foldersShape = z.object({ repository: z.object({ left: folder, right: folder }) });

type Beginning = Compaction & { readonly root: string };

/** What the first commit below `tip` says; null = no compaction, or too far back to look. */
async function beginning(session: Session, tip: string): Promise<Beginning | null> {
  let passed = 0;
  let last: { readonly oid: string; readonly message: string } | null = null;
  for await (const commit of commitsBelow(session, { tip, path: null })) {
    last = commit;
    passed += 1;
    if (passed > FAR_BACK) return null;
  }
  const said = last === null ? null : readCompaction(last.message);
  return said === null || last === null ? null : { ...said, root: last.oid };
}

async function holds(session: Session, { epoch, previous, root }: Beginning): Promise<boolean> {
  const ref = `${ARCHIVE_PREFIX}${epoch}`.replace(/^refs\//, '');
  const outcome = await settled(session, () =>
    session.api.rest('GET', `/repos/${session.name}/git/ref/${ref}`),
  );
  const read = outcome.kind === 'done' ? refSha.safeParse(outcome.body) : null;
  if (read?.success !== true || read.data.object.sha !== previous) return false;
  const sides = { left: `${root}:pods`, right: `${previous}:pods` };
  const { repository } = await query(session, FOLDERS, sides, foldersShape);
  return repository.left?.oid === repository.right?.oid;
}

/** The archived tips before `tip`, newest first. Throws WorldError `registry-unreadable`. */
export async function archivedBefore(session: Session, tip: string): Promise<readonly string[]> {
  const tips: string[] = [];
  for (let last = tip, epoch = Number.POSITIVE_INFINITY; tips.length < MOST_EPOCHS; ) {
    const said = await beginning(session, last);
    if (said === null || said.epoch >= epoch || !(await holds(session, said))) return tips;
    tips.push(said.previous);
    last = said.previous;
    epoch = said.epoch;
  }
  return tips;
}
