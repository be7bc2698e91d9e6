/** Whether the branch still descends from a tip that was seen before. */
import { z } from 'zod';
import { archivedBefore } from './archived.ts';
import { settled } from './ask.ts';
import type { RegistryTip } from './queries.ts';
import type { Session } from './session.ts';
import { unreadable } from './trouble.ts';

const OID = /^[0-9a-f]{40,64}$/;
const compared = z.looseObject({ status: z.enum(['ahead', 'behind', 'identical', 'diverged']) });

/** In the branch or in what was archived before it. Throws WorldError `registry-unreadable`. */
async function isAncestor(session: Session, ancestor: string, tip: RegistryTip): Promise<boolean> {
  if (ancestor === tip.oid || session.ancestors.get(ancestor) === tip.oid) return true;
  if (!OID.test(ancestor)) return false;
  if (tip.history.nodes.some(({ oid }) => oid === ancestor)) return true;
  if (await descends(session, tip.oid, ancestor)) return true;
  for (const before of await archivedBefore(session, tip.oid)) {
    if (before === ancestor || (await descends(session, before, ancestor))) return true;
  }
  return false;
}

/** False also where GitHub knows no such commit any more. */
async function descends(session: Session, tip: string, ancestor: string): Promise<boolean> {
  const path = `/repos/${session.name}/compare/${ancestor}...${tip}?per_page=1`;
  const outcome = await settled(session, () => session.api.rest('GET', path));
  if (outcome.kind === 'missing') return false;
  if (outcome.kind !== 'done') throw unreadable(session.place, outcome);
  const read = compared.safeParse(outcome.body);
  if (!read.success)
    throw unreadable(session.place, { kind: 'ambiguous', why: 'two commits were not compared' });
  return read.data.status === 'ahead' || read.data.status === 'identical';
}

/** Tips of before that `tip` does not descend from: what this process saw, and what the last sweep saw. */
export async function findLost(
  session: Session,
  tip: RegistryTip,
  sweptTip: string | null,
): Promise<readonly string[]> {
  for (const seen of new Set([...session.lost, session.lastTip, sweptTip])) {
    if (seen === null) continue;
    if (await isAncestor(session, seen, tip)) {
      session.ancestors.set(seen, tip.oid);
      session.lost.delete(seen);
    } else session.lost.add(seen);
  }
  return [...session.lost];
}
