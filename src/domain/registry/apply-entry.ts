/** Ops that bring a record into the registry: intent, register, repair. */
import { lookAlike, type PodRecord } from '../pod.ts';
import {
  addNote,
  DUPLICATE,
  eventOf,
  findRecord,
  isQuarantined,
  KEPT_KEYS,
  keyOf,
  type Outcome,
  putRecord,
  type Refused,
  refused,
} from './change.ts';
import type { OpOf } from './ops.ts';
import { allRecords, type RegistryState } from './state.ts';

/** The parts of a fresh record that nobody may bring along. */
function fresh(op: OpOf<'intent' | 'register'>, status: 'intent' | 'active', rev: number): PodRecord {
  return {
    ...op.record,
    status,
    rev,
    updatedAt: Math.max(op.at, op.record.registeredAt),
    fence: null,
    confirmed: null,
    end: null,
    keys: [op.key],
  };
}

/** What stands against any new record, whatever the registry holds under its id. */
function barredEntry(state: RegistryState, op: OpOf<'intent' | 'register'>): Refused | null {
  const { record, actor, pod } = op;
  if (record.id !== pod) return refused('invalid', `The op names ${pod}, its record ${record.id}`);
  if (actor.kind !== 'reaper' && actor.uuid !== record.owner.uuid) {
    return refused('other-owner', 'A record is written by its owner, or by the reaper for him');
  }
  const alike = lookAlike(pod);
  const twin = allRecords(state).find((other) => other.id !== pod && lookAlike(other.id) === alike);
  if (twin !== undefined) return refused('look-alike', `${pod} looks like ${twin.id}, which is recorded`);
  return null;
}

/** Committed before the create call, under the exact name that the pod will bear. */
export function intent(state: RegistryState, op: OpOf<'intent'>): Outcome {
  const barred = barredEntry(state, op);
  if (barred !== null) return barred;
  if (op.record.name !== op.pod) return refused('invalid', 'An intent is recorded under its exact name');
  const named = allRecords(state).find((record) => record.id === op.pod || record.name === op.record.name);
  if (named?.keys.includes(op.key) === true) return DUPLICATE;
  if (named !== undefined) return refused('exists', `The name ${op.pod} is taken by ${named.id}`);
  if (isQuarantined(state, op.pod)) return refused('quarantined', `The file of ${op.pod} is damaged`);
  const record = fresh(op, 'intent', 1);
  return {
    kind: 'applied',
    state: putRecord(state, record),
    event: eventOf(op, { record, says: gpuOf(record) }),
  };
}

/** A running pod becomes ours. An ended record gives way only to another pod under the same id. */
export function register(state: RegistryState, op: OpOf<'register'>): Outcome {
  const before = findRecord(state, op.pod);
  if (before?.keys.includes(op.key) === true) return DUPLICATE;
  const barred = barredEntry(state, op) ?? occupied(state, op, before);
  if (barred !== null) return barred;
  const promised = op.fulfils === null ? { intent: null } : fulfilled(state, op, op.fulfils);
  if (!('intent' in promised)) return promised;
  const rev = ((before ?? promised.intent)?.rev ?? 0) + 1;
  const keys = [...(promised.intent?.keys ?? []), op.key].slice(-KEPT_KEYS);
  const record: PodRecord = { ...fresh(op, 'active', rev), keys };
  const detail = { gpu: record.gpu, fulfils: op.fulfils };
  const after = putRecord(op.fulfils === null ? state : withoutRecord(state, op.fulfils), record);
  return { kind: 'applied', state: after, event: eventOf(op, { record, says: gpuOf(record), detail }) };
}

function occupied(state: RegistryState, op: OpOf<'register'>, before: PodRecord | null): Refused | null {
  if (before === null) {
    const damaged = isQuarantined(state, op.pod);
    return damaged ? refused('quarantined', `The file of ${op.pod} is damaged: repair it first`) : null;
  }
  const ended = before.status === 'terminated' || before.status === 'lost';
  const [was, is] = [before.createdAt, op.record.createdAt];
  if (ended && was !== null && is !== null && was !== is) return null;
  return refused('exists', `${op.pod} is recorded already, ${before.status}, at rev ${before.rev}`);
}

/** The intent that this pod fulfils, by exact name and nonce; anything else would adopt a stranger's promise. */
function fulfilled(
  state: RegistryState,
  op: OpOf<'register'>,
  name: string,
): { readonly intent: PodRecord } | Refused {
  const promise = findRecord(state, name);
  if (promise === null || promise.status !== 'intent') {
    return refused('not-fulfilled', `No open intent is named ${name}`);
  }
  if (op.record.name !== name)
    return refused('not-fulfilled', `The pod is named ${op.record.name}, not ${name}`);
  if (promise.nonce !== op.record.nonce)
    return refused('not-fulfilled', `The stamp of ${op.pod} is not the one of ${name}`);
  if (promise.owner.uuid !== op.record.owner.uuid && op.actor.kind !== 'reaper') {
    return refused('other-owner', `The intent ${name} is another owner's`);
  }
  return { intent: promise };
}

function withoutRecord(state: RegistryState, pod: string): RegistryState {
  const key = keyOf(pod);
  const pods = Object.fromEntries(Object.entries(state.pods).filter(([each]) => each !== key));
  return { ...state, pods };
}

/** Puts a whole record in the place of a damaged file. It never moves a limit that is still known. */
export function repair(state: RegistryState, op: OpOf<'repair'>): Outcome {
  const before = findRecord(state, op.pod);
  if (before?.keys.includes(op.key) === true) return DUPLICATE;
  if (op.record.id !== op.pod)
    return refused('invalid', `The op names ${op.pod}, its record ${op.record.id}`);
  if (op.actor.kind === 'owner')
    return refused('other-owner', 'A file is repaired by a person or the reaper');
  if (!isQuarantined(state, op.pod)) return refused('exists', `The file of ${op.pod} is not damaged`);
  const record: PodRecord = {
    ...op.record,
    deadlines: before?.deadlines ?? op.record.deadlines,
    rev: Math.max(before?.rev ?? 0, op.record.rev) + 1,
    updatedAt: Math.max(op.at, op.record.updatedAt),
    notes: [...addNote(op.record, `repaired: ${op.reason}`)],
    keys: [...op.record.keys, op.key].slice(-KEPT_KEYS),
  };
  return {
    kind: 'applied',
    state: putRecord(state, record),
    event: eventOf(op, { record, says: `: ${op.reason},` }),
  };
}

function gpuOf(record: PodRecord): string {
  return record.gpu === null ? '' : ` (${record.gpu})`;
}
