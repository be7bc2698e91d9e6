/** Acknowledge: a person has looked at an alarm that stops inferred kills. */
import { ConfigError, Refusal } from '../domain/errors.ts';
import { isLive } from '../domain/pod.ts';
import type { OpOf } from '../domain/registry/ops.ts';
import type { Meta, RegistryState } from '../domain/registry/state.ts';
import { allRecords } from '../domain/registry/state.ts';
import type { Snapshot, World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';

export type AcknowledgeInput = {
  readonly acting: Acting;
  readonly what: OpOf<'acknowledge'>['what'];
  /** For `rewound`: the lost tip; null = the one that the sweep state names. */
  readonly tip: string | null;
  readonly reason: string;
  /** For `copied`: the repository in which the copy lies; null = it is not known here. */
  readonly here?: Meta['repository'];
};

export type Acknowledged = {
  /** The lost tip where a rewind was acknowledged, else null. */
  readonly tip: string | null;
  /** The new id where a copy was started, else null. */
  readonly registryId: string | null;
  /** Live pods whose records a started copy left to the registry that it came from. */
  readonly left: readonly string[];
};

export async function acknowledge(world: World, input: AcknowledgeInput): Promise<Acknowledged> {
  const { sweep, version, caution, state } = await world.registry.read();
  if (version === null) throw nothingThere(world);
  const tip = input.what === 'rewound' ? (input.tip ?? sweep.registryTip) : null;
  const op = {
    ...opBase(world, input.acting, 'acknowledge'),
    op: 'acknowledge' as const,
    what: input.what,
    tip,
    ...(input.what === 'copied' ? { registry: newName(world, input, caution) } : {}),
    reason: input.reason.slice(0, 300),
  };
  const [result] = (await world.registry.submit([op])).results;
  if (result?.kind !== 'refused') return told(state, op);
  throw new Refusal(result.because, {
    tried: `Acknowledging ${input.what}`,
    cameBack: result.detail,
    state: 'The alarm still stands',
    next:
      input.what === 'rewound'
        ? 'Name the lost tip with --tip; podtrack reap --dry-run shows it'
        : 'Mend what is named, and say it again',
  });
}

function told(before: RegistryState, op: OpOf<'acknowledge'>): Acknowledged {
  const registryId = op.registry?.id ?? null;
  const live = allRecords(before).filter(isLive);
  return { tip: op.tip, registryId, left: registryId === null ? [] : live.map(({ id }) => id) };
}

/** A registry that is at home here is not started anew: its pods would be nobody's. */
function newName(world: World, { here }: AcknowledgeInput, caution: Snapshot['caution']) {
  const foreign = caution.some(({ code }) => code === 'foreign-repository');
  if (foreign && here != null) return { id: world.chance.hex(16), repository: here };
  throw new Refusal('not-copied', {
    tried: `Starting the registry at ${world.registry.place} as one of its own`,
    cameBack:
      here == null
        ? 'it is not known in which repository this runs'
        : 'it belongs to this repository already',
    state: 'Nothing was changed',
    next: 'Run it in a workflow of the repository that holds the copy (GITHUB_REPOSITORY_ID names it)',
  });
}

function nothingThere(world: World): ConfigError {
  return new ConfigError('registry', {
    tried: `Acknowledging an alarm of ${world.registry.place}`,
    cameBack: 'there is no registry yet',
    state: 'Nothing was changed',
    next: 'Check --registry or PODTRACK_REGISTRY',
  });
}
