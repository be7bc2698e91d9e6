/** The policy asked again right before a DELETE: the same function, with a look of its own. */
import { lookAt, type Observation, type ProviderLook } from '../../domain/observation.ts';
import { decide } from '../../domain/policy/decide.ts';
import type { PodPlan } from '../../domain/policy/plan.ts';
import type { Verdict } from '../../domain/policy/reasons.ts';
import { LATEST_LOOK_MS } from '../../domain/rules.ts';
import type { ShellSession, World } from '../../ports.ts';
import { softly } from '../ask.ts';
import { lookupOf } from '../watch/observe.ts';
import { visit } from '../watch/visit.ts';

/** Samples taken right before an idle kill, over about 5 s. */
const SURE_SAMPLES = 6;

/** Six samples before an idle kill, on the connection that is open; one that was opened here is closed again. */
export async function askAgain(world: World, pod: PodPlan, session: ShellSession | null): Promise<Verdict> {
  const { record, rules, sightings } = pod;
  const [provider, owners, early] = await Promise.all([
    shownNow(world, pod),
    softly(() => world.ci.liveness([record.owner])),
    // On a connection that is open, the samples do not wait for what the provider says meanwhile.
    session === null ? null : visitNow(world, { pod, provider: pod.observation.provider, session }),
  ]);
  const owner = owners.kind === 'seen' ? (owners.value[0] ?? pod.observation.owner) : owners;
  const look = early ?? (await visitNow(world, { pod, provider, session }));
  const routeTrusted = pod.verdict.reason !== 'unreachable' || (await world.shell.ownNetworkWorks());
  const now = world.clock.now();
  const observation = { at: now, provider, visit: look, owner };
  return decide({ record, observation, sightings, rules, now, routeTrusted });
}

/** By id; where that cannot be read now, what this cycle saw counts while it is fresh, or where only the clock decides. */
async function shownNow(world: World, { record, observation, verdict }: PodPlan): Promise<ProviderLook> {
  const lookup = lookupOf(record, await softly(() => world.provider.get(record.id)));
  const look = lookAt({ kind: 'unseen', reason: 'asked by id' }, lookup);
  if (look.kind !== 'unseen') return look;
  const fresh = world.clock.now() - observation.at <= LATEST_LOOK_MS;
  return fresh || verdict.reason === 'absolute-deadline' ? observation.provider : look;
}

type VisitWish = {
  readonly pod: PodPlan;
  readonly provider: ProviderLook;
  readonly session: ShellSession | null;
};

async function visitNow(world: World, { pod, provider, session }: VisitWish): Promise<Observation['visit']> {
  if (provider.kind !== 'present') return pod.observation.visit;
  const samples = pod.verdict.reason === 'idle' ? SURE_SAMPLES : 1;
  const visited = await visit(world, { record: pod.record, pod: provider.pod, samples, session });
  if (visited.session !== session) await visited.session?.close();
  return visited.look;
}
