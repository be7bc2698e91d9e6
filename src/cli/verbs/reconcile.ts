/** reconcile: the registry beside the account; ends nothing but, on request and confirmed, this registry's strays. */
import { reconcileAccount } from '../../flows/reconcile.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, knobFlags, registryFlags, sshFlags } from '../flags.ts';
import { durationFlag, wrongUse } from '../settings/pick.ts';
import { rulesOf } from '../settings/rules.ts';
import { armKeysOf, wire } from '../wire.ts';
import { cycleAnswer, reaperOf } from './reap.ts';
import { PULL_MS } from './sync.ts';

async function act(call: Call): Promise<Answer> {
  const { given } = call;
  const terminateStrays = given.has('terminate-untracked');
  if (terminateStrays && !given.has('yes')) {
    throw wrongUse(
      '--yes',
      '--terminate-untracked ends pods',
      'Look with podtrack reconcile, then add --yes',
    );
  }
  const { rules } = rulesOf(call, false).resolved;
  const pullBudgetMs = durationFlag(call, 'pull-budget') ?? PULL_MS;
  const keys = armKeysOf(call);
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const acting = reaperOf(call);
  const cycle = await reconcileAccount(world, { acting, rules, keys, pullBudgetMs, terminateStrays });
  const answer = cycleAnswer(cycle);
  return { ...answer, value: { ...answer.value, groups: groupsOf(cycle) } };
}

/** The ids by how the registry and the account agree. */
function groupsOf({ plan }: Awaited<ReturnType<typeof reconcileAccount>>): Readonly<Record<string, unknown>> {
  const ids = (wanted: (pod: (typeof plan.pods)[number]) => boolean): string[] =>
    plan.pods.filter(wanted).map((pod) => pod.record.id);
  return {
    live: ids((pod) => pod.observation.provider.kind === 'present'),
    vanished: ids((pod) => pod.observation.provider.kind === 'absent'),
    unseen: ids((pod) => pod.observation.provider.kind === 'unseen'),
    idle: ids((pod) => pod.verdict.reason === 'idle' || pod.verdict.reason === 'idle-counting'),
    untracked: plan.strays.map((stray) => stray.pod.id),
    foreign: plan.foreign.map((foreign) => foreign.pod.id),
    reopened: plan.reopened.map((pod) => pod.record.id),
  };
}

export const reconcileVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'Nothing but strays may have been ended, and each of those stands in the registry',
    next: 'Run it again',
  },
  define(command) {
    command
      .option(
        '--terminate-untracked',
        "end this registry's own strays, as far as the policy allows; needs --yes",
      )
      .option('--yes', 'confirm that pods may be ended')
      .option('--pull-budget <min>', 'longest pull of one pod (default 10)');
    knobFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(
      command,
      'podtrack reconcile',
      'podtrack reconcile --json | jq .groups',
      'podtrack reconcile --terminate-untracked --yes',
    );
  },
  act,
};
