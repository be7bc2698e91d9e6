/** teardown: fence, pet, pull, verify, keep, ask again, terminate, confirm, settle; for a pod of one's own, or a run's. */
import { join } from 'node:path';
import { MINUTE_MS } from '../../domain/duration.ts';
import type { ExitCode } from '../../domain/errors.ts';
import { leavesOpen, type Outcome } from '../../domain/outcome.ts';
import { type Owner, ownerName } from '../../domain/owner.ts';
import { type TeardownOwnInput, teardownOwn } from '../../flows/ending/teardown-own.ts';
import { heldBy, teardownRun } from '../../flows/ending/teardown-run.ts';
import type { World } from '../../ports.ts';
import type { Answer, Call, Page, Verb } from '../call.ts';
import { choiceFlags, choiceOf, examples, ownerFlags, registryFlags, sshFlags } from '../flags.ts';
import { identityOf } from '../settings/identity.ts';
import { durationFlag, pick, podIdOf, wrongUse } from '../settings/pick.ts';
import { onActions } from '../settings/places.ts';
import { wire } from '../wire.ts';
import { localPathOf, PULL_MS } from './sync.ts';

type Order = Omit<TeardownOwnInput, 'podId' | 'localPath'>;

async function act(call: Call): Promise<Answer> {
  const ofRun = isOfRun(call);
  const podId = ofRun ? null : podIdOf(call);
  const skipPull = call.given.has('skip-pull');
  const forcedBecause = reasonOf(call);
  const pullBudgetMs = durationFlag(call, 'pull-budget') ?? PULL_MS;
  const waitMs = durationFlag(call, 'wait') ?? 2 * MINUTE_MS;
  const choice = choiceOf(call);
  const sshKey = skipPull || forcedBecause !== null ? 'welcome' : 'needed';
  if (ofRun) mustHaveName(call);
  const world = await wire(call, { apiKey: 'needed', sshKey });
  const { owner, acting } = identityOf(call);
  const order = { acting, owner, forcedBecause, skipPull, choice, pullBudgetMs, waitMs };
  return podId === null ? await endRun(call, world, order) : await endOne(call, world, { ...order, podId });
}

async function endOne(call: Call, world: World, order: Order & { readonly podId: string }): Promise<Answer> {
  const { podId, owner } = order;
  const outcome = await teardownOwn(world, { ...order, localPath: localPathOf(call, podId) });
  const others = (await othersOf(world, owner)).filter((id) => id !== podId);
  const exitCode = exitOfTeardown([outcome]);
  return {
    exitCode,
    value: { ...outcome, others },
    lines: (page) => [
      `${page.paint(exitCode === 0 ? 'ok' : 'red', exitCode === 0 ? 'ended' : `not ended (${outcome.kind})`)}: ${podId}`,
      `  ${outcome.says}`,
      ...(exitCode === 0 ? [] : [`  look at it with: podtrack explain ${podId}`]),
      ...(others.length === 0
        ? []
        : [`${others.length} more of ${ownerName(owner)} live on: ${others.join(', ')}`]),
    ],
  };
}

/** For people only: a registry that cannot be read any more takes nothing from the end that was reached. */
async function othersOf(world: World, owner: Owner): Promise<readonly string[]> {
  const snapshot = await world.registry.read().catch(() => null);
  return snapshot === null ? [] : heldBy(snapshot.state, owner).map(({ id }) => id);
}

async function endRun(call: Call, world: World, order: Order): Promise<Answer> {
  const given = call.given.has('local-path');
  const placeOf = (podId: string): string | null => {
    const place = localPathOf(call, podId);
    return given && place !== null ? join(place, podId) : place;
  };
  const outcomes = await teardownRun(world, { ...order, placeOf });
  const name = ownerName(order.owner);
  return {
    exitCode: exitOfTeardown(outcomes),
    value: { scope: 'run', owner: name, pods: outcomes },
    lines: (page) =>
      outcomes.length === 0
        ? [`nothing is left of ${name}`]
        : [...outcomes.flatMap((outcome) => rowOf(page, outcome)), countsOf(outcomes, name)],
  };
}

function rowOf(page: Page, { pod, kind, says, detail }: Outcome): readonly string[] {
  const [mood, word] = isLeft({ detail })
    ? (['warn', 'left up'] as const)
    : kind === 'done'
      ? (['ok', 'ended'] as const)
      : (['red', `not ended (${kind})`] as const);
  return [`${page.paint(mood, word)}: ${pod} of ${String(detail['leg'])}`, `  ${says}`];
}

function countsOf(outcomes: readonly Outcome[], name: string): string {
  const ended = outcomes.filter((outcome) => outcome.kind === 'done' && !isLeft(outcome)).length;
  return `${ended} of ${outcomes.length} pods of ${name} ended`;
}

function isLeft({ detail }: Pick<Outcome, 'detail'>): boolean {
  return detail['left'] === true;
}

function isOfRun(call: Call): boolean {
  const scope = call.given.text('scope') ?? 'pod';
  if (scope === 'pod') return false;
  if (scope !== 'run')
    throw wrongUse('--scope', `"${scope.slice(0, 40)}" is neither pod nor run`, 'Give run, or leave it out');
  if (call.args.length === 0) return true;
  throw wrongUse('--scope', 'a pod id and --scope run were both given', 'Leave one of them out');
}

/** A machine's own uuid is no run: all pods that were ever registered from it would go. */
function mustHaveName(call: Call): void {
  if (onActions(call.env) || pick(call, { flag: 'label', variable: 'PODTRACK_LABEL' }) !== null) return;
  throw wrongUse(
    '--scope',
    'this is no run of a forge, and no label was given',
    'Give --label (or PODTRACK_LABEL) as it was at register',
  );
}

/** Whatever is not done may bill; what was ended over unsaved artifacts was asked for in as many words. */
function exitOfTeardown(outcomes: readonly Outcome[]): ExitCode {
  return outcomes.some(leavesOpen) ? 1 : 0;
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
      .argument('[pod-id]', 'a pod of yours; of another owner only after: podtrack claim')
      .option('--scope <pod|run>', 'run = all that this run, or --label, still holds')
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
      'podtrack teardown --scope run --json',
      'podtrack teardown abc123def456gh --force --reason "wedged, nothing to save"',
    );
  },
  act,
};
