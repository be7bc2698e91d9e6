/** export: the whole registry as one JSON document on standard output. */
import { exportRegistry } from '../../flows/move-registry.ts';
import { type Answer, type Call, ONLY_LOOKED, type Verb } from '../call.ts';
import { examples, registryFlags } from '../flags.ts';
import { wire, wirePast } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const { document, unreadableRows } = await exportRegistry(world, await wirePast(call));
  const { damaged } = document;
  if (damaged.length + unreadableRows > 0)
    call.log.say(
      'warning',
      `${damaged.length} damaged file(s) and ${unreadableRows} ledger row(s) are not as they lie there`,
    );
  return {
    exitCode: damaged.length + unreadableRows > 0 ? 1 : 0,
    value: document,
    lines: () => JSON.stringify(document, null, 2).split('\n'),
  };
}

export const exportVerb: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    registryFlags(command);
    examples(command, 'podtrack export --json > registry.json');
  },
  act,
};
