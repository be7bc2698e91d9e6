/** reap: one cycle of the reaper over every pod of the registry. */

import { runAddress } from '../../domain/owner-from-env.ts';
import { reportJson } from '../../domain/report/json.ts';
import { reportCycle } from '../../domain/report.ts';
import { type Acting, actingReaper } from '../../flows/acting.ts';
import { type Cycle, reap } from '../../flows/reap.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { examples, knobFlags, registryFlags, sshFlags, switchFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag } from '../settings/pick.ts';
import { rulesOf } from '../settings/rules.ts';
import { cycleLines } from '../text/cycle.ts';
import { armKeysOf, wire } from '../wire.ts';
import { PULL_MS } from './sync.ts';

async function act(call: Call): Promise<Answer> {
  const { given } = call;
  const { rules } = rulesOf(call, false).resolved;
  const keys = armKeysOf(call);
  const pullBudgetMs = durationFlag(call, 'pull-budget') ?? PULL_MS;
  const world = await wire(call, { apiKey: 'needed', sshKey: 'needed' });
  const acting = reaperOf(call);
  const dryRun = given.has('dry-run');
  const mirror = !given.declined('mirror');
  return cycleAnswer(await reap(world, { acting, rules, keys, dryRun, mirror, pullBudgetMs }));
}

/** A uuid of its own for each call: two reapers are told apart by it. */
export function reaperOf(call: Call): Acting {
  return actingReaper(call.chance.uuid(), runAddress(identityOf(call).owner));
}

export function cycleAnswer(cycle: Cycle): Answer {
  const report = reportCycle(cycle);
  return {
    exitCode: report.exitCode,
    value: reportJson(report),
    lines: (page) => cycleLines(report, page),
  };
}

export const reapVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state: 'Each pod is as its last commit says; a fence that is held lapses within 30 min',
    next: 'Run it again: a cycle goes on from what the registry says',
  },
  define(command) {
    command
      .option('--dry-run', 'decide and tell, change nothing')
      .option('--no-mirror', 'pull nothing but what an end needs')
      .option('--pull-budget <min>', 'longest pull of one pod (default 10)')
      .option('--disk-lasts', 'this disk outlives the job, although a hosted runner says it does not');
    knobFlags(command);
    sshFlags(command);
    switchFlags(command);
    registryFlags(command);
    examples(
      command,
      'podtrack reap --dry-run',
      'podtrack reap --idle-strikes 4 --hb-grace 60',
      '*/5 * * * *  podtrack reap            # crontab: a cycle every five minutes',
    );
  },
  act,
};
