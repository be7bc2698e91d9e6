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
import { settled } from './ask.ts';
import { makeCommit } from './commit.ts';
import { LAG_MS, look } from './look.ts';
import { parkFor } from './quota.ts';
import type { Session } from './session.ts';
import { type Failed, gaveUp, writeRefused } from './trouble.ts';

const UNSEEN: Failed = {
  kind: 'ambiguous',
  why: 'an entry of the queue was made and is not listed where every reader looks',
};

/** Whether the listing that everybody reads shows the entry: what it does not show is not queued. */
async function isListed(session: Session, ref: string): Promise<boolean> {
  for (const pauseMs of [0, ...LAG_MS]) {
    if (pauseMs > 0) await session.clock.sleep(pauseMs);
    const { queue } = await look(session);
    if (queue.some((entry) => entry.ref === ref)) return true;
  }
  return false;
}

/** null = it lies there and is seen. */
async function putAt(session: Session, ref: string, sha: string): Promise<Failed | null> {
  const path = `/repos/${session.name}/git/refs`;
  // A second try after a lost answer finds the ref made: ids are of the ops themselves.
  const outcome = await settled(session, () => session.api.rest('POST', path, { ref, sha }));
  const made = outcome.kind === 'done' || outcome.kind === 'lost-race' || outcome.kind === 'ambiguous';
  if (made && (await isListed(session, ref))) return null;
  return outcome.kind === 'done' ? UNSEEN : outcome;
}

async function put(session: Session, registryId: string, ops: readonly RegistryOp[]): Promise<void> {
  const text = queuedText(registryId, ops);
  const draft = { files: [{ path: QUEUE_PATH, text }], message: queuedMessage(ops) };
  const made = await makeCommit(session, draft, null);
  if (made.kind === 'final') throw writeRefused(session.place, made);
  if (made.kind !== 'made') throw gaveUp(session.place, made, 1);
  const id = queueId(ops, session.clock.now(), session.sha256);
  let failed: Failed | null = null;
  for (const prefix of QUEUE_PREFIXES) {
    failed = await putAt(session, `${prefix}${id}`, made.tip);
    if (failed === null) return;
    if (failed.kind === 'limited') break;
  }
  if (failed?.kind === 'final') throw writeRefused(session.place, failed);
  throw gaveUp(session.place, failed ?? UNSEEN, 1);
}

/** The queue lies behind the other quota than commits do; asking for what is left of it costs nothing. */
async function mustNotPark(session: Session): Promise<void> {
  if (session.hurry) return;
  if (!session.quotas.has('rest')) await session.api.rest('GET', '/rate_limit');
  const parked = parkFor(session.quotas, ['rest'], { now: session.clock.now(), random: 0 });
  if (parked !== null) throw gaveUp(session.place, { kind: 'limited', ...parked }, 0);
}

/** Throws WorldError where the ops could not be queued either. */
export async function enqueue(session: Session, ops: readonly RegistryOp[]): Promise<Submitted> {
  const { tree, queue } = await look(session);
  if (tree === null) throw gaveUp(session.place, { kind: 'lost-race', why: 'there is no registry yet' }, 0);
  const { meta } = tree.state;
  if (isForeign(meta, session.repository)) throw foreignRegistry(session.place);
  await mustNotPark(session);
  const planned = planQueue(tree.state, queue, { ops, now: session.clock.now() });
  if (planned.ops.length > 0) await put(session, meta.registryId, planned.ops);
  return { state: planned.state, version: tree.tip, results: planned.results };
}
