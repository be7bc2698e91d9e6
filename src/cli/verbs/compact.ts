/** compact: starts the registry branch anew from its present state; what was before stays under an archive ref. */
import { compact } from '../../flows/compact.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { personOf } from '../settings/identity.ts';
import { wrongUse } from '../settings/pick.ts';
import { wire, wirePast } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const reason = call.given.text('reason');
  if (reason === undefined)
    throw wrongUse('--reason', 'no reason was given', 'Say why the history is cut: --reason "…"');
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const past = await wirePast(call);
  const { version, archive, previous } = await compact(world, {
    acting: personOf(call),
    past,
    reason,
  });
  return {
    exitCode: 0,
    value: { registry: past.place, version, archive, previous },
    lines: (page) => [
      `${page.paint('ok', 'compacted')}: the branch begins at ${version}`,
      `what was before ends at ${previous}, kept under ${archive}; history, events and replay go on over it`,
    ],
  };
}

export const compactVerb: Verb = {
  concernsPod: false,
  whenCut: {
    state: 'The registry was compacted as a whole or not at all',
    next: 'Look with: podtrack history --limit 1',
  },
  define(command) {
    command.option('--reason <text>', 'why; stays in the history');
    ownerFlags(command);
    registryFlags(command);
    examples(command, 'podtrack compact --reason "the clone has grown past 1 GB"');
  },
  act,
};
