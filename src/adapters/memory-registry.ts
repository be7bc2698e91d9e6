/** RegistryStore in memory: the same pure apply, files and messages as the git store, without git. */

import { WorldError } from '../domain/errors.ts';
import type { PodRecord } from '../domain/pod.ts';
import { type PlannedCommit, planCommit } from '../domain/registry/commit.ts';
import { type Parsed, parseMeta, parseRecord, parseSweep, sweepText } from '../domain/registry/files.ts';
import { isPodPath, META_PATH, type Sha256 } from '../domain/registry/layout.ts';
import { parseMessage } from '../domain/registry/message.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import { applyUponQueue, foldAll, planQueue } from '../domain/registry/queue.ts';
import { parseQueued, queuedText, queueId } from '../domain/registry/queue-entry.ts';
import { branchGone, foreignRegistry, newerSchema } from '../domain/registry/read-errors.ts';
import { emptyRegistry, type Meta, type RegistryState } from '../domain/registry/state.ts';
import { emptySweep, type SweepState } from '../domain/registry/sweep.ts';
import {
  cautionsOf,
  damagedPaths,
  isForeign,
  isReadOnly,
  stateOf,
  type TreeRead,
  usableSweep,
} from '../domain/registry/view.ts';
import type { Chance, Clock, RegistryStore, Snapshot, Submitted } from '../ports.ts';
import { inTurns } from './registry-turns.ts';

export type MemoryCommit = {
  readonly id: string;
  readonly at: number;
  readonly message: string;
  readonly files: ReadonlyMap<string, string>;
};

/** What several stores may share, as they would share a repository. Tests bend it by hand. */
export type MemoryHost = {
  /** Oldest first; empty = there is no branch. */
  commits: readonly MemoryCommit[];
  /** The state branch; null = there is none. */
  state: { readonly id: string; readonly text: string } | null;
  /** What waits outside the branch. */
  queue: readonly MemoryQueued[];
  /** No commit can be made: every writer runs out of time. */
  jammed: boolean;
};

type MemoryQueued = { readonly id: string; readonly text: string };

export type MemoryRegistryOptions = {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly repository: Meta['repository'];
  /** Default: a host of its own. */
  readonly host?: MemoryHost;
};

const PLACE = 'memory';

export function memoryHost(): MemoryHost {
  return { commits: [], state: null, queue: [], jammed: false };
}

function treeOf(commit: MemoryCommit, sha256: Sha256): TreeRead {
  const meta = commit.files.get(META_PATH);
  const pods = [...commit.files].filter(([path]) => isPodPath(path));
  return {
    meta: meta === undefined ? null : parseMeta(meta),
    pods: pods.map(([path, text]) => ({ path, parsed: parseRecord(path, text, sha256) })),
  };
}

function newestValid<T>(
  commits: readonly MemoryCommit[],
  path: string,
  parse: (text: string) => Parsed<T>,
): T | null {
  for (const { files } of commits.toReversed()) {
    const text = files.get(path);
    const parsed = text === undefined ? null : parse(text);
    if (parsed?.kind === 'whole') return parsed.value;
  }
  return null;
}

function stateAt(commits: readonly MemoryCommit[], tip: MemoryCommit, sha256: Sha256): RegistryState {
  const tree = treeOf(tip, sha256);
  const damaged = damagedPaths(tree);
  const records = damaged.filter(isPodPath).flatMap((path): [string, PodRecord][] => {
    const record = newestValid(commits, path, (text) => parseRecord(path, text, sha256));
    return record === null ? [] : [[path, record]];
  });
  const meta = damaged.includes(META_PATH) ? newestValid(commits, META_PATH, parseMeta) : null;
  return stateOf(tree, { meta, records: new Map(records) }, PLACE);
}

function withFiles(
  before: ReadonlyMap<string, string>,
  files: PlannedCommit['files'],
): ReadonlyMap<string, string> {
  const after = new Map(before);
  for (const { path, text } of files) {
    if (text === null) after.delete(path);
    else after.set(path, text);
  }
  return after;
}

type Session = {
  readonly host: MemoryHost;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly sha256: Sha256;
  readonly repository: Meta['repository'];
  readonly newRegistryId: string;
  lastTip: string | null;
  readonly lost: Set<string>;
  stateTip: string | null;
};

function sweptTip(session: Session): string | null {
  const { state } = session.host;
  const sweep = state === null ? null : parseSweep(state.text);
  return sweep?.kind === 'whole' ? sweep.value.registryTip : null;
}

/** The tip's commit and state; null = no registry yet. */
function look(session: Session): { readonly tip: MemoryCommit; readonly state: RegistryState } | null {
  const { commits } = session.host;
  const tip = commits.at(-1);
  const before = session.lastTip ?? sweptTip(session);
  if (tip === undefined) {
    if (before !== null) throw branchGone(PLACE, before);
    return null;
  }
  for (const id of new Set([...session.lost, session.lastTip, sweptTip(session)])) {
    if (id === null) continue;
    if (commits.some((commit) => commit.id === id)) session.lost.delete(id);
    else session.lost.add(id);
  }
  session.lastTip = tip.id;
  return { tip, state: stateAt(commits, tip, session.sha256) };
}

