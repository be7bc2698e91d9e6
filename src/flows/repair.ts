/** Repair: puts the last valid version in the place of a damaged file, or removes one that stands for nothing. */
import { ConfigError } from '../domain/errors.ts';
import { META_PATH } from '../domain/registry/layout.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { Quarantined } from '../domain/registry/state.ts';
import type { OpResult, World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';

export type RepairInput = {
  readonly acting: Acting;
  /** A pod id or the path of a file; null = every damaged file. */
  readonly what: string | null;
  readonly reason: string;
  /** Removes files of which no valid version is known; the history keeps what they said. */
  readonly discard: boolean;
};

export type Repaired = {
  readonly file: Quarantined;
  readonly result: OpResult | { readonly kind: 'left'; readonly detail: string };
};

export async function repair(world: World, input: RepairInput): Promise<readonly Repaired[]> {
  const { state, version } = await world.registry.read();
  const files = state.quarantined.filter((file) => isMeant(file, input.what));
  if (version === null || (input.what !== null && files.length === 0))
    throw nothingDamaged(world, input.what);
  const planned = files.map((file) => ({ file, op: opFor(world, input, file) }));
  const ops = planned.flatMap(({ op }) => (op === null ? [] : [op]));
  // Any commit writes meta.json anew; one without ops is a probe.
  if (ops.length === 0 && files.some(({ path }) => path === META_PATH)) await world.registry.probeWrite();
  const results = ops.length === 0 ? [] : [...(await world.registry.submit(ops)).results];
  return planned.map(({ file, op }): Repaired => {
    const result = op === null ? undefined : results.shift();
    return { file, result: result ?? { kind: 'left', detail: leftBecause(file) } };
  });
}

function isMeant({ path }: Quarantined, what: string | null): boolean {
  return what === null || path === what || path.endsWith(`/runpod.${what}.json`);
}

function opFor(world: World, { acting, reason, discard }: RepairInput, file: Quarantined): RegistryOp | null {
  const { path, lastValid } = file;
  const short = reason.slice(0, 200);
  if (lastValid !== null) {
    const base = opBase(world, acting, 'repair');
    return { ...base, op: 'repair', pod: lastValid.id, record: lastValid, reason: short };
  }
  if (!discard || path === META_PATH) return null;
  return { ...opBase(world, acting, 'discard'), op: 'discard', path, reason: short };
}

function leftBecause({ path }: Quarantined): string {
  if (path === META_PATH) return 'written anew from its last valid version with this commit';
  return 'no valid version of it is known; --discard removes it, and its pod, if there is one, is no longer ours';
}

function nothingDamaged(world: World, what: string | null): ConfigError {
  return new ConfigError('file', {
    tried: `Repairing ${what ?? 'the damaged files'} in ${world.registry.place}`,
    cameBack: 'no such file is damaged',
    state: 'Nothing was changed',
    next: 'podtrack list names the damaged files',
  });
}
