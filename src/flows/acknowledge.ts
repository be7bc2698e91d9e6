/** Acknowledge: a person has looked at an alarm that stops inferred kills. */
import { ConfigError, Refusal } from '../domain/errors.ts';
import type { OpOf } from '../domain/registry/ops.ts';
import type { World } from '../ports.ts';
import { type Acting, opBase } from './acting.ts';

export type AcknowledgeInput = {
  readonly acting: Acting;
  readonly what: OpOf<'acknowledge'>['what'];
  /** For `rewound`: the lost tip; null = the one that the sweep state names. */
  readonly tip: string | null;
  readonly reason: string;
};

/** The lost tip where a rewind was acknowledged, else null. */
export async function acknowledge(world: World, input: AcknowledgeInput): Promise<string | null> {
  const { sweep, version } = await world.registry.read();
  if (version === null) throw nothingThere(world);
  const tip = input.what === 'rewound' ? (input.tip ?? sweep.registryTip) : null;
  const op = {
    ...opBase(world, input.acting, 'acknowledge'),
    op: 'acknowledge' as const,
    what: input.what,
    tip,
    reason: input.reason.slice(0, 300),
  };
  const [result] = (await world.registry.submit([op])).results;
  if (result?.kind !== 'refused') return tip;
  throw new Refusal(result.because, {
    tried: `Acknowledging ${input.what}`,
    cameBack: result.detail,
    state: 'The alarm still stands',
    next: 'Name the lost tip with --tip; podtrack reap --dry-run shows it',
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
