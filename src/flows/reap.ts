/** One reap cycle: read, look, think, act, write, tell. */

import { lookAt } from '../domain/observation.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Part } from '../domain/part.ts';
import type { PodRecord } from '../domain/pod.ts';
import type { Caution } from '../domain/policy/caution.ts';
import { decide } from '../domain/policy/decide.ts';
import { type Plan, type PodPlan, plan } from '../domain/policy/plan.ts';
import type { Verdict } from '../domain/policy/reasons.ts';
import type { Listing } from '../domain/provider-pod.ts';
import type { RegistryOp } from '../domain/registry/ops.ts';
import type { SweepState } from '../domain/registry/sweep.ts';
import type { ReaperRules } from '../domain/rules.ts';
import type { ShellSession, Snapshot, World } from '../ports.ts';
import type { Acting } from './acting.ts';
import type { ArmKeys } from './arm.ts';
import { softly } from './ask.ts';
import { carryOut } from './carry-out.ts';
import { enterListed } from './enter-listed.ts';
import { learn } from './learn.ts';
import { type Look, type LookedPod, look } from './observe.ts';
import { endStrays } from './strays.ts';
import { visit } from './visit.ts';

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
};

/** Samples taken right before an idle kill, over about 5 s. */
const SURE_SAMPLES = 6;

/** Throws WorldError when the registry cannot be read: then nothing is concluded of any pod. */
export async function reap(world: World, options: ReapOptions): Promise<Cycle> {
  const before = await world.registry.read();
  const listing = await softly(() => world.provider.list());
  const foreign = before.caution.some((caution) => caution.code === 'foreign-repository');
  const state =
    options.dryRun || foreign
      ? before.state
      : await enterListed(world, options.acting, before.state, listing);
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
    await write(world, { plan: cyclePlan, seenNow, options });
    const swept = listing.kind === 'seen' && (await renewSweep(world, cyclePlan.sweep));
    return { ...told(before, { plan: cyclePlan, seenNow, options }), outcomes, swept };
  } finally {
    await Promise.all(seenNow.looked.map(({ session }) => session?.close()));
  }
}

type Thought = { readonly plan: Plan; readonly seenNow: Look; readonly options: ReapOptions };

function think(
  world: World,
  from: { before: Snapshot; state: Snapshot['state']; seenNow: Look; options: ReapOptions },
): Plan {
  const { before, state, seenNow, options } = from;
  return plan({
    state,
    reconciled: seenNow.reconciled,
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

/** The same policy with a look of its own: six samples before an idle kill, on the connection that is open. */
async function askAgain(world: World, pod: PodPlan, session: ShellSession | null): Promise<Verdict> {
  const lookup = await softly(() => world.provider.get(pod.record.id));
  const provider = lookAt({ kind: 'unseen', reason: 'asked by id' }, lookup);
  const owners = await softly(() => world.ci.liveness([pod.record.owner]));
  const owner = owners.kind === 'seen' ? (owners.value[0] ?? pod.observation.owner) : owners;
  const samples = pod.verdict.reason === 'idle' ? SURE_SAMPLES : 1;
  const visited =
    provider.kind === 'present'
      ? await visit(world, { record: pod.record, pod: provider.pod, samples, session })
      : { look: pod.observation.visit, session };
  const now = world.clock.now();
  const observation = { at: now, provider, visit: visited.look, owner };
  // Its own fence does not bind the one who asks for himself.
  const record: PodRecord = { ...pod.record, status: 'active', fence: null };
  return decide({ record, observation, sightings: pod.sightings, rules: pod.rules, now, routeTrusted: true });
}

/** What was learned, in one commit; nothing new is no commit. */
async function write(world: World, { plan: of, seenNow, options }: Thought): Promise<void> {
  const ops = of.pods.flatMap((pod): RegistryOp[] => {
    const looked = seenNow.looked.find((one: LookedPod) => one.record.id === pod.record.id);
    return looked === undefined ? [] : learn(world, options.acting, pod);
  });
  if (ops.length > 0) await world.registry.submit(ops);
}

/** The tip is read after the commits of this cycle, so that the next one can tell a rewind. */
async function renewSweep(world: World, next: SweepState): Promise<boolean> {
  const { version, sweep } = await world.registry.read();
  if (version === null) return false;
  // Somebody else's sightings of meanwhile are not overwritten: the adapter's lease refuses, and ours rest.
  const now = world.clock.now();
  return await world.registry.saveSweep({
    ...next,
    registryId: sweep.registryId,
    lastFullSweepAt: now,
    registryTip: version,
    sweeping: null,
  });
}
