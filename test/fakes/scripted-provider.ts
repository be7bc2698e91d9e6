/** A Provider in memory for tests of flows: a map of pods, failures on demand, and a log of what was asked. */
import { WorldError, type WorldFailure } from '../../src/domain/errors.ts';
import { type Part, seen, unseen } from '../../src/domain/part.ts';
import type {
  Listing,
  Lookup,
  MalformedItem,
  ProviderPod,
  ProviderStatus,
} from '../../src/domain/provider-pod.ts';
import type { Money, Provider, TerminateAnswer } from '../../src/ports.ts';

export type Verb = keyof Provider;

/** A running GPU pod with an address and telemetry; times in epoch ms. */
export function aPod(over: Partial<ProviderPod> & { readonly id: string }): ProviderPod {
  const status = over.status ?? 'RUNNING';
  const up = status === 'RUNNING';
  return {
    name: `pod-${over.id}`,
    status,
    statusText: status,
    createdAt: Date.UTC(2026, 2, 2, 9),
    startedAt: Date.UTC(2026, 2, 2, 9, 3),
    stamp: null,
    locked: false,
    costPerHourMicroUsd: up ? 2_690_000 : 0,
    gpu: { type: 'NVIDIA H100 80GB HBM3', count: 1 },
    cpu: false,
    dataCenter: 'EU-RO-1',
    volumeId: null,
    volumePath: '/workspace',
    telemetry: up
      ? seen({ uptimeMs: 1_800_000, gpus: [{ util: 93, memoryUtil: 71 }], cpuUtil: 22 })
      : unseen('not-running'),
    ssh: up ? seen({ host: '203.0.113.20', port: 22117, username: 'root' }) : unseen('not-running'),
    proxied: up,
    ...over,
  };
}

export function worldError(failure: WorldFailure, tried = 'Asking the scripted provider'): WorldError {
  return new WorldError(failure, {
    tried,
    cameBack: `scripted ${failure}`,
    state: 'Nothing was changed',
    next: 'Nothing to do: this is a test',
  });
}

type Failure = { readonly verb: Verb; readonly podId: string | null; readonly error: unknown; left: number };

export type ScriptedProvider = Provider & {
  /** What there is; change it at will. */
  readonly pods: Map<string, ProviderPod>;
  /** `list`, `get p1`, `terminate p1`, … in order. */
  readonly calls: string[];
  /** Ids that `list` leaves out while `get` shows them. */
  readonly hidden: Set<string>;
  /** Told with every list. */
  readonly malformed: MalformedItem[];
  /** Log lines by pod, newest last. */
  readonly logBook: Map<string, readonly string[]>;
  /** What `account` says. */
  money: Part<{ readonly id: string } & Money>;
  put(...pods: readonly ProviderPod[]): void;
  /** Calls of `verb` (about `podId`, if given) throw `error`: `times` of them, for ever where not given. */
  fail(verb: Verb, error: WorldFailure | Error, more?: { podId?: string; times?: number }): void;
  /** After its end was accepted, the pod stays visible for so many looks by `get`, in this status or its old one. */
  linger(podId: string, looks: number, status?: ProviderStatus): void;
  /** The same pods, seen with another key. */
  withKey(key: 'read-only' | 'refused'): Provider;
};

type Lingering = { looks: number; readonly status: ProviderStatus | null };

