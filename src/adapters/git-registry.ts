/** RegistryStore over any git remote: plumbing in a scratch repository, compare-and-swap by push with a lease. */
import { parseMessage } from '../domain/registry/message.ts';
import { foldAll } from '../domain/registry/queue.ts';
import { foreignRegistry, newerSchema } from '../domain/registry/read-errors.ts';
import { emptyRegistry } from '../domain/registry/state.ts';
import { emptySweep, type SweepState } from '../domain/registry/sweep.ts';
import { cautionsOf, isForeign, usableSweep } from '../domain/registry/view.ts';
import type { HistoryEntry, RegistryStore, Snapshot } from '../ports.ts';
import { fetchWhole } from './git-registry/depth.ts';
import { enqueue } from './git-registry/enqueue.ts';
import { look } from './git-registry/look.ts';
import { readLog } from './git-registry/repository.ts';
import { saveSweep } from './git-registry/save-sweep.ts';
import { type GitRegistryOptions, newSession, type Session } from './git-registry/session.ts';
import { withScratch } from './git-registry/with-scratch.ts';
import { write } from './git-registry/write.ts';
import { inTurns } from './registry-turns.ts';

async function read(session: Session): Promise<Snapshot> {
  const { tree, queue, sweep, stateTip, lostTips } = await look(session, 'queue-first');
  if (sweep?.kind === 'newer') throw newerSchema(session.remote.place, 'the state branch', sweep.version);
  session.stateTip = stateTip;
  if (tree === null) {
    const state = emptyRegistry(session.newRegistryId, session.repository, session.clock.now());
    return { state, queued: 0, version: null, sweep: emptySweep(session.newRegistryId), caution: [] };
  }
  const { tip } = tree;
  const { registryId } = tree.state.meta;
  const { state, unreadable } = foldAll(tree.state, queue, session.clock.now());
  const { repository } = session;
  return {
    state,
    queued: queue.length,
    version: tip,
    sweep: usableSweep(sweep, registryId) ?? emptySweep(registryId),
    caution: cautionsOf({ state, sweep, lostTips, tip, repository, unreadable }),
  };
}

async function save(session: Session, sweep: SweepState): Promise<boolean> {
  if (session.stateTip === undefined) await read(session);
  const meta = session.tree?.state.meta;
  if (meta !== undefined && isForeign(meta, session.repository)) throw foreignRegistry(session.remote.place);
  return saveSweep(session, sweep);
}

/** `Podtrack-Pod` trailers hold `<provider>.<id>`; a bare id is looked for as RunPod's. */
async function history(session: Session, filter: { readonly pod?: string; readonly limit: number }) {
  const { tree } = await look(session);
  if (tree === null) return [];
  const key = filter.pod === undefined || filter.pod.includes('.') ? filter.pod : `runpod.${filter.pod}`;
  const grep = key === undefined ? null : `^Podtrack-Pod: ${key.replace(/[^A-Za-z0-9_-]/g, '[$&]')}$`;
  const repository = await session.open();
  await fetchWhole(repository, session.refs.registry);
  const entries = await readLog(repository, tree.tip, { grep, limit: filter.limit });
  const told = entries.map(
    ({ oid, at, message }): HistoryEntry => ({ version: oid, at, ...parseMessage(message) }),
  );
  const ours = ({ trailers }: HistoryEntry): boolean =>
    key === undefined || trailers.some(([name, value]) => name === 'Podtrack-Pod' && value === key);
  return told.filter(ours).reverse();
}

/**
 * The registry on a branch of any git remote: a bare folder, or a URL of http(s) or ssh.
 *
 * `read` asks the remote for both tips and fetches what is new: at first the newest commits alone, and more of the
 * history only where the rewind check, a damaged file or `history` ask for it. `submit` builds one commit upon the tip it knows and pushes it with `--force-with-lease` of that tip;
 * ops that wait meanwhile go into the next commit together. A lost race applies the same ops to what is there
 * now; an unclear answer is read back first. 6 tries or 120 s, waits by `clock` with full jitter.
 *
 * `probeWrite` makes a commit that only counts `seq` up, on the registry branch itself: only the real branch
 * meets the rules, hooks and protections that a later write will meet. It is left out when this store has written
 * before. Errors of every method: ConfigError (address), WorldError as the port says. Facts: docs/facts/git.md.
 */
export function gitRegistry(options: GitRegistryOptions): RegistryStore {
  const session = newSession(options);
  return inTurns({
    place: session.remote.place,
    read: () => read(session),
    write: (ops) => write(session, { ops, proof: null }),
    enqueue: (ops) => enqueue(session, ops),
    notice: options.notice ?? (() => undefined),
    saveSweep: (sweep) => save(session, sweep),
    history: (filter) => withScratch(session, () => history(session, filter)),
    async probeWrite() {
      if (!session.hasWritten)
        await write(session, { ops: [], proof: 'prove that the registry may be written' });
    },
  });
}
