/** Prepares a job: a registry that may be written, a stamp for a pod of its own making, and who would end what it forgets. */
import type { Owner } from '../domain/owner.ts';
import { type Part, unseen } from '../domain/part.ts';
import { type Finding, isReaper, judgeReapers, type Workflow } from '../domain/workflow.ts';
import type { Snapshot, Workflows, World } from '../ports.ts';
import { saysLateSweep } from './entry/register-checks.ts';
import { type Stamped, stampFor } from './stamp-for.ts';

export type SetupInput = {
  readonly owner: Owner;
  /** After this a stray with the stamp may be ended. */
  readonly ttlMs: number;
};

export type Prepared = Stamped & {
  readonly registryId: string;
  readonly findings: readonly Finding[];
};

type SetupWorld = Pick<World, 'registry' | 'clock' | 'chance'> & { readonly workflows: Workflows };

/** Throws WorldError and ConfigError where the registry cannot be read or begun. */
export async function setup(world: SetupWorld, input: SetupInput): Promise<Prepared> {
  const [snapshot, workflows] = await Promise.all([begun(world), world.workflows.all()]);
  const { registryId } = snapshot.state.meta;
  const late = saysLateSweep(snapshot, world.clock.now()).map((says): Finding => ({ grade: 'warn', says }));
  const stamped = stampFor(world, { owner: input.owner, registryId, ttlMs: input.ttlMs });
  return { ...stamped, registryId, findings: [...late, ...(await reaperFindings(world, workflows))] };
}

/** A registry that is not there is begun, which proves that this token may write it. */
async function begun({ registry }: SetupWorld): Promise<Snapshot> {
  const snapshot = await registry.read();
  if (snapshot.version !== null) return snapshot;
  await registry.probeWrite();
  return await registry.read();
}

async function reaperFindings(
  world: SetupWorld,
  all: Part<readonly Workflow[]>,
): Promise<readonly Finding[]> {
  if (all.kind === 'unseen')
    return [{ grade: 'note', says: `whether a reaper will come could not be looked up: ${all.reason}` }];
  const jobs = all.value.flatMap((one) => one.jobs.filter(isReaper));
  const environments = [...new Set(jobs.flatMap(({ environment }) => environment ?? []))];
  const answers = await Promise.all(
    environments.map(async (name) => [name, await reviewOf(world, name)] as const),
  );
  return judgeReapers(all.value, new Map(answers));
}

async function reviewOf({ workflows }: SetupWorld, environment: string): Promise<Part<boolean>> {
  if (environment.includes('${{')) return unseen('its name is an expression, which only a run knows');
  return await workflows.needsReview(environment);
}
