/** keep: a pod stays for a while after its job, at most to its absolute deadline. */
import { keepFor } from '../../flows/move-deadline.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf, wrongUse } from '../settings/pick.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const forMs = durationFlag(call, 'for');
  if (forMs === null) throw wrongUse('--for', 'it was not said for how long', 'Give --for 30, or 2h');
  const reason = call.given.text('reason') ?? 'its owner asked for it';
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const { owner, acting } = identityOf(call);
  const outcome = await keepFor(world, { acting, owner, podId, forMs, reason });
  const kept = outcome.kind === 'done';
  return {
    exitCode: kept ? 0 : 1,
    value: { ...outcome },
    lines: (page) => [
      `${page.paint(kept ? 'ok' : 'red', kept ? 'kept' : 'not kept')}: ${podId}`,
      `  ${outcome.says}`,
    ],
  };
}

export const keep: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'The keep may be in the registry and not yet on the switch',
    next: 'Look with: podtrack explain; and tell the switch with: podtrack pet',
  },
  define(command) {
    command
      .argument('<pod-id>', 'a pod of yours')
      .option('--for <min>', 'so long from now, cut to the absolute deadline')
      .option('--reason <text>', 'for the history');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(command, 'podtrack keep abc123def456gh --for 30 --reason "look at the crash"');
  },
  act,
};
