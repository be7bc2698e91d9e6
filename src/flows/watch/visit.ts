/** One visit to one pod: one connection, one probe, everything it can tell; a failure is an answer too. */
import { WorldError, type WorldFailure } from '../../domain/errors.ts';
import { acceptedKeys, newsOf } from '../../domain/host-key.ts';
import type { VisitFailure, VisitLook } from '../../domain/observation.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { noWayTo, type ProviderPod } from '../../domain/provider-pod.ts';
import { probeCall, readProbe } from '../../domain/switch/probe.ts';
import type { ShellSession, World } from '../../ports.ts';
import { printedKeys } from '../entry/pin.ts';

/** The session stays open for the orders that follow; the caller closes it. */
export type Visited = { readonly look: VisitLook; readonly session: ShellSession | null };

export type VisitInput = {
  readonly record: PodRecord;
  /** As this cycle's good list or a GET by id has shown it. */
  readonly pod: ProviderPod;
  readonly samples: 1 | 6;
  /** A connection that is open already. */
  readonly session?: ShellSession | null;
};

export async function visit(world: World, input: VisitInput): Promise<Visited> {
  const { pod } = input;
  if (pod.status !== 'RUNNING') return unvisited('not-ready', `it is ${pod.statusText}`);
  if (pod.ssh.kind === 'unseen')
    return unvisited(FAILURE_OF_ADDRESS[pod.ssh.reason] ?? 'not-ready', pod.ssh.reason);
  let session = input.session ?? null;
  try {
    session ??= await openPod(world, input.record, pod);
    const answered = await session.run(probeCall({ samples: input.samples }));
    return { look: { kind: 'seen', value: { ...readProbe(answered), hostKey: session.hostKey } }, session };
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const failed = unvisited(FAILURE_OF_WORLD[error.failure] ?? 'incomplete-answer', error.told.cameBack);
    return { ...failed, session };
  }
}

/** Opens a connection with the keys that this pod may show now. */
export async function openPod(world: World, record: PodRecord, pod: ProviderPod): Promise<ShellSession> {
  if (pod.ssh.kind === 'unseen') {
    throw new WorldError('no-route', {
      tried: `Connecting to ${pod.id}`,
      cameBack: noWayTo(pod) ?? `the provider shows no address to dial (${pod.ssh.reason})`,
      state: 'Nothing was sent to the pod',
      next: 'Wait until it is up; it needs 22/tcp exposed and a public address',
    });
  }
  return await world.shell.open({
    podId: pod.id,
    address: pod.ssh.value,
    pins: await pinsOf(world, record, pod),
  });
}

/** Where any key would do, the container's log decides if it can be read; what it said before the restart decides nothing. */
async function pinsOf(world: World, record: PodRecord, pod: ProviderPod): Promise<readonly string[] | null> {
  const pinned = acceptedKeys(record, pod, world.clock.now());
  if (pinned !== null) return pinned;
  const printed = await printedKeys(world, pod.id);
  return newsOf(record.hostKey, printed) ? printed : null;
}

function unvisited(failure: VisitFailure, reason: string): Visited {
  return { look: { kind: 'unseen', failure, reason }, session: null };
}

const FAILURE_OF_ADDRESS: Readonly<Record<string, VisitFailure>> = {
  'proxy-only': 'proxy-only',
  'private-address': 'private-address',
  'not-ready': 'not-ready',
};

const FAILURE_OF_WORLD: Readonly<Partial<Record<WorldFailure, VisitFailure>>> = {
  'no-route': 'no-route',
  'refused-login': 'refused-login',
  'wrong-host-key': 'wrong-host-key',
  'held-shut': 'held-shut',
  'incomplete-answer': 'incomplete-answer',
  'timed-out': 'timed-out',
};
