/** acknowledge: lets inferred kills go on after a person has looked at what stopped them. */
import { acknowledge } from '../../flows/acknowledge.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { wrongUse } from '../settings/pick.ts';
import { registryOf } from '../settings/places.ts';
import { wire } from '../wire.ts';

const ALARMS = ['breaker', 'rewound', 'account', 'copied'] as const;

async function act(call: Call): Promise<Answer> {
  const word = call.args[0] ?? '';
  const what = ALARMS.find((alarm) => alarm === word);
  if (what === undefined)
    throw wrongUse('alarm', `"${word.slice(0, 40)}" is none of ${ALARMS.join(', ')}`, 'Give one of these');
  const reason = call.given.text('reason');
  if (reason === undefined)
    throw wrongUse('--reason', 'no reason was given', 'Say what you have seen: --reason "…"');
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const { acting } = identityOf(call);
  const here = registryOf(call).repository;
  const { tip, registryId, left } = await acknowledge(world, {
    acting,
    what,
    tip: call.given.text('tip') ?? null,
    reason,
    here,
  });
  const about = tip ?? registryId;
  const told = left.length === 0 ? [] : [`left to the registry it came from: ${left.join(', ')}`];
  return {
    exitCode: 0,
    value: { acknowledged: what, tip, registryId, left, reason },
    lines: (page) => [
      `${page.paint('ok', 'acknowledged')}: ${what}${about === null ? '' : ` (${about})`}`,
      ...told,
    ],
  };
}

export const acknowledgeVerb: Verb = {
  concernsPod: false,
  whenCut: { state: 'The alarm may or may not be acknowledged', next: 'Look with: podtrack reap --dry-run' },
  define(command) {
    command
      .argument(
        '<alarm>',
        'breaker, rewound, account, or copied: start a copied registry here under a new id',
      )
      .option('--reason <text>', 'what you have seen; stays in the history')
      .option('--tip <commit>', 'rewound: the lost tip (default: the one of the last sweep)');
    ownerFlags(command);
    registryFlags(command);
    examples(command, 'podtrack acknowledge breaker --reason "twelve jobs really did end at once"');
  },
  act,
};
