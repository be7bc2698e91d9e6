/** What a tree of the registry branch says: the state, and whether it may be trusted with inferred kills. */
import { lookAlike, type PodRecord, podKey } from '../pod.ts';
import type { Parsed } from './files.ts';
import { META_PATH } from './layout.ts';
import type { RegistryOp } from './ops.ts';
import { newerSchema, notARegistry } from './read-errors.ts';
import { allRecords, type Meta, type Quarantined, type RegistryState } from './state.ts';
import type { SweepState } from './sweep.ts';

/** The files of one tree, each parsed alone. `meta: null` = there is no meta.json. */
export type TreeRead = {
  readonly meta: Parsed<Meta> | null;
  readonly pods: readonly { readonly path: string; readonly parsed: Parsed<PodRecord> }[];
};

/** The newest valid versions that the history holds of damaged files. */
export type LastValid = {
  readonly meta: Meta | null;
  readonly records: ReadonlyMap<string, PodRecord>;
};

/** Paths whose last valid version is wanted. */
export function damagedPaths(tree: TreeRead): readonly string[] {
  const meta = tree.meta?.kind === 'whole' ? [] : [META_PATH];
  return [...meta, ...tree.pods.filter((file) => file.parsed.kind === 'damaged').map((file) => file.path)];
}

/** Throws WorldError `registry-newer-schema`, and `registry-unreadable` where no meta.json was ever valid. */
export function stateOf(tree: TreeRead, lastValid: LastValid, place: string): RegistryState {
  const pods: [string, PodRecord][] = [];
  const quarantined: Quarantined[] = [];
  for (const { path, parsed } of tree.pods) {
    if (parsed.kind === 'newer') throw newerSchema(place, path, parsed.version, parsed.needs);
    if (parsed.kind === 'whole') pods.push([podKey(parsed.value), parsed.value]);
    else quarantined.push({ path, problem: parsed.problem, lastValid: lastValid.records.get(path) ?? null });
  }
  if (tree.meta?.kind === 'newer') throw newerSchema(place, META_PATH, tree.meta.version, tree.meta.needs);
  const meta = tree.meta?.kind === 'whole' ? tree.meta.value : lastValid.meta;
  if (meta === null) throw notARegistry(place);
  if (tree.meta?.kind !== 'whole') {
    const problem = tree.meta === null ? 'missing' : tree.meta.problem;
    quarantined.push({ path: META_PATH, problem, lastValid: null });
  }
  return { meta, pods: Object.fromEntries(pods), quarantined };
}

/** Why inferred kills must rest. The codes are those of the port. */
export type Caution = {
  readonly code: 'rewound' | 'damaged' | 'sweep-missing' | 'foreign-repository';
  readonly detail: string;
};

export type Doubt = {
  readonly state: RegistryState;
  /** null = there is no state branch. */
  readonly sweep: Parsed<SweepState> | null;
  /** Tips that were seen once and are no ancestors of the tip now. */
  readonly lostTips: readonly string[];
  readonly tip: string;
  readonly repository: Meta['repository'];
  /** Entries of the queue whose ops are unknown. */
  readonly unreadable: readonly { readonly id: string; readonly problem: string }[];
};

/** A registry that names another repository was copied here: read-only until somebody starts it on purpose. */
export function isForeign(meta: Meta, here: Meta['repository']): boolean {
  if (meta.repository === null || here === null) return false;
  return meta.repository.server !== here.server || meta.repository.id !== here.id;
}

/** What may be written to a copy: the one act that starts it here, and nothing before it. */
export function isReadOnly(meta: Meta, here: Meta['repository'], ops: readonly RegistryOp[]): boolean {
  const [first] = ops;
  const starts = first?.op === 'acknowledge' && first.what === 'copied';
  const named = starts ? (first.registry?.repository ?? null) : null;
  const ownStart = named !== null && named.server === here?.server && named.id === here.id;
  return isForeign(meta, here) && !ownStart;
}

/** The sweep state to go on with; one that cannot be read, or is another registry's, counts as missing. */
export function usableSweep(sweep: Parsed<SweepState> | null, registryId: string): SweepState | null {
  return sweep?.kind === 'whole' && sweep.value.registryId === registryId ? sweep.value : null;
}

function missingSweep({ sweep, state }: Doubt): string | null {
  if (usableSweep(sweep, state.meta.registryId) !== null) return null;
  if (sweep === null) return 'there is no state branch yet: strikes start from zero';
  if (sweep.kind === 'damaged')
    return `the state branch cannot be read (${sweep.problem}): strikes start from zero`;
  return 'the state branch belongs to another registry: strikes start from zero';
}

/** Pairs that a person, or a file system without case, takes for one. `apply` refuses to make them. */
function lookAlikes(state: RegistryState): readonly (readonly [string, string])[] {
  const seen = new Map<string, string>();
  return allRecords(state).flatMap(({ id }) => {
    const alike = lookAlike(id);
    const before = seen.get(alike);
    seen.set(alike, before ?? id);
    return before === undefined || before === id ? [] : [[before, id] as const];
  });
}

export function cautionsOf(doubt: Doubt): readonly Caution[] {
  const { state, lostTips, tip, repository } = doubt;
  const cautions: Caution[] = [];
  const missing = missingSweep(doubt);
  if (missing !== null) cautions.push({ code: 'sweep-missing', detail: missing });
  const accepted = state.meta.acknowledged.rewoundTip;
  for (const lost of lostTips.filter((each) => each !== accepted)) {
    const detail = `${tip} does not descend from ${lost}, which was the tip before; acknowledge that tip to go on`;
    cautions.push({ code: 'rewound', detail });
  }
  for (const { path, problem } of state.quarantined) {
    cautions.push({ code: 'damaged', detail: `${path}: ${problem}` });
  }
  for (const [one, other] of lookAlikes(state)) {
    const detail = `${other} looks like ${one}, and both are recorded: no podtrack has done that`;
    cautions.push({ code: 'damaged', detail });
  }
  for (const { id, problem } of doubt.unreadable) {
    cautions.push({ code: 'damaged', detail: `queued ${id}: ${problem}` });
  }
  if (isForeign(state.meta, repository)) {
    const named = `${state.meta.repository?.server ?? ''} repository ${state.meta.repository?.id ?? ''}`;
    cautions.push({ code: 'foreign-repository', detail: `this registry belongs to ${named}` });
  }
  return cautions;
}
