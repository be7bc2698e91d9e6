/** Made-up records, owners and ops for registry tests. */
import { createHash } from 'node:crypto';
import { setDeadlines } from '../../../src/domain/deadlines.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import type { Owner } from '../../../src/domain/owner.ts';
import type { Fence, PodRecord } from '../../../src/domain/pod.ts';
import { apply } from '../../../src/domain/registry/apply.ts';
import type { Actor, OpKind, OpOf, RegistryOp } from '../../../src/domain/registry/ops.ts';
import { emptyRegistry, type RegistryState } from '../../../src/domain/registry/state.ts';
import { DEFAULT_RULES, freeze } from '../../../src/domain/rules.ts';

export const NOW = Date.UTC(2026, 2, 3, 11, 0, 0);
export const REGISTRY_ID = '0123456789abcdef0123456789abcdef';
export const MINUTE = MINUTE_MS;
export const HOUR = HOUR_MS;

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function ownerOf(name: string, over: Partial<Owner> = {}): Owner {
  return {
    label: `acme/${name}#7`,
    labelGiven: false,
    key: { server: 'https://forge.example', repositoryId: '41', runId: '7' },
    uuid: `uuid-${name}`,
    attempt: 1,
    job: 'train',
    matrix: null,
    checkRunId: null,
    repository: `acme/${name}`,
    ...over,
  };
}

export const ALICE = ownerOf('alice');

export function actorOf(owner: Owner): Actor {
  return { kind: 'owner', uuid: owner.uuid, label: owner.label, run: null };
}

export const REAPER: Actor = {
  kind: 'reaper',
  uuid: 'r1',
  label: null,
  run: 'acme/infra/actions/runs/9/attempts/1',
};
export const PERSON: Actor = { kind: 'person', uuid: null, label: 'ops', run: null };

export function recordOf(id: string, over: Partial<PodRecord> = {}): PodRecord {
  return {
    schemaVersion: 1,
    provider: 'runpod',
    id,
    name: `job-${id}`,
    account: 'acc',
    status: 'active',
    rev: 1,
    owner: ALICE,
    createdAt: NOW - 5 * MINUTE,
    startedAt: NOW - 4 * MINUTE,
    nonce: null,
    gpu: 'H100',
    costPerHourMicroUsd: 2_490_000,
    volumeId: null,
    deadlines: setDeadlines({
      now: NOW,
      killInMs: 2 * HOUR,
      killAbsoluteMs: 3 * HOUR,
      maxExtensions: 1,
      petMinMs: 30 * MINUTE,
      pullMarginMs: 15 * MINUTE,
    }),
    rules: freeze(DEFAULT_RULES),
    artifacts: { remotePath: '/out', none: false, allowEmpty: false, choice: null },
    registeredAt: NOW,
    updatedAt: NOW,
    reachedAt: null,
    heartbeatAt: null,
    fence: null,
    switch: null,
    hostKey: null,
    lastMirror: null,
    lastVerdict: null,
    confirmed: null,
    end: null,
    notes: [],
    keys: [],
    ...over,
  };
}

let counter = 0;

/** A key that no other op of this process has. */
export function nextKey(): string {
  counter += 1;
  return `acme/ml/7/1/train/${counter}`;
}

type Given<K extends OpKind> = Omit<OpOf<K>, 'op' | 'key' | 'at' | 'actor'> &
  Partial<Pick<OpOf<K>, 'key' | 'at' | 'actor'>>;

function base<K extends OpKind>(op: K, actor: Actor) {
  return { op, key: nextKey(), at: NOW + MINUTE, actor };
}

export function register(id: string, over: Partial<Given<'register'>> = {}): OpOf<'register'> {
  const record = over.record ?? recordOf(id);
  return { ...base('register', actorOf(record.owner)), pod: id, fulfils: null, ...over, record };
}

export function intent(name: string, over: Partial<Given<'intent'>> = {}): OpOf<'intent'> {
  const record =
    over.record ?? recordOf(name, { name, createdAt: null, startedAt: null, nonce: 'f00dfeedf00dfeed' });
  return { ...base('intent', actorOf(record.owner)), pod: name, ...over, record };
}

export function fence(
  of: { pod: string; rev: number },
  over: Partial<Fence> = {},
  more: Partial<Given<'fence'>> = {},
): OpOf<'fence'> {
  const at = more.at ?? NOW + MINUTE;
  const value: Fence = {
    holder: 'reaper',
    reason: 'idle',
    rev: of.rev,
    at,
    until: at + 30 * MINUTE,
    inferred: true,
    step: 'fenced',
    ...over,
  };
  return { ...base('fence', REAPER), ...of, ...more, fence: value };
}

export function settle(pod: string, over: Partial<Given<'settle'>> = {}): OpOf<'settle'> {
  const empty = {
    verdict: null,
    mirror: null,
    reachedAt: null,
    startedAt: null,
    hostKey: null,
    note: null,
    end: null,
  };
  return { ...base('settle', REAPER), pod, ...empty, ...over };
}

export function endOf(
  how: 'terminated' | 'lost',
  over: Partial<NonNullable<PodRecord['end']>> = {},
): NonNullable<PodRecord['end']> {
  return {
    at: NOW + HOUR,
    how,
    reason: 'idle',
    verified: true,
    costMicroUsd: 1_000_000,
    inferred: false,
    ...over,
  };
}

/** Any other op, by its words. */
export function op<K extends OpKind>(kind: K, given: Given<K>): OpOf<K> {
  const made = { ...base(kind, actorOf(ALICE)), ...given };
  return made as OpOf<K>;
}

export function empty(): RegistryState {
  return emptyRegistry(REGISTRY_ID, null, NOW);
}

/** The state after ops that all must apply. */
export function stateAfter(state: RegistryState, ...ops: readonly RegistryOp[]): RegistryState {
  return ops.reduce((current, each) => {
    const outcome = apply(current, each);
    if (outcome.kind !== 'applied')
      throw new Error(`${each.op} was ${outcome.kind}: ${JSON.stringify(outcome)}`);
    return outcome.state;
  }, state);
}

/** A registry of one active pod `abc` of Alice's. */
export function withPod(over: Partial<PodRecord> = {}): RegistryState {
  return stateAfter(
    empty(),
    register('abc', { record: recordOf('abc', over), actor: actorOf(over.owner ?? ALICE) }),
  );
}

export function podIn(state: RegistryState, id = 'abc'): PodRecord {
  const record = state.pods[`runpod.${id}`];
  if (record === undefined) throw new Error(`no record of ${id}`);
  return record;
}
