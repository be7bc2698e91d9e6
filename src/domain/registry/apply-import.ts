/** Import: a registry is moved or restored as a whole. A pod belongs to one registry, so the id comes along. */
import { lookAlike, type PodRecord, podKey } from '../pod.ts';
import { DUPLICATE, eventOf, KEPT_KEYS, type Outcome, type Refused, refused } from './change.ts';
import type { OpOf } from './ops.ts';
import { allRecords, type RegistryState } from './state.ts';

/** Nobody has written to it: it may still take any id. */
function isFresh({ meta, pods, quarantined }: RegistryState): boolean {
  return meta.seq === 0 && Object.keys(pods).length === 0 && quarantined.length === 0;
}

function barred(state: RegistryState, { actor, registryId, records }: OpOf<'import'>): Refused | null {
  if (actor.kind !== 'person') return refused('other-owner', 'A registry is imported by a person');
  if (!isFresh(state) && registryId !== state.meta.registryId) {
    const other = `Here lies ${state.meta.registryId}, and ${registryId} is to be imported`;
    return refused('other-registry', `${other}: two registries would judge the same pods`);
  }
  if (state.quarantined.length > 0)
    return refused('quarantined', `${state.quarantined[0]?.path ?? ''} is damaged: repair it first`);
  const ids = new Set([...allRecords(state), ...records].map(({ id }) => id));
  const alike = new Map([...ids].map((id) => [lookAlike(id), id]));
  if (alike.size !== ids.size)
    return refused('look-alike', 'Ids that look alike would stand beside each other');
  if (new Set(records.map(({ id }) => id)).size !== records.length)
    return refused('exists', 'A pod is named twice in what is to be imported');
  return null;
}

/** Of two versions of a record the one of the higher rev stays: no fence and no deadline is taken back. */
export function importAll(state: RegistryState, op: OpOf<'import'>): Outcome {
  if (state.meta.keys.includes(op.key)) return DUPLICATE;
  const bar = barred(state, op);
  if (bar !== null) return bar;
  const newer = op.records.filter((record) => (state.pods[podKey(record)]?.rev ?? 0) < record.rev);
  const entries = newer.map((record): [string, PodRecord] => [podKey(record), record]);
  const { meta } = state;
  const keys = [...meta.keys, op.key].slice(-KEPT_KEYS);
  const after = {
    ...state,
    meta: { ...meta, registryId: op.registryId, keys },
    pods: { ...state.pods, ...Object.fromEntries(entries) },
  };
  const ledger = op.ledger.map((row) => ({ ...row, unless: row.line.trimEnd() }));
  const detail = { records: newer.length, older: op.records.length - newer.length, from: op.registryId };
  const says = ` ${newer.length} record(s): ${op.reason},`;
  return { kind: 'applied', state: after, event: eventOf(op, { record: null, says, detail, ledger }) };
}
