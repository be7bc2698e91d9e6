/** Ops on the registry as a whole: acknowledge an alarm, migrate the schema. */
import { SCHEMA_VERSION } from '../pod.ts';
import { DUPLICATE, eventOf, KEPT_KEYS, type Outcome, refused } from './change.ts';
import type { OpOf, RegistryOp } from './ops.ts';
import type { Meta, RegistryState } from './state.ts';

function changeMeta(
  state: RegistryState,
  op: RegistryOp,
  change: { readonly acknowledged: Meta['acknowledged']; readonly says: string },
): Outcome {
  const keys = [...state.meta.keys, op.key].slice(-KEPT_KEYS);
  const meta = { ...state.meta, acknowledged: change.acknowledged, keys };
  return {
    kind: 'applied',
    state: { ...state, meta },
    event: eventOf(op, { record: null, says: change.says }),
  };
}

/**
 * A copied branch becomes a registry of its own, under a new id. Its records go: their pods are the other registry's,
 * and two reapers with two truths would end what only one of them knows to be extended.
 */
function startCopy(state: RegistryState, op: OpOf<'acknowledge'>): Outcome {
  if (op.registry === undefined) return refused('invalid', 'Starting a copy names its new id and repository');
  const { id, repository } = op.registry;
  if (state.meta.registryId === id) return DUPLICATE;
  const [damaged] = state.quarantined;
  if (damaged !== undefined) return refused('quarantined', `Remove or mend ${damaged.path} first`);
  const pods = Object.keys(state.pods).length;
  const acknowledged = { breakerAt: null, rewoundTip: null, accountAt: null };
  const meta = { ...state.meta, registryId: id, repository, acknowledged, keys: [op.key] };
  const says = ` copied: ${op.reason},`;
  const detail = { registry: id, from: state.meta.registryId, dropped: pods };
  return {
    kind: 'applied',
    state: { ...state, meta, pods: {} },
    event: eventOf(op, { record: null, says, detail }),
  };
}

/** A person has looked at an alarm. For a rewind the lost tip must be named, so that the next one rings again. */
export function acknowledge(state: RegistryState, op: OpOf<'acknowledge'>): Outcome {
  if (state.meta.keys.includes(op.key)) return DUPLICATE;
  if (op.what === 'copied') return startCopy(state, op);
  const was = state.meta.acknowledged;
  const says = ` ${op.what}: ${op.reason},`;
  if (op.what === 'breaker')
    return changeMeta(state, op, { acknowledged: { ...was, breakerAt: op.at }, says });
  if (op.what === 'account')
    return changeMeta(state, op, { acknowledged: { ...was, accountAt: op.at }, says });
  if (op.tip === null) return refused('invalid', 'Acknowledging a rewind names the lost tip');
  return changeMeta(state, op, { acknowledged: { ...was, rewoundTip: op.tip }, says });
}

/** There is one schema so far: nothing to migrate from, and nothing newer to go to. */
export function migrate(op: OpOf<'migrate'>): Outcome {
  if (op.toSchema === SCHEMA_VERSION) return DUPLICATE;
  return refused('newer-schema', `This podtrack knows schema ${SCHEMA_VERSION} only, not ${op.toSchema}`);
}
