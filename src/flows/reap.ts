/** One reap cycle: read, look, think, act, write, tell. */

import type { Outcome } from '../domain/outcome.ts';
import type { Part } from '../domain/part.ts';
import type { Caution } from '../domain/policy/caution.ts';
import { type Plan, type PodPlan, plan } from '../domain/policy/plan.ts';
import { sweepWithRearms } from '../domain/policy/rearms.ts';
import type { Listing } from '../domain/provider-pod.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { SweepState } from '../domain/registry/sweep.ts';
import type { ReaperRules } from '../domain/rules.ts';
import type { Snapshot, World } from '../ports.ts';
import type { Acting } from './acting.ts';
import type { ArmKeys } from './arm.ts';
import { softly } from './ask.ts';
import { carryOut } from './carry-out.ts';
import { askAgain } from './ending/ask-again.ts';
import { endStrays } from './ending/strays.ts';
import { enterListed } from './entry/enter-listed.ts';
import { foldQueue } from './entry/fold-queue.ts';
import { forgets } from './watch/forget.ts';
import { learn } from './watch/learn.ts';
import { type Look, look } from './watch/observe.ts';

export type ReapOptions = {
  readonly acting: Acting;
  readonly rules: ReaperRules;
  readonly keys: ArmKeys;
  readonly dryRun: boolean;
  readonly mirror: boolean;
  readonly pullBudgetMs: number;
};

export type Cycle = {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly listing: Part<Listing>;
  readonly balance: Look['balance'];
  readonly dryRun: boolean;
  /** Whether the sweep state was renewed: only a sweep that really ran renews it. */
  readonly swept: boolean;
  readonly lastSweepBefore: number | null;
  /** Why what was learned could not be committed at the end; left out = it was. */
  readonly unwritten?: string;
};

/** Throws WorldError when the registry cannot be read: then nothing is concluded of any pod. */
export async function reap(world: World, options: ReapOptions): Promise<Cycle> {
  // A list that is a moment older than the registry concludes nothing: whatever it lacks or adds is asked by id.
  const [before, listing] = await Promise.all([world.registry.read(), softly(() => world.provider.list())]);
  const foreign = before.caution.some((caution) => caution.code === 'foreign-repository');
  const state = options.dryRun || foreign ? before.state : await entered(world, options, { before, listing });
  const seenNow = await look(world, {
    state,
    listing,
    sweep: before.sweep,
    rules: options.rules,
    mayVisit: !foreign,
  });
  try {
    const cyclePlan = think(world, { before, state, seenNow, options });
    if (options.dryRun || foreign) return told(before, { plan: cyclePlan, seenNow, options });
    const outcomes = await act(world, { plan: cyclePlan, seenNow, options });
    // What was done is told, whatever becomes of the registry after it.
    const swept = await softly(async () => {
      await write(world, { plan: cyclePlan, options, outcomes, state, caution: before.caution, listing });
      return (
        listing.kind === 'seen' &&
        (await renewSweep(world, before.sweep, sweepWithRearms(cyclePlan, outcomes)))
      );
    });
    const end = swept.kind === 'seen' ? { swept: swept.value } : { unwritten: swept.reason };
    return { ...told(before, { plan: cyclePlan, seenNow, options }), outcomes, ...end };
  } finally {
    await Promise.all(seenNow.looked.map(async ({ session }) => await session?.close()));
  }
}

/** The state with what the list proves to be ours; as it was read where the registry takes no writes. */
async function entered(
  world: World,
  options: ReapOptions,
  { before, listing }: { readonly before: Snapshot; readonly listing: Part<Listing> },
): Promise<Snapshot['state']> {
  const after = await softly(async () =>
    enterListed(world, options.acting, await foldQueue(world, before), listing),
  );
  if (after.kind === 'seen') return after.value;
  world.log.say('error', `what the list proves to be ours could not be entered: ${after.reason}`);
  return before.state;
}

type Thought = { readonly plan: Plan; readonly seenNow: Look; readonly options: ReapOptions };

function think(
  world: World,
  from: { before: Snapshot; state: Snapshot['state']; seenNow: Look; options: ReapOptions },
): Plan {
  const { before, state, seenNow, options } = from;
  return plan({
    state,
    // A real cycle has reopened what came back; what it left ended is a list that lags behind.
    reconciled: options.dryRun ? seenNow.reconciled : { ...seenNow.reconciled, reopened: [] },
    looked: seenNow.looked,
    strays: seenNow.strays,
    sweep: before.sweep,
    rules: options.rules,
    now: world.clock.now(),
    cautions: before.caution.map((caution): Caution => caution),
    ownNetworkWorks: seenNow.ownNetworkWorks,
    account: seenNow.account,
  });
}

function told(before: Snapshot, { plan: of, seenNow, options }: Thought): Cycle {
  return {
    plan: of,
    outcomes: [],
    listing: seenNow.listing,
    balance: seenNow.balance,
    dryRun: options.dryRun,
    swept: false,
    lastSweepBefore: before.sweep.lastFullSweepAt,
  };
}

/** All pods at once, each behind its own wall; strays after them. */
async function act(world: World, { plan: of, seenNow, options }: Thought): Promise<readonly Outcome[]> {
  const sessions = new Map(seenNow.looked.map((looked) => [looked.record.id, looked.session]));
  const carried = await Promise.all(
    of.pods.map(
      async (pod) =>
        await carryOut(world, {
          acting: options.acting,
          pod,
          session: sessions.get(pod.record.id) ?? null,
          registryId: seenNow.registryId,
          keys: options.keys,
          askAgain: (asked, session) => askAgain(world, asked, session),
          mirror: options.mirror,
          pullBudgetMs: options.pullBudgetMs,
        }),
    ),
  );
  const strays = await endStrays(world, options, of.strays);
  return [...carried.flat(), ...strays];
}

type Around = Parameters<typeof forgets>[2];

/** What was learned, in one commit; nothing new is no commit. */
async function write(
  world: World,
  {
    plan: of,
    options,
    outcomes,
    ...around
  }: Omit<Thought, 'seenNow'> & { readonly outcomes: readonly Outcome[] } & Around,
): Promise<void> {
  const learned = of.pods.flatMap((pod): RegistryOp[] =>
    learn(world, options.acting, pod, livesOn(pod, outcomes)),
  );
  const ops = [...learned, ...forgets(world, options.acting, around)];
  if (ops.length > 0) await world.registry.submit(ops);
}

/** What was not ordered to end, and what was ordered to end and is still there. */
function livesOn({ record, verdict }: PodPlan, outcomes: readonly Outcome[]): boolean {
  if (verdict.kind === 'keep') return true;
  const end = outcomes.find(({ pod, order }) => pod === record.id && order === 'teardown');
  return end?.kind === 'released' || end?.kind === 'failed';
}

/** The tip is read after the commits of this cycle, so that the next one can tell a rewind. */
async function renewSweep(world: World, before: SweepState, next: SweepState): Promise<boolean> {
  const { version, sweep } = await world.registry.read();
  if (version === null) return false;
  // This read has renewed the lease, so what another reaper saved meanwhile is noticed here: his sightings stand.
  if (JSON.stringify(sweep) !== JSON.stringify(before)) return false;
  const now = world.clock.now();
  return await world.registry.saveSweep({
    ...next,
    registryId: sweep.registryId,
    lastFullSweepAt: now,
    registryTip: version,
    sweeping: null,
  });
}