export function scriptedProvider(...pods: readonly ProviderPod[]): ScriptedProvider {
  const book = new Map(pods.map((pod) => [pod.id, pod]));
  const calls: string[] = [];
  const hidden = new Set<string>();
  const malformed: MalformedItem[] = [];
  const logBook = new Map<string, readonly string[]>();
  const failures: Failure[] = [];
  const lingering = new Map<string, Lingering>();
  const ending = new Set<string>();

  function called(verb: Verb, podId: string | null): void {
    calls.push(podId === null ? verb : `${verb} ${podId}`);
    const failure = failures.find(
      (one) => one.verb === verb && one.left > 0 && (one.podId === null || one.podId === podId),
    );
    if (failure === undefined) return;
    failure.left -= 1;
    throw failure.error;
  }

  const known = (podId: string, tried: string): ProviderPod => {
    const pod = book.get(podId);
    if (pod === undefined) throw worldError('not-found', tried);
    return pod;
  };

  function look(podId: string): Lookup {
    const pod = book.get(podId);
    const rest = lingering.get(podId);
    if (pod !== undefined && ending.has(podId) && rest !== undefined) {
      if (rest.looks <= 0) book.delete(podId);
      rest.looks -= 1;
    }
    const now = book.get(podId);
    return now === undefined ? { kind: 'absent' } : { kind: 'present', pod: now };
  }

  function end(podId: string): TerminateAnswer {
    const pod = book.get(podId);
    if (pod === undefined) return 'already-absent';
    const rest = lingering.get(podId);
    ending.add(podId);
    if (rest === undefined) book.delete(podId);
    else if (rest.status !== null) book.set(podId, { ...pod, status: rest.status, statusText: rest.status });
    return 'accepted';
  }

  const provider: Provider = {
    list: async (): Promise<Listing> => {
      called('list', null);
      return { pods: [...book.values()].filter(({ id }) => !hidden.has(id)), malformed: [...malformed] };
    },
    get: async (podId) => {
      called('get', podId);
      return look(podId);
    },
    terminate: async (podId) => {
      called('terminate', podId);
      return end(podId);
    },
    stop: async (podId) => {
      called('stop', podId);
      const { telemetry: _telemetry, ssh: _ssh, ...pod } = known(podId, 'Stopping a pod');
      book.set(
        podId,
        aPod({ ...pod, status: 'EXITED', statusText: 'EXITED', costPerHourMicroUsd: 0, proxied: false }),
      );
    },
    start: async (podId) => {
      called('start', podId);
      const { telemetry: _telemetry, ssh: _ssh, ...pod } = known(podId, 'Starting a pod');
      const started = aPod({ ...pod, status: 'RUNNING', statusText: 'RUNNING' });
      book.set(podId, started);
      return started;
    },
    logs: async (podId, tail) => {
      called('logs', podId);
      known(podId, 'Reading a log');
      return tail <= 0 ? [] : (logBook.get(podId) ?? []).slice(-tail);
    },
    account: async () => {
      called('account', null);
      return scripted.money;
    },
    abilities: async () => {
      called('abilities', null);
      return { read: 'yes', terminate: 'yes' };
    },
  };

  const scripted: ScriptedProvider = {
    ...provider,
    pods: book,
    calls,
    hidden,
    malformed,
    logBook,
    money: seen({ id: 'user_scripted', balanceMicroUsd: 25_000_000, spendPerHourMicroUsd: 2_690_000 }),
    put: (...more) => {
      for (const pod of more) book.set(pod.id, pod);
    },
    fail: (verb, error, { podId, times } = {}) => {
      const what = typeof error === 'string' ? worldError(error, `Calling ${verb}`) : error;
      failures.push({ verb, podId: podId ?? null, error: what, left: times ?? Number.POSITIVE_INFINITY });
    },
    linger: (podId, looks, status) => void lingering.set(podId, { looks, status: status ?? null }),
    withKey: (key) => (key === 'refused' ? refusedKey() : readOnlyKey(provider)),
  };
  return scripted;
}

function readOnlyKey(provider: Provider): Provider {
  const no = () => Promise.reject(worldError('forbidden'));
  return {
    ...provider,
    terminate: no,
    stop: no,
    start: no,
    abilities: () => Promise.resolve({ read: 'yes', terminate: 'no' }),
  };
}

function refusedKey(): Provider {
  const no = () => Promise.reject(worldError('unauthorized'));
  return {
    list: no,
    get: no,
    terminate: no,
    stop: no,
    start: no,
    logs: no,
    account: () => Promise.resolve(unseen('unauthorized: scripted')),
    abilities: () => Promise.resolve({ read: 'no', terminate: 'no' }),
  };
}
