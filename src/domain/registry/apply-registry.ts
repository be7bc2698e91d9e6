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

/** A person has looked at an alarm. For a rewind the lost tip must be named, so that the next one rings again. */
export function acknowledge(state: RegistryState, op: OpOf<'acknowledge'>): Outcome {
  if (state.meta.keys.includes(op.key)) return DUPLICATE;
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
