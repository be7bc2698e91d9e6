/** teardown: fence, pet, pull, verify, keep, ask again, terminate, confirm, settle; for a pod of one's own. */
import { MINUTE_MS } from '../../domain/duration.ts';
import type { ExitCode } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { teardownOwn } from '../../flows/ending/teardown-own.ts';
import type { Answer, Call, Verb } from '../call.ts';
import { choiceFlags, choiceOf, examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, podIdOf, wrongUse } from '../settings/pick.ts';
import { wire } from '../wire.ts';
import { localPathOf, PULL_MS } from './sync.ts';

async function act(call: Call): Promise<Answer> {
  const { given } = call;
  const podId = podIdOf(call);
  const skipPull = given.has('skip-pull');
  const forcedBecause = reasonOf(call);
  const pullBudgetMs = durationFlag(call, 'pull-budget') ?? PULL_MS;
  const waitMs = durationFlag(call, 'wait') ?? 2 * MINUTE_MS;
  const choice = choiceOf(call);
  const localPath = localPathOf(call, podId);
  const sshKey = skipPull || forcedBecause !== null ? 'welcome' : 'needed';
  const world = await wire(call, { apiKey: 'needed', sshKey });
  const { owner, acting } = identityOf(call);
  const input = { acting, owner, podId, forcedBecause, skipPull, choice, localPath, pullBudgetMs, waitMs };
  const outcome = await teardownOwn(world, input);
  const exitCode = exitOfTeardown(outcome);
  return {
    exitCode,
    value: { ...outcome },
    lines: (page) => [
      `${page.paint(exitCode === 0 ? 'ok' : 'red', exitCode === 0 ? 'ended' : `not ended (${outcome.kind})`)}: ${podId}`,
      `  ${outcome.says}`,
      ...(exitCode === 0 ? [] : [`  look at it with: podtrack explain ${podId}`]),
    ],
  };
}

/** Whatever is not done may bill; what was ended over unsaved artifacts was asked for in as many words. */
function exitOfTeardown(outcome: Outcome): ExitCode {
  return outcome.kind === 'done' ? 0 : 1;
}

function reasonOf({ given }: Call): string | null {
  const reason = given.text('reason');
  if (!given.has('force')) return null;
  if (reason !== undefined) return reason;
  throw wrongUse(
    '--reason',
    '--force may end the pod before its artifacts are safe',
    'Say why: --reason "…"',
  );
}

export const teardownVerb: Verb = {
  concernsPod: true,
  whenCut: {
    state:
      'The pod may be fenced, and then the registry says who holds it and until when; it is ended only after its artifacts were verified',
    next: 'Run it again to go on; else the reaper takes over when the fence lapses (at most 30 min)',
  },
  define(command) {
    command
      .argument('<pod-id>', 'a pod of yours; of another owner only after: podtrack claim')
      .option('--force', 'also when its artifacts cannot be verified; needs --reason')
      .option('--reason <text>', 'for the history')
      .option('--skip-pull', 'pull nothing')
      .option('--local-path <folder>', 'copy into this folder')
      .option('--pull-budget <min>', 'give up the pull after this long (default 10)')
      .option('--wait <min>', "wait so long for somebody else's fence (default 2)")
      .option('--disk-lasts', 'this disk outlives the job, although a hosted runner says it does not');
    choiceFlags(command, 'verify and keep only these, instead of what was chosen at register');
    ownerFlags(command);
    sshFlags(command);
    registryFlags(command);
    examples(
      command,
      'podtrack teardown abc123def456gh',
      'podtrack teardown abc123def456gh --force --reason "wedged, nothing to save"',
    );
  },
  act,
};
