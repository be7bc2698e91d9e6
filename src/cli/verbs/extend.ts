/** extend: the owner's explicit act on the owner deadline, told to the switch and read back. */
import { saysLeft } from '../../domain/report/words.ts';
import { extendBy, type Moved } from '../../flows/move-deadline.ts';
import type { Answer, Call, Page, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf, wrongUse } from '../settings/pick.ts';
import { recordJson, saysLimits, saysSwitch, switchJson } from '../text/pod-facts.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const byMs = durationFlag(call, 'min');
  if (byMs === null) throw wrongUse('--min', 'it was not said by how much', 'Give --min 60, or 90s, 2h');
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const { owner, acting } = identityOf(call);
  const moved = await extendBy(world, { acting, owner, podId, byMs });
  const { petted } = moved;
  return {
    exitCode: petted?.kind === 'unseen' ? 1 : 0,
    value: {
      ...recordJson(moved.record),
      readBack: petted?.kind === 'seen',
      why: petted?.kind === 'unseen' ? petted.reason : null,
      switch: petted?.kind === 'seen' ? switchJson(petted.value) : null,
    },
    lines: (page) => lines(call, moved, page),
  };
}

function lines(call: Call, { record, petted, stopBefore }: Moved, page: Page): readonly string[] {
  const now = call.clock.now();
  const limits = saysLimits(record, now).map((line) => `  ${line}`);
  if (petted?.kind === 'unseen') {
    return [
      `${page.paint('red', 'extended in the registry only')}: ${record.id}`,
      `  its switch did not take it: ${petted.reason}`,
      `  it still fires in ${saysLeft(stopBefore, now)}; the next pet tells it: podtrack pet ${record.id}`,
      ...limits,
    ];
  }
  const told = petted === null ? 'no switch has been armed on it' : saysSwitch(petted.value);
  return [`${page.paint('ok', 'extended')}: ${record.id}`, ...limits, `  ${told}`];
}

export const extend: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'The registry may be extended and the switch not yet told',
    next: 'Look with: podtrack explain; and tell the switch with: podtrack pet',
  },
  define(command) {
    command
      .argument('<pod-id>', 'a pod of yours')
      .option('--min <min>', 'move the owner deadline so much further (from now, if it has passed)');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(command, 'podtrack extend abc123def456gh --min 60');
  },
  act,
};
