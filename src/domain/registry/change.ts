/** What every op needs: find the record, change it by one rev, and say what was done. */
import { type PodRecord, podKey } from '../pod.ts';
import type { Applied, OpKind, OpOf, RefusedBecause, RegistryEvent, RegistryOp } from './ops.ts';
import { cut, oneLine } from './plain-text.ts';
import type { RegistryState } from './state.ts';

export type Outcome = Applied<RegistryState>;

/** Ops that name a pod. */
export type PodOp = OpOf<Exclude<OpKind, 'acknowledge' | 'migrate' | 'discard' | 'import'>>;

export const KEPT_KEYS = 16;
export const KEPT_NOTES = 20;
export const HEADLINE_LENGTH = 72;

export const DUPLICATE = { kind: 'duplicate' } as const;

export type Refused = {
  readonly kind: 'refused';
  readonly because: RefusedBecause;
  readonly detail: string;
};

export function refused(because: RefusedBecause, detail: string): Refused {
  return { kind: 'refused', because, detail };
}

/** What one op does to one record: new fields, and the words for the history. */
export type Step =
  | Refused
  | typeof DUPLICATE
  | {
      readonly kind: 'change';
      readonly patch: Partial<PodRecord>;
      /** Follows the verb and the pod: `: idle, until 12:30`. */
      readonly says?: string;
      readonly detail?: RegistryEvent['detail'];
    };

/** The record's key. There is one provider; its name is part of every path already. */
export const keyOf = (pod: string): string => podKey({ provider: 'runpod', id: pod });

const fileOf = (pod: string): string => `/${keyOf(pod)}.json`;

/** The record in force; a damaged file counts as its last valid version. */
export function findRecord(state: RegistryState, pod: string): PodRecord | null {
  const whole = state.pods[keyOf(pod)];
  if (whole !== undefined) return whole;
  return state.quarantined.find((file) => file.path.endsWith(fileOf(pod)))?.lastValid ?? null;
}

export function isQuarantined(state: RegistryState, pod: string): boolean {
  return state.quarantined.some((file) => file.path.endsWith(fileOf(pod)));
}

/** Writing a record heals its file, so it leaves quarantine. */
export function putRecord(state: RegistryState, record: PodRecord): RegistryState {
  return {
    ...state,
    pods: { ...state.pods, [podKey(record)]: record },
    quarantined: state.quarantined.filter((file) => !file.path.endsWith(fileOf(record.id))),
  };
}

export function addNote(record: PodRecord, note: string): readonly string[] {
  return [...record.notes, cut(note, 300)].slice(-KEPT_NOTES);
}

/** `reaper`, or the label of who acted. */
export function actorName(op: Pick<RegistryOp, 'actor'>): string {
  return op.actor.label ?? (op.actor.kind === 'reaper' ? 'reaper' : '(unlabelled)');
}

/** Who, when and by which key: the parts of an event that only the op knows. */
export function eventOf(
  op: RegistryOp,
  about: {
    readonly record: PodRecord | null;
    readonly says: string;
    readonly detail?: RegistryEvent['detail'];
    readonly ledger?: RegistryEvent['ledger'];
  },
): RegistryEvent {
  const pod = about.record === null ? null : podKey(about.record);
  const words = `${op.op}${pod === null ? '' : ` ${pod}`}${about.says} by ${actorName(op)}`;
  return {
    op: op.op,
    key: op.key,
    at: op.at,
    actor: op.actor,
    pod,
    rev: about.record?.rev ?? null,
    headline: cut(oneLine(words), HEADLINE_LENGTH),
    detail: about.detail ?? {},
    ...(about.ledger === undefined ? {} : { ledger: about.ledger }),
  };
}

/** Looks the record up, drops what was applied before, checks the rev, and lets `decide` say what changes. */
export function changeRecord<O extends PodOp>(
  state: RegistryState,
  op: O,
  decide: (record: PodRecord, op: O) => Step,
): Outcome {
  const record = findRecord(state, op.pod);
  if (record === null) {
    return isQuarantined(state, op.pod)
      ? refused('quarantined', `The file of ${op.pod} is damaged and no valid version of it is known`)
      : refused('not-found', `No record of ${op.pod}`);
  }
  if (record.keys.includes(op.key)) return DUPLICATE;
  if ('rev' in op && op.rev !== record.rev) {
    return refused('rev-moved', `Decided at rev ${op.rev}, the record is at rev ${record.rev}`);
  }
  const step = decide(record, op);
  if (step.kind !== 'change') return step;
  const next: PodRecord = {
    ...record,
    ...step.patch,
    rev: record.rev + 1,
    updatedAt: Math.max(record.updatedAt, op.at),
    keys: [...record.keys, op.key].slice(-KEPT_KEYS),
  };
  const about = { record: next, says: step.says ?? '', detail: step.detail ?? {} };
  return { kind: 'applied', state: putRecord(state, next), event: eventOf(op, about) };
}
