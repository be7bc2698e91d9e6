/** Looks for a commit whose answer was lost, by what its message says: GitHub makes the oid, so we do not know it. */
import type { AppliedAll } from '../../domain/registry/apply.ts';
import { parseMessage } from '../../domain/registry/message.ts';
import { commitsBelow } from './history.ts';
import type { Look } from './look.ts';
import type { Session } from './session.ts';

/** A commit that may stand in the branch, whatever its answer said. */
export type Maybe = {
  /** The tip that it was built upon; null = it was to be the first. */
  readonly base: string | null;
  readonly message: string;
  readonly results: AppliedAll['results'];
};

/** Keys and seq stand in the trailers: they are the same only for the same commit. */
function sameCommit(seen: string, sent: string): boolean {
  const [left, right] = [parseMessage(seen), parseMessage(sent)];
  return left.headline === right.headline && JSON.stringify(left.trailers) === JSON.stringify(right.trailers);
}

/** Further back than this many commits nobody's answer is still waited for. */
const FAR_BACK = 500;

async function stands(session: Session, look: Look, maybe: Maybe): Promise<boolean> {
  for (const { oid, message } of look.recent) {
    if (oid === maybe.base) return false;
    if (sameCommit(message, maybe.message)) return true;
  }
  const { tree } = look;
  if (tree === null) return false;
  let passed = 0;
  for await (const { oid, message } of commitsBelow(session, { tip: tree.tip, path: null })) {
    if (oid === maybe.base || passed > FAR_BACK) return false;
    if (sameCommit(message, maybe.message)) return true;
    passed += 1;
  }
  return false;
}

/** The first of `maybes` that stands in the branch, or null. Throws WorldError where that cannot be read. */
export async function findLanded(
  session: Session,
  look: Look,
  maybes: readonly Maybe[],
): Promise<Maybe | null> {
  for (const maybe of maybes) if (await stands(session, look, maybe)) return maybe;
  return null;
}
