/** Replaces the state branch: one commit without parent, by the lease of the last read. */
import { sweepText } from '../../domain/registry/files.ts';
import { SWEEP_PATH } from '../../domain/registry/layout.ts';
import type { SweepState } from '../../domain/registry/sweep.ts';
import { type GitOutcome, judgePush } from './outcome.ts';
import { askTips, makeCommit, pushRefs, tipsOf } from './repository.ts';
import type { Session } from './session.ts';
import { dropStaleLocks } from './stale-locks.ts';
import { withScratch } from './with-scratch.ts';
import { writeRefused } from './write.ts';

const MESSAGE = 'state of the last sweep\n\n[skip ci]\n';

/** Whether the branch has come to `oid` although the answer was lost, or the request was sent twice by curl. */
async function stands(session: Session, oid: string): Promise<boolean> {
  const answer = await askTips(await session.open(), session.refs);
  return answer.exitCode === 0 && tipsOf(answer, session.refs).state === oid;
}

/** False = somebody else has replaced it since the last read: his sweep is the newer one. */
export function saveSweep(session: Session, sweep: SweepState): Promise<boolean> {
  return withScratch(session, () => replaceState(session, sweep));
}

async function push(session: Session, oid: string): Promise<GitOutcome> {
  const move = { ref: session.refs.state, oid, lease: session.stateTip ?? null };
  const answer = await pushRefs(await session.open(), [move]);
  return judgePush({ ...answer, stdout: answer.stdout.toString('utf8') }, session.refs.state);
}

async function replaceState(session: Session, sweep: SweepState): Promise<boolean> {
  const repository = await session.open();
  const files = [{ path: SWEEP_PATH, text: sweepText(sweep) }];
  const oid = await makeCommit(repository, {
    parent: null,
    files,
    message: MESSAGE,
    at: session.clock.now(),
  });
  let outcome = await push(session, oid);
  if (outcome.kind === 'locked' && dropStaleLocks(session)) outcome = await push(session, oid);
  if (outcome.kind === 'final') throw writeRefused(session, outcome);
  const saved = outcome.kind === 'done' || (await stands(session, oid));
  if (!saved) return false;
  session.stateTip = oid;
  session.seen.add(oid);
  return true;
}
