/** arm: plants the dead-man switch with the best key that works and proves over a second connection that it lives. */
import { parseDuration } from '../../domain/duration.ts';
import { armPod } from '../../flows/arm-pod.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags, sshFlags, switchFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf } from '../settings/pick.ts';
import { recordJson, saysLimits, saysPod, saysSwitch, switchJson } from '../text/pod-facts.ts';
import { armKeysOf, wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const podId = podIdOf(call);
  const absolute = call.given.text('kill-absolute-min');
  const wish = {
    keys: armKeysOf(call),
    petWindowMs: durationFlag(call, 'pet-window'),
    killInMs: durationFlag(call, 'kill-in'),
    killAbsoluteMs: absolute === undefined ? null : parseDuration(absolute, '--kill-absolute-min'),
  };
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const { owner, acting } = identityOf(call);
  const armed = await armPod(world, { acting, owner, podId }, wish);
  const read = armed.status.deadlines;
  return {
    exitCode: 0,
    value: {
      ...recordJson(armed.record),
      credential: armed.facts.credential,
      mayRead: armed.facts.mayRead,
      mayTerminate: armed.facts.mayTerminate,
      tool: armed.facts.tool,
      switch: read.kind === 'seen' ? switchJson(read.value) : null,
    },
    lines: (page) => [
      `${page.paint('ok', 'armed')}: ${saysPod(armed.record)}`,
      `  key of the rung "${armed.facts.credential}", by ${armed.facts.tool ?? 'an unknown tool'}`,
      ...(read.kind === 'seen' ? [`  ${saysSwitch(read.value)}`] : []),
      ...saysLimits(armed.record, call.clock.now()).map((line) => `  ${line}`),
    ],
  };
}

export const armVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state:
      'The switch may be planted and not yet proven; limits that were given may be in the record already',
    next: 'Run it again, or look with: podtrack probe',
  },
  define(command) {
    command
      .argument('<pod-id>', 'registered before')
      .option('--kill-in <min>', 'new owner deadline, from now')
      .option('--kill-absolute-min <min>', 'hard cap; can be given once, and then nothing moves it')
      .option('--pet-window <min>', 'also fire so long after the last sign of life');
    switchFlags(command);
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(
      command,
      'podtrack arm abc123def456gh',
      'podtrack arm abc123def456gh --kill-in 120 --token-file ~/restricted.token',
    );
  },
  act,
};
