/** Compact: the branch starts anew from its present tree, and its history stays under an archive ref. Never by itself. */
import { ConfigError, Refusal, WorldError } from '../domain/errors.ts';
import { ARCHIVE_PREFIX, compactionMessage } from '../domain/registry/compaction.ts';
import { metaText, parseMeta } from '../domain/registry/files.ts';
import { META_PATH } from '../domain/registry/layout.ts';
import type { RegistryPast, Snapshot, World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';

const TRIES = 5;

export type Compacted = { readonly version: string; readonly archive: string; readonly previous: string };

export type CompactInput = {
  readonly acting: Acting;
  readonly past: RegistryPast;
  readonly reason: string;
};

/** Throws Refusal while the history is in doubt: an archive must not seal what nobody has looked at. */
export async function compact(world: World, input: CompactInput): Promise<Compacted> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const snapshot = await world.registry.read();
    const done = await tryOnce(world, input, snapshot);
    if (done !== null) return done;
  }
  throw new WorldError('conflict', {
    tried: `Compacting ${world.registry.place}, ${TRIES} times`,
    cameBack: 'somebody wrote to it each time',
    state: 'Nothing was changed',
    next: 'Try again when fewer jobs are running',
  });
}

async function tryOnce(world: World, input: CompactInput, snapshot: Snapshot): Promise<Compacted | null> {
  const { version, state, caution } = snapshot;
  if (version === null) throw nothingThere(world);
  const doubt = caution.find(({ code }) => code !== 'sweep-missing');
  if (doubt !== undefined) throw inDoubt(world, doubt.detail);
  const before = (await input.past.files(META_PATH)).get(META_PATH) ?? '';
  if (parseMeta(before).kind !== 'whole') return null;
  const now = world.clock.now();
  const { seq, epoch, updatedAt } = state.meta;
  const next = { ...state.meta, seq: seq + 1, epoch: epoch + 1, updatedAt: Math.max(now, updatedAt) };
  const { key, actor } = opBase(world, input.acting, 'compact');
  const archive = `${ARCHIVE_PREFIX}${next.epoch}`;
  const compaction = { epoch: next.epoch, previous: version };
  const moved = await input.past.compact({
    tip: version,
    archive,
    meta: metaText(next, before),
    message: compactionMessage({ compaction, seq: next.seq, key, actor, reason: input.reason }),
  });
  return moved.kind === 'done' ? { version: moved.version, archive, previous: version } : null;
}

function inDoubt(world: World, detail: string): Refusal {
  return new Refusal('registry-in-doubt', {
    tried: `Compacting ${world.registry.place}`,
    cameBack: detail,
    state: 'Nothing was changed',
    next: 'Repair or acknowledge that first: podtrack repair, podtrack acknowledge',
  });
}

function nothingThere(world: World): ConfigError {
  return new ConfigError('registry', {
    tried: `Compacting ${world.registry.place}`,
    cameBack: 'there is no registry yet',
    state: 'Nothing was changed',
    next: 'Check --registry or PODTRACK_REGISTRY',
  });
}
