/** The look of one cycle: the account's list, each missing pod by id, the owners, and one visit per pod. */

import { DAY_MS } from '../../domain/duration.ts';
import { lookAt, type Observation, type ProviderLook, type VisitLook } from '../../domain/observation.ts';
import type { OwnerLiveness } from '../../domain/owner.ts';
import { type Part, seen, unseen } from '../../domain/part.ts';
import { isLive, isSamePod, type PodRecord, podKey } from '../../domain/pod.ts';
import { type Reconciled, reconcile } from '../../domain/policy/reconcile.ts';
import { type StrayLook, stampOwner } from '../../domain/policy/stray.ts';
import { absenceConclusive, type Listing, type Lookup, type ProviderPod } from '../../domain/provider-pod.ts';
import { allRecords, type RegistryState } from '../../domain/registry/state.ts';
import { NO_SIGHTINGS, type SweepState, sight } from '../../domain/registry/sweep.ts';
import { ABSENCE_SPACING_MS, type ReaperRules } from '../../domain/rules.ts';
import type { ShellSession, World } from '../../ports.ts';
import { softly } from '../ask.ts';
import { type Visited, visit } from './visit.ts';

export type LookedPod = {
  readonly record: PodRecord;
  readonly observation: Observation;
  /** Kept open until this pod's orders are done. */
  readonly session: ShellSession | null;
};

export type Look = {
  readonly registryId: string;
  readonly listing: Part<Listing>;
  readonly reconciled: Reconciled;
  readonly looked: readonly LookedPod[];
  readonly strays: readonly StrayLook[];
  readonly account: string | null;
  readonly balance: Part<{
    readonly id: string;
    readonly balanceMicroUsd: number;
    readonly spendPerHourMicroUsd: number;
  }>;
  readonly ownNetworkWorks: boolean;
};

export type LookInput = {
  readonly state: RegistryState;
  readonly listing: Part<Listing>;
  readonly sweep: SweepState;
  readonly rules: ReaperRules;
  /** Nothing is asked of pods in a registry that is not ours. */
  readonly mayVisit: boolean;
};

/** Looks at every live record, in parallel; one pod's failure is that pod's unseen part and nobody else's. */
export async function look(world: World, input: LookInput): Promise<Look> {
  const { state, listing } = input;
  const pods = listing.kind === 'seen' ? listing.value.pods : [];
  const reconciled = reconcile(state, pods);
  const records = allRecords(state).filter(isLive);
  const shown = new Map(reconciled.ours.map(({ record, pod }) => [podKey(record), pod]));
  // Visits wait for nobody's answer: the owners are put to them afterwards.
  const [owners, balance, seenPods] = await Promise.all([
    askOwners(world, { records, reconciled, server: state.meta.repository?.server ?? '-' }),
    world.provider.account().catch(() => unseen('the account could not be asked')),
    Promise.all(records.map((record) => lookAtOne(world, input, record, shown.get(podKey(record)) ?? null))),
  ]);
  const looked = seenPods.map(
    ({ observation, ...one }, index): LookedPod => ({
      ...one,
      observation: { ...observation, owner: owners.records[index] ?? unseen('not asked') },
    }),
  );
  return {
    registryId: state.meta.registryId,
    listing,
    reconciled,
    looked,
    strays: reconciled.strays.map((stray, index) => ({
      ...stray,
      owner: owners.strays[index] ?? unseen('not asked'),
      sightings: strayed(input.sweep, stray.pod.id, world.clock.now()),
    })),
    account: balance.kind === 'seen' ? balance.value.id : null,
    balance,
    ownNetworkWorks: await networkWorks(world, looked),
  };
}

/** Our own network needs proof only where some pod shows no route. */
async function networkWorks(world: World, looked: readonly LookedPod[]): Promise<boolean> {
  const away = looked.some(
    ({ observation: { visit: one } }) => one.kind === 'unseen' && one.failure === 'no-route',
  );
  if (!away) return true;
  if (looked.some(({ session }) => session !== null)) return true;
  return await world.shell.ownNetworkWorks();
}

function strayed(sweep: SweepState, podId: string, now: number): StrayLook['sightings'] {
  const before = sweep.pods[podId] ?? NO_SIGHTINGS;
  const stray = sight(before.stray, now, { spacingMs: ABSENCE_SPACING_MS, gapMs: 7 * DAY_MS });
  return { ...before, stray };
}

type Seen = Omit<LookedPod, 'observation'> & { readonly observation: Omit<Observation, 'owner'> };

async function lookAtOne(
  world: World,
  input: LookInput,
  record: PodRecord,
  listed: ProviderPod | null,
): Promise<Seen> {
  const at = world.clock.now();
  const lookup = listed === null ? await softly(() => world.provider.get(record.id)) : null;
  const provider = lookAt(listedPart(input.listing, listed), lookupOf(record, lookup));
  const visited = input.mayVisit ? await visitIfShown(world, record, provider) : notShown('visits are off');
  return { record, observation: { at, provider, visit: visited.look }, session: visited.session };
}

/** What the list says of one pod: the pod, a conclusive absence, or why it says nothing. */
function listedPart(listing: Part<Listing>, pod: ProviderPod | null): Part<ProviderPod | null> {
  if (pod !== null) return seen(pod);
  const conclusive = absenceConclusive(listing);
  return conclusive.kind === 'unseen' ? conclusive : seen(null);
}

/** Another pod under the same id is not this pod. */
export function lookupOf(record: PodRecord, lookup: Part<Lookup> | null): Part<Lookup> | null {
  if (lookup?.kind !== 'seen' || lookup.value.kind === 'absent') return lookup;
  return isSamePod(record, lookup.value.pod) ? lookup : seen({ kind: 'absent' });
}

async function visitIfShown(world: World, record: PodRecord, provider: ProviderLook): Promise<Visited> {
  if (provider.kind !== 'present') return notShown('the provider does not show it');
  return await visit(world, { record, pod: provider.pod, samples: 1 });
}

function notShown(reason: string): { look: VisitLook; session: null } {
  return { look: { kind: 'unseen', failure: 'not-shown', reason }, session: null };
}

type Owners = {
  readonly records: readonly Part<OwnerLiveness>[];
  readonly strays: readonly Part<OwnerLiveness>[];
};

type OwnerQuestion = {
  readonly records: readonly PodRecord[];
  readonly reconciled: Reconciled;
  /** The forge that this registry belongs to: a stamp names only repository and run. */
  readonly server: string;
};

async function askOwners(world: World, { records, reconciled, server }: OwnerQuestion): Promise<Owners> {
  const strayOwners = reconciled.strays.map(({ stamp }) => stampOwner(stamp, server));
  const all = [...records.map((record) => record.owner), ...strayOwners];
  const answers = await softly(() => world.ci.liveness(all));
  const each = all.map((_, index) =>
    answers.kind === 'unseen' ? answers : (answers.value[index] ?? unseen('no answer')),
  );
  return { records: each.slice(0, records.length), strays: each.slice(records.length) };
}
