/** Ops that take a file out of the tree: forget a tombstone, discard what stands for no record. */
import { formatInstant } from '../instant.ts';
import { type PodRecord, podKey } from '../pod.ts';
import { TOMBSTONE_MS } from '../rules.ts';
import { DUPLICATE, eventOf, findRecord, isQuarantined, KEPT_KEYS, type Outcome, refused } from './change.ts';
import { META_PATH } from './layout.ts';
import { ledgerRowOf, rowName } from './ledger.ts';
import type { OpOf } from './ops.ts';
import type { RegistryState } from './state.ts';

/** Since when a record only waits to be forgotten; null = it still stands for something. */
export function restsSince(record: PodRecord): number | null {
  if (record.status === 'intent') return record.deadlines.absoluteDeadlineAt;
  const ended = record.status === 'terminated' || record.status === 'lost';
  return ended ? Math.max(record.end?.at ?? 0, record.updatedAt) : null;
}

/** Whether a record has been a tombstone for so long that only the ledger need know of it. */
export function isForgettable(record: PodRecord, now: number): boolean {
  const since = restsSince(record);
  return since !== null && now - since >= TOMBSTONE_MS;
}

/** The ledger holds a row of every end that is forgotten; one that was ended by hand gets it now. */
export function forget(state: RegistryState, op: OpOf<'forget'>): Outcome {
  if (op.actor.kind === 'owner') return refused('other-owner', 'Tombstones are removed by the reaper');
  const record = findRecord(state, op.pod);
  if (isQuarantined(state, op.pod)) return refused('quarantined', `The file of ${op.pod} is damaged`);
  if (record === null) return DUPLICATE;
  const since = restsSince(record);
  if (since === null) return refused('not-active', `${record.id} is ${record.status}`);
  if (!isForgettable(record, op.at))
    return refused('too-early', `${record.id} is a tombstone since ${formatInstant(since)} only`);
  const key = podKey(record);
  const { [key]: _gone, ...pods } = state.pods;
  const { end } = record;
  const row = end === null ? null : ledgerRowOf(record, { ...end, endedAt: end.at });
  const about = {
    record,
    says: `: ${record.status} since ${formatInstant(since)},`,
    detail: { status: record.status },
    ledger: row === null ? [] : [{ ...row, unless: rowName(key) }],
  };
  return { kind: 'applied', state: { ...state, pods }, event: eventOf(op, about) };
}

/** For a file that lies where no record belongs, or of which no valid version is known. */
export function discard(state: RegistryState, op: OpOf<'discard'>): Outcome {
  if (state.meta.keys.includes(op.key)) return DUPLICATE;
  if (op.actor.kind !== 'person') return refused('other-owner', 'A file is discarded by a person');
  const file = state.quarantined.find(({ path }) => path === op.path);
  if (file === undefined || op.path === META_PATH)
    return refused('not-found', `${op.path} is no damaged file`);
  if (file.lastValid !== null)
    return refused('quarantined', `${op.path} counts as its last valid version: repair it`);
  const meta = { ...state.meta, keys: [...state.meta.keys, op.key].slice(-KEPT_KEYS) };
  const quarantined = state.quarantined.filter((each) => each !== file);
  const about = { record: null, says: ` ${op.path}: ${op.reason},`, detail: { path: op.path } };
  return { kind: 'applied', state: { ...state, meta, quarantined }, event: eventOf(op, about) };
}
