/** Sync: pulls the artifacts of one pod now and records what was pulled; ends nothing. */
import { filesBefore, mirrorFactsOf, type Pulled, verify } from '../domain/artifacts.ts';
import { type Choice, sameChoice } from '../domain/choice.ts';
import { Refusal } from '../domain/errors.ts';
import type { PodRecord } from '../domain/pod.ts';
import type { PullSpec, World } from '../ports.ts';
import { saysUnverified } from './ending/save-artifacts.ts';
import { findRecord, mustOwn } from './find-record.ts';
import type { OwnerAct } from './move-deadline.ts';
import { withSession } from './shown-pod.ts';
import { settleBase } from './watch/settle.ts';

export type SyncInput = OwnerAct & {
  /** Instead of the record's choice of files; null = the record's. */
  readonly choice: Choice | null;
  /** A folder that the caller owns; null = `<mirror root>/<pod id>`. */
  readonly localPath: string | null;
  readonly budgetMs: number;
  readonly onProgress: NonNullable<PullSpec['onProgress']>;
};

export type Synced = {
  readonly record: PodRecord;
  readonly pulled: Pulled;
  /** Why the copy does not count as verified; null = it does. */
  readonly unverified: string | null;
  /** False for another choice than the record's: its count says nothing about the next mirror. */
  readonly recorded: boolean;
};

/** Throws a Refusal when no artifacts were declared, WorldError when the pull failed; the old copy then stays. */
export async function sync(world: World, input: SyncInput): Promise<Synced> {
  const { record } = await findRecord(world, input.podId);
  mustOwn(record, input.owner, 'Syncing');
  const { remotePath } = record.artifacts;
  if (remotePath === null) {
    throw new Refusal('no-artifacts', {
      tried: `Syncing ${record.id}`,
      cameBack: 'it was registered without artifacts',
      state: 'Nothing was pulled and nothing was changed',
      next: 'Register it again with --remote-path if there is something to save',
    });
  }
  const { localPath, budgetMs, onProgress } = input;
  const choice = input.choice ?? record.artifacts.choice;
  const spec: PullSpec = { podId: record.id, remotePath, choice, localPath, budgetMs, onProgress };
  const pulled = await withSession(world, record, (session) => world.mirror.pull(session, spec));
  const before = filesBefore(record.lastMirror, choice);
  const judged = verify({ pulled, later: pulled.remote, before, allowEmpty: record.artifacts.allowEmpty });
  const unverified = judged.kind === 'verified' ? null : saysUnverified(judged);
  const recorded = sameChoice(choice, record.artifacts.choice);
  if (recorded) {
    const mirror = mirrorFactsOf(pulled, unverified === null, choice);
    await world.registry.submit([{ ...settleBase(world, input.acting, record), mirror }]);
  }
  return { record, pulled, unverified, recorded };
}
