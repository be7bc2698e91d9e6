/** Brings into the registry what the provider proves to be ours: fulfilled intents, and ended pods seen again. */
import { DAY_MS } from '../../domain/duration.ts';
import type { Part } from '../../domain/part.ts';
import { isSamePod, type PodRecord } from '../../domain/pod.ts';
import { reconcile } from '../../domain/policy/reconcile.ts';
import type { Listing, ProviderPod } from '../../domain/provider-pod.ts';
import type { RegistryOp } from '../../domain/registry/ops.ts';
import { allRecords, type RegistryState } from '../../domain/registry/state.ts';
import type { World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';
import { softly } from '../ask.ts';

/** A lost pod is asked for again for this long: nobody of ours has ended it. */
const ASKED_AGAIN_MS = 7 * DAY_MS;

/** The state after; the same state where there was nothing to enter. */
export async function enterListed(
  world: World,
  acting: Acting,
  state: RegistryState,
  listing: Part<Listing>,
): Promise<RegistryState> {
  const sorted = reconcile(state, listing.kind === 'seen' ? listing.value.pods : []);
  const listed = new Set(sorted.reopened.map(({ record }) => record.id));
  const back = await Promise.all([
    ...sorted.reopened.map(async ({ record }) => await isShown(world, record, true)),
    ...lostLately(state, world.clock.now())
      .filter((record) => !listed.has(record.id))
      .map(async (record) => await isShown(world, record, false)),
  ]);
  const ops = [
    ...back.flatMap((record) => (record === null ? [] : [reopen(world, acting, record)])),
    ...sorted.ours.flatMap(({ record, pod }) =>
      record.status === 'intent' ? [fulfil(world, acting, { intent: record, pod })] : [],
    ),
  ];
  if (ops.length === 0) return state;
  return (await world.registry.submit(ops)).state;
}

function lostLately(state: RegistryState, now: number): readonly PodRecord[] {
  return allRecords(state).filter(
    ({ status, end }) => status === 'lost' && end !== null && now - end.at < ASKED_AGAIN_MS,
  );
}

/** The record if its pod is shown by id. A list may lag behind a death: it is believed where no GET speaks against it. */
async function isShown(world: World, record: PodRecord, listed: boolean): Promise<PodRecord | null> {
  const lookup = await softly(() => world.provider.get(record.id));
  if (lookup.kind === 'unseen') return listed ? record : null;
  if (lookup.value.kind === 'absent') return null;
  const { pod } = lookup.value;
  return isSamePod(record, pod) && pod.status !== 'TERMINATED' ? record : null;
}

function reopen(world: World, acting: Acting, record: PodRecord): RegistryOp {
  world.log.say(
    'warning',
    `${record.id}: the record says ${record.status}, but the provider shows it: reopened`,
  );
  const reason = `shown again although ${record.status}`;
  return { ...opBase(world, acting, 'reopen'), op: 'reopen', pod: record.id, reason };
}

function fulfil(
  world: World,
  acting: Acting,
  { intent, pod }: { readonly intent: PodRecord; readonly pod: ProviderPod },
): RegistryOp {
  const { createdAt, startedAt } = pod;
  const entered = { ...intent, id: pod.id, status: 'active' as const, createdAt, startedAt };
  const base = opBase(world, acting, 'register');
  return { ...base, op: 'register', pod: pod.id, record: entered, fulfils: intent.id };
}
