/** The fence: the right to end one pod, taken by compare-and-swap, renewed while at work, and given back. */
import { MINUTE_MS } from '../../domain/duration.ts';
import { type Fence, fenceBinds, type PodRecord, podKey, type VerdictFacts } from '../../domain/pod.ts';
import type { Reason } from '../../domain/policy/reasons.ts';
import type { OpOf } from '../../domain/registry/ops.ts';
import { FENCE_MS } from '../../domain/rules.ts';
import type { OpResult, World } from '../../ports.ts';
import { type Acting, opBase } from '../acting.ts';
import { softly } from '../ask.ts';
import { settleBase } from '../watch/settle.ts';

const RENEW_MS = 10 * MINUTE_MS;

export type Fenced =
  | { readonly kind: 'held'; readonly record: PodRecord; readonly fence: Fence }
  | { readonly kind: 'refused'; readonly because: string; readonly detail: string };

/** Fences `record` at the rev at which the verdict was made; a record that moved on is refused. */
export async function takeFence(
  world: World,
  acting: Acting,
  record: PodRecord,
  why: { readonly reason: Reason; readonly inferred: boolean; readonly verdict: VerdictFacts | null },
): Promise<Fenced> {
  const now = world.clock.now();
  const fence: Fence = {
    holder: acting.holder,
    reason: why.reason,
    rev: record.rev,
    at: now,
    until: now + FENCE_MS,
    inferred: why.inferred,
    step: 'fenced',
  };
  const { verdict } = why;
  const learned = verdict === null ? null : { ...settleBase(world, acting, record), verdict };
  return await submitFence(world, acting, record, { fence, learned });
}

type Renewal = {
  readonly step: Fence['step'];
  readonly lapse?: true;
  /** What is committed together with it. */
  readonly learned?: OpOf<'settle'>;
};

/** Renews the same fence, with how far its holder has come; `lapse` lets anybody take over at once. */
export async function renewFence(
  world: World,
  acting: Acting,
  record: PodRecord,
  next: Renewal,
): Promise<Fenced> {
  const first = await renewAt(world, acting, record, next);
  if (first.kind === 'held' || (first.because !== 'rev-moved' && first.because !== 'lapsed')) return first;
  // A heartbeat or a mirror of meanwhile moves the rev of the record, and nothing of the fence.
  const now = (await world.registry.read()).state.pods[podKey(record)];
  return now !== undefined && isSameFence(now, record) ? await renewAt(world, acting, now, next) : first;
}

async function renewAt(world: World, acting: Acting, record: PodRecord, next: Renewal): Promise<Fenced> {
  const held = record.fence;
  if (held === null) return { kind: 'refused', because: 'not-my-fence', detail: 'nobody holds a fence' };
  const now = world.clock.now();
  if (!fenceBinds(held, now) && next.lapse !== true)
    return { kind: 'refused', because: 'lapsed', detail: 'the fence has lapsed, and its verdict with it' };
  const fence = { ...held, step: next.step, until: next.lapse === true ? now : now + FENCE_MS };
  return await submitFence(world, acting, record, { fence, learned: next.learned ?? null });
}

async function submitFence(
  world: World,
  acting: Acting,
  record: PodRecord,
  { fence, learned }: { readonly fence: Fence; readonly learned: OpOf<'settle'> | null },
): Promise<Fenced> {
  const base = opBase(world, acting, 'fence');
  const op = { ...base, op: 'fence' as const, pod: record.id, rev: record.rev, fence };
  // After the fence: a settle raises the rev, and the fence is taken at the rev of the verdict.
  const submitted = await world.registry.submit(learned === null ? [op] : [op, learned]);
  return fencedBy(submitted.results[0], submitted.state.pods[podKey(record)], fence);
}

function fencedBy(result: OpResult | undefined, after: PodRecord | undefined, fence: Fence): Fenced {
  if (result?.kind === 'refused') return { kind: 'refused', because: result.because, detail: result.detail };
  const held = after?.fence;
  if (after === undefined || held === null || held?.holder !== fence.holder || held.rev !== fence.rev) {
    return { kind: 'refused', because: 'not-my-fence', detail: 'the record does not carry this fence' };
  }
  return { kind: 'held', record: after, fence: held };
}

/** Back to active; the reason stays in the record. Gives why not: a fence that is no longer ours is left as it is. */
export async function releaseFence(
  world: World,
  acting: Acting,
  record: PodRecord,
  reason: string,
): Promise<string | null> {
  if (record.fence === null) return null;
  const base = opBase(world, acting, 'release');
  const submitted = await world.registry.submit([
    { ...base, op: 'release', pod: record.id, fenceRev: record.fence.rev, reason: reason.slice(0, 200) },
  ]);
  const [result] = submitted.results;
  return result?.kind === 'refused' ? result.detail : null;
}

/** Does `work` while the fence is renewed every 10 minutes, so that a long pull does not lose it. */
export async function whileFenced<T>(
  world: World,
  acting: Acting,
  held: PodRecord,
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const renewing = renewUntil(world, acting, held, done.signal);
  try {
    return await work();
  } finally {
    done.abort();
    await renewing;
  }
}

async function renewUntil(world: World, acting: Acting, held: PodRecord, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await world.clock.sleep(RENEW_MS, signal);
    if (signal.aborted) return;
    const renewed = await softly(() => renewOnce(world, acting, held));
    // The re-read before DELETE finds out what became of it; here it is only told.
    const why = renewed.kind === 'unseen' ? renewed.reason : renewed.value;
    if (why !== null) world.log.say('warning', `${held.id}: the fence could not be renewed: ${why}`);
  }
}

/** On the record as it is now; null = renewed. A fence that was let go on purpose is not taken back. */
async function renewOnce(world: World, acting: Acting, held: PodRecord): Promise<string | null> {
  const now = (await world.registry.read()).state.pods[podKey(held)];
  if (now === undefined || now.fence === null || !isSameFence(now, held)) return 'it is ours no longer';
  if (!fenceBinds(now.fence, world.clock.now())) return 'it has lapsed';
  const renewed = await renewFence(world, acting, now, { step: now.fence.step });
  return renewed.kind === 'held' ? null : renewed.detail;
}

/** By the same holder at the same rev, lapsed or not. */
export function isSameFence(now: PodRecord, held: PodRecord): boolean {
  return now.fence !== null && now.fence.holder === held.fence?.holder && now.fence.rev === held.fence.rev;
}
