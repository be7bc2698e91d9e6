/** The registry's one way to change: apply(state, op) is pure and total, whoever asks and however often. */
import { z } from 'zod';
import { podRecord } from '../pod.ts';
import { confirm, fence, release, reopen, settle } from './apply-end.ts';
import { intent, register, repair } from './apply-entry.ts';
import { importAll } from './apply-import.ts';
import { arm, claim, extend, heartbeat, keep, reclaim } from './apply-owner.ts';
import { acknowledge, migrate } from './apply-registry.ts';
import { discard, forget } from './apply-removal.ts';
import { changeRecord, type Outcome, refused } from './change.ts';
import { type Applied, type RegistryEvent, type RegistryOp, registryOp } from './ops.ts';
import { meta, type RegistryState } from './state.ts';

/** Applies one op. Never throws for an op of the schema; a refusal leaves the state as it was. */
export function apply(state: RegistryState, op: RegistryOp): Outcome {
  switch (op.op) {
    case 'intent':
      return intent(state, op);
    case 'register':
      return register(state, op);
    case 'repair':
      return repair(state, op);
    case 'reclaim':
      return changeRecord(state, op, reclaim);
    case 'claim':
      return changeRecord(state, op, claim);
    case 'arm':
      return changeRecord(state, op, arm);
    case 'heartbeat':
      return changeRecord(state, op, heartbeat);
    case 'extend':
      return changeRecord(state, op, extend);
    case 'keep':
      return changeRecord(state, op, keep);
    case 'fence':
      return changeRecord(state, op, fence);
    case 'release':
      return changeRecord(state, op, release);
    case 'confirm':
      return changeRecord(state, op, confirm);
    case 'settle':
      return changeRecord(state, op, settle);
    case 'reopen':
      return changeRecord(state, op, reopen);
    case 'acknowledge':
      return acknowledge(state, op);
    case 'migrate':
      return migrate(op);
    case 'forget':
      return forget(state, op);
    case 'discard':
      return discard(state, op);
    case 'import':
      return importAll(state, op);
  }
}

/** Whether a value survives the way into a file and back: what does not must never be committed. */
function survives<S extends z.ZodType>(schema: S, value: z.output<S>): string | null {
  const written = z.safeEncode(schema, value);
  if (!written.success) return firstIssue(written.error);
  const read = z.safeDecode(schema, written.data);
  return read.success ? null : firstIssue(read.error);
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'not of the schema' : `${issue.path.map(String).join('.')}: ${issue.message}`;
}

/** As `apply`, for ops whose shape only the compiler has checked: what a file could not hold is refused. */
export function applyChecked(state: RegistryState, op: RegistryOp): Outcome {
  const misshapen = survives(registryOp, op);
  if (misshapen !== null) return refused('invalid', misshapen);
  const outcome = apply(state, op);
  if (outcome.kind !== 'applied') return outcome;
  const { event } = outcome;
  const record = event.pod === null ? undefined : outcome.state.pods[event.pod];
  const broken = record === undefined ? survives(meta, outcome.state.meta) : survives(podRecord, record);
  return broken === null ? outcome : refused('invalid', broken);
}

export type AppliedAll = {
  readonly state: RegistryState;
  /** One result per op, in order. */
  readonly results: readonly (
    | { readonly kind: 'applied'; readonly event: RegistryEvent }
    | Exclude<Applied<RegistryState>, { kind: 'applied' }>
  )[];
  readonly events: readonly RegistryEvent[];
};

/** Applies ops one after the other; each sees what those before it did. */
export function applyAll(before: RegistryState, ops: readonly RegistryOp[]): AppliedAll {
  let state = before;
  const results: AppliedAll['results'][number][] = [];
  for (const op of ops) {
    const outcome = applyChecked(state, op);
    if (outcome.kind === 'applied') {
      state = outcome.state;
      results.push({ kind: 'applied', event: outcome.event });
    } else results.push(outcome);
  }
  const events = results.flatMap((result) => (result.kind === 'applied' ? [result.event] : []));
  return { state, results, events };
}
