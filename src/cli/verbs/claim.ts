/** claim: the explicit hand-over of a pod's ownership. */
import { claim } from '../../flows/claim.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf, wrongUse } from '../settings/pick.ts';
import { recordJson, saysLimits, saysPod } from '../text/pod-facts.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const killInMs = durationFlag(call, 'kill-in');
  const force = call.given.has('force');
  const reason = call.given.text('reason') ?? null;
  if (force && reason === null)
    throw wrongUse('--reason', '--force takes a pod from a live owner', 'Say why: --reason "…"');
  const world = await wire(call, { apiKey: 'none', sshKey: 'none' });
  const { owner, acting } = identityOf(call);
  const forcedBecause = force ? reason : null;
  const record = await claim(world, { acting, owner, podId, killInMs, forcedBecause });
  return {
    exitCode: 0,
    value: recordJson(record),
    lines: (page) => [
      `${page.paint('ok', 'claimed')}: ${saysPod(record)}`,
      ...saysLimits(record, call.clock.now()).map((line) => `  ${line}`),
      `  its switch bears the mark and the limits of before until the next reap cycle, or: podtrack arm ${record.id}`,
    ],
  };
}

export const claimVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'The pod may or may not have changed hands; it was not contacted',
    next: 'Look with: podtrack list',
  },
  define(command) {
    command
      .argument('<pod-id>', "another owner's pod")
      .option('--kill-in <min>', 'a new owner deadline, from now')
      .option('--force', 'although its owner may still be at work; needs --reason')
      .option('--reason <text>', 'for the history');
    ownerFlags(command);
    registryFlags(command);
    examples(
      command,
      'podtrack claim abc123def456gh',
      'podtrack claim abc123def456gh --force --reason "its job hangs"',
    );
  },
  act,
};
