/** pet: a sign of life, and a stop of the switch that lies at least so far ahead. */
import { MINUTE_MS } from '../../domain/duration.ts';
import { saysLeft } from '../../domain/report/words.ts';
import { petPod } from '../../flows/pet-pod.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf } from '../settings/pick.ts';
import { recordJson, saysSwitch, switchJson } from '../text/pod-facts.ts';
import { wire } from '../wire.ts';

const DEFAULT_PET_MS = 30 * MINUTE_MS;

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const byMs = durationFlag(call, 'min') ?? DEFAULT_PET_MS;
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const { owner, acting } = identityOf(call);
  const { record, petted, stopBefore } = await petPod(world, { acting, owner, podId, byMs });
  const took = petted.kind === 'seen';
  const fires = saysLeft(stopBefore, call.clock.now());
  return {
    exitCode: took ? 0 : 1,
    value: {
      ...recordJson(record),
      petted: took,
      why: took ? null : petted.reason,
      switch: took ? switchJson(petted.value) : null,
    },
    lines: (page) =>
      took
        ? [`${page.paint('ok', 'petted')}: ${record.id}`, `  ${saysSwitch(petted.value)}`]
        : [
            `${page.paint('red', 'not petted')}: ${record.id}: ${petted.reason}`,
            `  by the record its switch fires in ${fires}`,
          ],
  };
}

export const pet: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'The switch may or may not have taken the pet',
    next: 'Run it again, or look with: podtrack probe',
  },
  define(command) {
    command
      .argument('<pod-id>', 'registered and armed before')
      .option('--min <min>', 'the stop lies at least so far ahead (default 30), never past the cap');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(command, 'podtrack pet abc123def456gh', 'podtrack pet abc123def456gh --min 45');
  },
  act,
};