function read(session: Session): Snapshot {
  const found = look(session);
  const stored = session.host.state;
  const sweep = stored === null ? null : parseSweep(stored.text);
  if (sweep?.kind === 'newer') throw newerSchema(PLACE, 'the state branch', sweep.version);
  session.stateTip = stored?.id ?? null;
  const { newRegistryId: id, repository } = session;
  if (found === null) {
    const state = emptyRegistry(id, repository, session.clock.now());
    return { state, queued: 0, version: null, sweep: emptySweep(id), caution: [] };
  }
  const { tip } = found;
  const { registryId } = found.state.meta;
  const { state, unreadable } = foldAll(found.state, waiting(session), session.clock.now());
  return {
    state,
    queued: session.host.queue.length,
    version: tip.id,
    sweep: usableSweep(sweep, registryId) ?? emptySweep(registryId),
    caution: cautionsOf({ state, sweep, lostTips: [...session.lost], tip: tip.id, repository, unreadable }),
  };
}

/** What waits, each with the text that it was read from. */
function waiting({ host }: Session) {
  return host.queue.map((queued) => ({ id: queued.id, queued, parsed: parseQueued(queued.text) }));
}

function outOfTime(): WorldError {
  const told = {
    tried: 'Writing to the registry in memory',
    cameBack: 'every commit lost its race',
    state: 'Nothing was written',
    next: 'Send the same operations again; their keys keep them from being doubled',
  };
  return new WorldError('conflict', told, { retryable: true });
}

function write(session: Session, ops: readonly RegistryOp[], proof: string | null): Submitted {
  const found = look(session);
  const { host, clock, sha256, repository } = session;
  const now = clock.now();
  const before = found?.state ?? emptyRegistry(session.newRegistryId, repository, now);
  if (isReadOnly(before.meta, repository, ops)) throw foreignRegistry(PLACE);
  const entries = found === null ? [] : waiting(session);
  const {
    state: after,
    events,
    done,
    refused,
    results,
    changes,
  } = applyUponQueue(before, entries, { ops, now });
  if (!changes && proof === null) return { state: after, version: found?.tip.id ?? null, results };
  if (host.jammed) throw outOfTime();
  const files = found?.tip.files ?? new Map<string, string>();
  const textOf = (path: string): string | null => files.get(path) ?? null;
  const wish = { before, after, events, refused, now, textOf, sha256 };
  const planned = planCommit(proof === null || events.length > 0 ? wish : { ...wish, what: proof });
  const id = session.chance.hex(20);
  const commit = { id, at: now, message: planned.message, files: withFiles(files, planned.files) };
  host.commits = [...host.commits, commit];
  const gone = new Set(done.map(({ queued }) => queued));
  host.queue = host.queue.filter((queued) => !gone.has(queued));
  session.lastTip = id;
  return { state: planned.state, version: id, results };
}

function enqueue(session: Session, ops: readonly RegistryOp[]): Submitted {
  const found = look(session);
  const { host, clock, sha256, repository } = session;
  if (found === null) throw outOfTime();
  const { meta } = found.state;
  if (isForeign(meta, repository)) throw foreignRegistry(PLACE);
  const now = clock.now();
  const planned = planQueue(found.state, waiting(session), { ops, now });
  const id = queueId(planned.ops, now, sha256);
  if (planned.ops.length > 0)
    host.queue = [
      ...host.queue.filter((each) => each.id !== id),
      { id, text: queuedText(meta.registryId, planned.ops) },
    ];
  return { state: planned.state, version: found.tip.id, results: planned.results };
}

function saveSweep(session: Session, sweep: SweepState): boolean {
  const { host } = session;
  if ((host.state?.id ?? null) !== session.stateTip) return false;
  const id = session.chance.hex(20);
  host.state = { id, text: sweepText(sweep) };
  session.stateTip = id;
  return true;
}

/** A registry that lives as long as its host object; every method answers like the git store. */
export function memoryRegistry(options: MemoryRegistryOptions): RegistryStore {
  const { clock, chance, repository } = options;
  const session: Session = {
    host: options.host ?? memoryHost(),
    clock,
    chance,
    sha256: (text) => chance.sha256(text),
    repository,
    newRegistryId: chance.hex(16),
    lastTip: null,
    lost: new Set(),
    stateTip: null,
  };
  return inTurns({
    place: PLACE,
    read: async () => read(session),
    write: async (ops) => write(session, ops, null),
    enqueue: async (ops) => enqueue(session, ops),
    notice: () => undefined,
    saveSweep: async (sweep) => saveSweep(session, sweep),
    async history({ pod, limit }) {
      const key = pod === undefined || pod.includes('.') ? pod : `runpod.${pod}`;
      const told = session.host.commits.map(({ id, at, message }) => ({
        version: id,
        at,
        ...parseMessage(message),
      }));
      const wanted = told.filter(
        ({ trailers }) =>
          key === undefined || trailers.some(([name, value]) => name === 'Podtrack-Pod' && value === key),
      );
      return limit > 0 ? wanted.slice(-limit) : [];
    },
    async probeWrite() {
      write(session, [], 'prove that the registry may be written');
    },
  });
}
