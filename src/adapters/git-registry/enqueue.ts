/** Puts ops into the queue: one commit under a ref of its own, for which nobody races. */

import type { RegistryOp } from '../../domain/registry/ops.ts';
import { planQueue } from '../../domain/registry/queue.ts';
import {
  QUEUE_PATH,
  QUEUE_PREFIXES,
  queuedMessage,
  queuedText,
  queueId,
} from '../../domain/registry/queue-entry.ts';
import { foreignRegistry } from '../../domain/registry/read-errors.ts';
import { isForeign } from '../../domain/registry/view.ts';
import type { Submitted } from '../../ports.ts';
import { look } from './look.ts';
import { type GitOutcome, judgePush } from './outcome.ts';
import { queueRefsOf } from './queue-refs.ts';
import { askQueue, makeCommit, pushRefs } from './repository.ts';
import type { Session } from './session.ts';
import { withScratch } from './with-scratch.ts';
import { gaveUp, writeRefused } from './write.ts';

const TRIES = 3;

type Entry = { readonly ref: string; readonly oid: string };

/** Whether the entry lies there although the answer was lost, or the request was sent twice by curl. */
async function stands(session: Session, { ref, oid }: Entry): Promise<boolean> {
  const answer = await askQueue(await session.open());
  return answer.exitCode === 0 && queueRefsOf(answer).some((each) => each.ref === ref && each.oid === oid);
}

async function putAt(session: Session, entry: Entry): Promise<GitOutcome> {
  for (let tries = 1; ; tries += 1) {
    const answer = await pushRefs(await session.open(), [{ ...entry, lease: null }]);
    const outcome = judgePush({ ...answer, stdout: answer.stdout.toString('utf8') }, entry.ref);
    if (outcome.kind === 'done' || outcome.kind === 'final') return outcome;
    if (await stands(session, entry)) return { kind: 'done' };
    if (tries >= TRIES) return outcome;
    await session.clock.sleep(session.backoffMs(tries));
  }
}

/** A forge may refuse refs outside its branches: then the entry is a branch. */
async function put(session: Session, registryId: string, ops: readonly RegistryOp[]): Promise<void> {
  const now = session.clock.now();
  const draft = { files: [{ path: QUEUE_PATH, text: queuedText(registryId, ops) }], at: now };
  const oid = await makeCommit(await session.open(), { ...draft, parent: null, message: queuedMessage(ops) });
  const id = queueId(ops, now, session.sha256);
  let outcome: GitOutcome = { kind: 'done' };
  for (const prefix of QUEUE_PREFIXES) {
    outcome = await putAt(session, { ref: `${prefix}${id}`, oid });
    if (outcome.kind !== 'final') break;
  }
  if (outcome.kind === 'final') throw writeRefused(session, outcome);
  if (outcome.kind !== 'done') throw gaveUp(session, outcome, TRIES);
}

/** Throws WorldError where the ops could not be queued either. */
export async function enqueue(session: Session, ops: readonly RegistryOp[]): Promise<Submitted> {
  const { tree, queue } = await look(session);
  if (tree === null) throw gaveUp(session, { kind: 'lost-race', why: 'there is no registry yet' }, 0);
  const { meta } = tree.state;
  if (isForeign(meta, session.repository)) throw foreignRegistry(session.remote.place);
  const planned = planQueue(tree.state, queue, { ops, now: session.clock.now() });
  const { state, results } = planned;
  if (planned.ops.length > 0) await withScratch(session, () => put(session, meta.registryId, planned.ops));
  return { state, version: tree.tip, results };
}
