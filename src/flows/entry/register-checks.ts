/** The checks of register, all before anything is written: each refusal names the input and the mend. */
import type { Choice } from '../../domain/choice.ts';
import { formatDuration, HOUR_MS } from '../../domain/duration.ts';
import { ConfigError, Refusal } from '../../domain/errors.ts';
import type { Owner } from '../../domain/owner.ts';
import { fenceBinds, type PodRecord } from '../../domain/pod.ts';
import { stampOf } from '../../domain/policy/reconcile.ts';
import { noWayTo, type ProviderPod } from '../../domain/provider-pod.ts';
import { allRecords } from '../../domain/registry/state.ts';
import type { Rules } from '../../domain/rules.ts';
import { mintedFor } from '../../domain/stamp.ts';
import type { Snapshot, World } from '../../ports.ts';
import type { Acting } from '../acting.ts';
import { proveLogin } from './prove-login.ts';

export type RegisterInput = {
  readonly acting: Acting;
  readonly owner: Owner;
  readonly podId: string;
  readonly remotePath: string | null;
  readonly noArtifacts: boolean;
  readonly allowEmpty: boolean;
  /** Which files below remotePath; frozen in the record. */
  readonly choice: Choice | null;
  readonly killInMs: number;
  /** Whether a person gave kill-in: only then does a reclaim move the owner deadline. */
  readonly killInGiven: boolean;
  readonly killAbsoluteMs: number | null;
  readonly rules: Rules;
  /** For people and for the record where the provider does not say. */
  readonly gpu: string | null;
  readonly costPerHourMicroUsd: number | null;
  /** The volume that must be mounted; compared with the provider's answer. */
  readonly volumeId: string | null;
  /** Compared with the provider's answer, never stored. */
  readonly expectedAddress: { readonly host: string | null; readonly port: number | null };
  /** Take a pod that carries another registry's stamp or mark. */
  readonly adopt: boolean;
  /** Refuse when the reaper's last full sweep is older; null = only say so. */
  readonly freshReaperMs: number | null;
  /** When this job's run began; null = unknown. */
  readonly runStartedAt: number | null;
  /** The nonce that this job gave its own create call; null = it created nothing. */
  readonly ownNonce: string | null;
};

/** The same for every pod of one job. */
export type Asked = Omit<RegisterInput, 'podId'>;

export function checkArtifacts(input: RegisterInput): void {
  if (input.noArtifacts !== (input.remotePath === null)) {
    throw new ConfigError('remote-path', {
      tried: `Registering ${input.podId}`,
      cameBack: input.noArtifacts
        ? 'both remote-path and no-artifacts were given'
        : 'no artifact path was given',
      state: 'The pod was not touched',
      next: 'Give remote-path, or no-artifacts to decline artifacts on purpose',
    });
  }
  if (input.noArtifacts && input.choice !== null) {
    throw new ConfigError('include', {
      tried: `Registering ${input.podId}`,
      cameBack: 'both patterns and no-artifacts were given',
      state: 'The pod was not touched',
      next: 'Leave include and exclude out where nothing is to be saved',
    });
  }
  if (input.remotePath !== null && !/^(\/|~\/)[^\0\n]*$/.test(input.remotePath)) {
    throw new ConfigError('remote-path', {
      tried: `Registering ${input.podId}`,
      cameBack: `remote-path "${input.remotePath.slice(0, 60)}" is not absolute`,
      state: 'The pod was not touched',
      next: 'Give an absolute path on the pod, such as /workspace/results',
    });
  }
}

export async function findPod(world: World, podId: string): Promise<ProviderPod> {
  const lookup = await world.provider.get(podId);
  if (lookup.kind === 'present' && lookup.pod.status !== 'TERMINATED') return lookup.pod;
  throw new ConfigError('pod-id', {
    tried: `Looking up pod ${podId}`,
    cameBack: lookup.kind === 'absent' ? 'this account has no such pod' : 'it is TERMINATED already',
    state: 'Nothing was registered',
    next: 'Check the id, and that the key belongs to the account of the pod',
  });
}

/** Finds out before the job starts, not when the bill has to be stopped. Gives what could not be found out. */
export async function checkKey(world: World): Promise<readonly string[]> {
  const { read, terminate } = await world.provider.abilities();
  if (read === 'yes' && terminate === 'yes') return [];
  if (read === 'yes' && terminate === 'unknown')
    return ['whether this RunPod key may terminate pods could not be measured'];
  throw new Refusal('key-cannot-terminate', {
    tried: 'Checking what the RunPod key may do',
    cameBack: read === 'no' ? 'it may not read pods' : 'it may look but not terminate',
    state: 'The pod was not touched and is not registered',
    next: 'Give a key with read and write access to pods (api-key or RUNPOD_API_KEY)',
  });
}

