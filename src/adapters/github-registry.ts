/** RegistryStore over GitHub's API: no git on this machine, compare-and-swap by the branch's expected head. */
import { isPodPath, podPath } from '../domain/registry/layout.ts';
import { parseMessage } from '../domain/registry/message.ts';
import { foldAll } from '../domain/registry/queue.ts';
import { foreignRegistry, newerSchema } from '../domain/registry/read-errors.ts';
import { emptyRegistry } from '../domain/registry/state.ts';
import { emptySweep, type SweepState } from '../domain/registry/sweep.ts';
import { cautionsOf, isForeign, usableSweep } from '../domain/registry/view.ts';
import type { HistoryEntry, RegistryStore, Snapshot } from '../ports.ts';
import { enqueue } from './github-registry/enqueue.ts';
import { commitsBelow } from './github-registry/history.ts';
import { look } from './github-registry/look.ts';
import { saveSweep } from './github-registry/save-sweep.ts';
import { type GithubRegistryOptions, newSession, type Session } from './github-registry/session.ts';
import { write } from './github-registry/write.ts';
import { inTurns } from './registry-turns.ts';

async function read(session: Session): Promise<Snapshot> {
  const { tree, queue, sweep, stateTip, lostTips } = await look(session);
  if (sweep?.kind === 'newer') throw newerSchema(session.place, 'the state branch', sweep.version);
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
  if (meta !== undefined && isForeign(meta, session.repository)) throw foreignRegistry(session.place);
  return saveSweep(session, sweep);
}

/** `Podtrack-Pod` trailers hold `<provider>.<id>`; a bare id is looked for as RunPod's. */
async function history(
  session: Session,
  filter: { readonly pod?: string; readonly limit: number },
): Promise<readonly HistoryEntry[]> {
  const { tree } = await look(session);
  if (tree === null || filter.limit <= 0) return [];
  const key = filter.pod === undefined || filter.pod.includes('.') ? filter.pod : `runpod.${filter.pod}`;
  // What is done to a pod changes its file, so GitHub need not tell the others' commits.
  const file = key === undefined ? null : podPath(key, session.sha256);
  const path = file !== null && isPodPath(file) ? file : null;
  const entries: HistoryEntry[] = [];
  for await (const { oid, message, committedDate } of commitsBelow(session, { tip: tree.tip, path })) {
    const told = { version: oid, at: Date.parse(committedDate), ...parseMessage(message) };
    const ours = told.trailers.some(([name, value]) => name === 'Podtrack-Pod' && value === key);
    if (key === undefined || ours) entries.push(told);
    if (entries.length >= filter.limit) break;
  }
  return entries.reverse();
}

/**
 * The registry on a branch of a repository on GitHub (or GHES), through its API.
 *
 * `read` is one GraphQL query: both heads and all records belong together. `submit` is one mutation upon the head
 * it knows (`createCommitOnBranch`; on servers without it tree, commit and ref of the REST API); ops that wait
 * meanwhile go into the next commit together. A lost race applies the same ops to what is there now; after an
 * unclear answer the branch is searched for the very commit first. 6 tries or 120 s, limits included; waits by
 * `clock`. A refusal is decided on a second look, and what a lagging replica shows is not believed at once.
 *
 * `probeWrite` makes a commit that only counts `seq` up, as the git store does. Errors of every method:
 * ConfigError (name, address, token), WorldError as the port says. Facts: docs/facts/github.md.
 */
export function githubRegistry(options: GithubRegistryOptions): RegistryStore {
  const session = newSession(options);
  return inTurns({
    place: session.place,
    read: () => read(session),
    write: (ops) => write(session, { ops, proof: null }),
    enqueue: (ops) => enqueue(session, ops),
    notice: options.notice ?? (() => undefined),
    saveSweep: (sweep) => save(session, sweep),
    history: (filter) => history(session, filter),
    async probeWrite() {
      if (!session.hasWritten)
        await write(session, { ops: [], proof: 'prove that the registry may be written' });
    },
  });
}
