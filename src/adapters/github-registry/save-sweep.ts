/** Replaces the state branch: one commit without parent, by the lease of the last read. */
import { sweepText } from '../../domain/registry/files.ts';
import { SWEEP_PATH } from '../../domain/registry/layout.ts';
import type { SweepState } from '../../domain/registry/sweep.ts';
import type { Answer } from '../github-api.ts';
import { settled } from './ask.ts';
import { makeCommit } from './commit.ts';
import { judge, type Outcome } from './outcome.ts';
import { refSha } from './queries.ts';
import { moveRefs } from './queue-refs.ts';
import type { Session } from './session.ts';
import { writeRefused } from './trouble.ts';

const MESSAGE = 'state of the last sweep\n\n[skip ci]\n';

async function stateNow(session: Session): Promise<string | null> {
  const path = `/repos/${session.name}/git/ref/heads/${session.branch}-state`;
  const outcome = await settled(session, () => session.api.rest('GET', path));
  const read = outcome.kind === 'done' ? refSha.safeParse(outcome.body) : null;
  return read?.success === true ? read.data.object.sha : null;
}

async function ask(session: Session, call: Promise<Answer>): Promise<Outcome> {
  return judge(await call, session.clock.now());
}

/** Without updateRefs nothing compares for us: between the look and the move a sweep may get lost, which costs strikes only. */
async function byGitData(session: Session, lease: string | null, oid: string): Promise<Outcome> {
  const refs = `/repos/${session.name}/git/refs`;
  if (lease === null)
    return ask(session, session.api.rest('POST', refs, { ref: session.refs.state, sha: oid }));
  if ((await stateNow(session)) !== lease)
    return { kind: 'lost-race', why: 'the state was replaced meanwhile' };
  const path = `${refs}/heads/${session.branch}-state`;
  return ask(session, session.api.rest('PATCH', path, { sha: oid, force: true }));
}

async function move(session: Session, lease: string | null, oid: string): Promise<Outcome> {
  if (session.knowsMutations && session.nodeId !== null) {
    const update = { ref: session.refs.state, before: lease, after: oid, force: true };
    const outcome = await moveRefs(session, [update]);
    if (outcome.kind !== 'unsupported') return outcome;
    session.knowsMutations = false;
  }
  return byGitData(session, lease, oid);
}

/** False = somebody else has replaced it since the last read: his sweep is the newer one. */
export async function saveSweep(session: Session, sweep: SweepState): Promise<boolean> {
  const files = [{ path: SWEEP_PATH, text: sweepText(sweep) }];
  const made = await makeCommit(session, { files, message: MESSAGE }, null);
  if (made.kind === 'final' || made.kind === 'missing') throw writeRefused(session.place, made);
  if (made.kind !== 'made') return false;
  const outcome = await move(session, session.stateTip ?? null, made.tip);
  if (outcome.kind === 'final') throw writeRefused(session.place, outcome);
  const saved = outcome.kind === 'done' || (await stateNow(session)) === made.tip;
  if (saved) session.stateTip = made.tip;
  return saved;
}