/** The reaper that has not come for this long is told. */
export const LATE_SWEEP_MS = 2 * HOUR_MS;

/** Says before the job starts whether anybody watches: a schedule may be late, or switched off. */
export function saysLateSweep({ state, sweep }: Snapshot, now: number): readonly string[] {
  const { lastFullSweepAt } = sweep;
  const oldest = allRecords(state).reduce((first, record) => Math.min(first, record.registeredAt), now);
  if (now - (lastFullSweepAt ?? oldest) <= LATE_SWEEP_MS) return [];
  const since = lastFullSweepAt === null ? 'never' : `${formatDuration(now - lastFullSweepAt)} ago`;
  return [
    `the last sweep of the reaper was ${since}: until it comes, this job and the pod's own switch alone end the pod`,
  ];
}

/** A job must not begin its work on a pod that is being ended. */
export function checkNotEnding({ id, status, fence }: PodRecord, now: number): void {
  if (status !== 'terminating' || fence === null || !fenceBinds(fence, now)) return;
  throw new Refusal('fence-held', {
    tried: `Registering ${id}`,
    cameBack: `${fence.holder} is ending it (${fence.reason})`,
    state: 'The pod and its record were not touched',
    next: `Wait until that is over, at most ${formatDuration(fence.until - now)}, and look again`,
  });
}

/** Whose registry, and whose stamp. */
export function checkRegistry(snapshot: Snapshot, pod: ProviderPod, input: RegisterInput): void {
  const foreign = snapshot.caution.find((caution) => caution.code === 'foreign-repository');
  if (foreign !== undefined) {
    throw new Refusal('foreign-registry', {
      tried: `Registering ${pod.id}`,
      cameBack: foreign.detail,
      state: 'The registry is read-only here and was not written',
      next: 'Use the registry of this repository, or start this one on purpose',
    });
  }
  const stamp = stampOf(pod);
  if (stamp === null || stamp.registryId === snapshot.state.meta.registryId || input.adopt) return;
  throw new Refusal('other-registry', {
    tried: `Registering ${pod.id}`,
    cameBack: 'it carries the stamp of another registry',
    state: 'The pod was not touched',
    next: 'If it is really yours to take, register it with adopt',
  });
}

/** Whether an unrecorded pod may become ours, and what has to be said about it. */
export async function checkTaking(
  world: World,
  input: RegisterInput,
  pod: ProviderPod,
  registryId: string,
): Promise<string[]> {
  const warnings: string[] = [];
  if (input.volumeId !== null && pod.volumeId !== input.volumeId) {
    throw new Refusal('volume-mismatch', {
      tried: `Checking the network volume of ${pod.id}`,
      cameBack: `${pod.volumeId === null ? 'no volume' : `volume ${pod.volumeId}`} is mounted, ${input.volumeId} was expected`,
      state: 'The pod was not touched and is not registered',
      next: 'Create the pod in the data centre of the volume, with the volume attached',
    });
  }
  warnings.push(...checkWay(input, pod));
  const address = pod.ssh.kind === 'seen' ? pod.ssh.value : null;
  const { host, port } = input.expectedAddress;
  if (
    address !== null &&
    ((host !== null && host !== address.host) || (port !== null && port !== address.port))
  ) {
    warnings.push('the SSH address that was given is not the one the provider shows; the provider’s is used');
  }
  if (!carriesOwnStamp(pod) && isOlderThanRun(world, input, pod)) {
    await proveLogin(world, pod, { registryId, adopt: input.adopt });
  }
  return warnings;
}

/** Results need a direct way; a pod without results may do with its deadlines and the reaper. */
function checkWay(input: RegisterInput, pod: ProviderPod): readonly string[] {
  const why = noWayTo(pod);
  if (why === null) return [];
  if (input.noArtifacts) return [`no switch can be planted on it: ${why}`];
  throw new Refusal('no-way-to-copy', {
    tried: `Making sure that the results of ${pod.id} can be copied`,
    cameBack: why,
    state: 'The pod was not touched and is not registered; it may bill',
    next: 'Create it with 22/tcp exposed and a public address, or register it with no-artifacts',
  });
}

/** A stamp that was minted for another pod came along with a copied env and proves nothing. */
function carriesOwnStamp(pod: ProviderPod): boolean {
  const stamp = stampOf(pod);
  return stamp !== null && pod.createdAt !== null && mintedFor(stamp, pod.createdAt);
}

/** An unstamped pod that was there before this run (unknown: an hour) might be a colleague's. */
function isOlderThanRun(world: World, input: RegisterInput, pod: ProviderPod): boolean {
  const since = input.runStartedAt ?? world.clock.now() - HOUR_MS;
  return pod.createdAt === null || pod.createdAt < since;
}
