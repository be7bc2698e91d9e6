/** The teardown door: ends one pod now, or all that a run still holds, in the one order that every end has. */
import { MINUTE_MS } from '../domain/duration.ts';
import type { ExitCode } from '../domain/errors.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { type Owner, ownerName } from '../domain/owner.ts';
import { ownerFromEnv, runAddress } from '../domain/owner-from-env.ts';
import { actingOwner } from '../flows/acting.ts';
import { claim } from '../flows/claim.ts';
import { type TeardownOwnInput, teardownOwn } from '../flows/ending/teardown-own.ts';
import { heldBy, teardownRun } from '../flows/ending/teardown-run.ts';
import { PULL_BUDGET_MS } from '../flows/teardown.ts';
import type { World } from '../ports.ts';
import { takeCredentials } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { EXPORTED } from './interface.ts';
import { inGroup, inputsOf, type ReadInput, writeOutput, writeSummary } from './io.ts';
import { openWorld } from './open-world.ts';
import { keepInOf, localPathOf } from './register-wish.ts';
import { endSummary, runEndSummary } from './summary.ts';
import { passingFolder } from './wire.ts';
import { durationOr, podIdOf, wrongInput, yesOrNo } from './words.ts';

/** How long another's fence may be waited for. */
const WAIT_MS = 2 * MINUTE_MS;

export async function run(): Promise<void> {
  await openDoor(end);
}

type Read = ReadInput<'teardown'>;

async function end(desk: Desk): Promise<ExitCode> {
  const read = inputsOf('teardown');
  const credentials = takeCredentials(desk, read);
  const keepIn = keepInOf(desk, read('keep-in'), read('local-path'));
  const { world } = openWorld(desk, read, { credentials, keepIn, folder: passingFolder(desk.env) });
  const ofRun = isOfRun(read);
  const podId = ofRun ? null : podIdOf(read('pod-id') || (desk.env[EXPORTED.podId] ?? '').trim());
  const owner = ownerOf(desk, read);
  const acting = actingOwner(owner, runAddress(owner));
  const forcedBecause = reasonOf(read);
  desk.concerned();
  const order = {
    acting,
    owner,
    forcedBecause,
    skipPull: yesOrNo(read('skip-pull'), 'skip-pull', false),
    choice: null,
    localPath: localPathOf(desk, read('local-path')),
    pullBudgetMs: durationOr(read('pull-budget'), 'pull-budget', PULL_BUDGET_MS),
    waitMs: WAIT_MS,
  };
  if (podId === null) return await endRun(desk, world, order);
  if (forcedBecause !== null) await claim(world, { acting, owner, podId, killInMs: null, forcedBecause });
  const title = `podtrack: teardown of ${podId}`;
  const outcome = await inGroup(title, () => teardownOwn(world, { ...order, podId }));
  await tell(desk, world, outcome, owner);
  return leavesOpen(outcome) ? 1 : 0;
}

async function endRun(desk: Desk, world: World, order: Omit<TeardownOwnInput, 'podId'>): Promise<ExitCode> {
  const title = `podtrack: teardown of all that ${ownerName(order.owner)} still holds`;
  const { localPath } = order;
  const placeOf = (podId: string): string | null => (localPath === null ? null : `${localPath}/${podId}`);
  const outcomes = await inGroup(title, () => teardownRun(world, { ...order, placeOf }));
  const open = outcomes.some(leavesOpen);
  if (outcomes.length === 0) desk.log.say('info', `nothing is left of ${ownerName(order.owner)}`);
  for (const outcome of outcomes)
    desk.log.say(
      leavesOpen(outcome) ? 'error' : 'info',
      `${outcome.pod} (${String(outcome.detail['leg'])}): ${outcome.says}`,
    );
  writeOutput('teardown', 'ended', String(!open && outcomes.every(({ detail }) => detail['left'] !== true)));
  writeOutput('teardown', 'result', JSON.stringify({ schemaVersion: 1, scope: 'run', pods: outcomes }));
  if (outcomes.length > 0) writeSummary(runEndSummary(outcomes));
  return open ? 1 : 0;
}

function isOfRun(read: Read): boolean {
  const scope = read('scope');
  if (scope === '' || scope === 'pod') return false;
  if (scope !== 'run')
    throw wrongInput('scope', `"${scope.slice(0, 40)}" is neither pod nor run`, 'Give run, or leave it out');
  if (read('pod-id') === '') return true;
  throw wrongInput('scope', 'pod-id and scope: run were both given', 'Leave one of them out');
}

/** The uuid that register gave, from an input or from this job's environment; a new one owns nothing yet. */
function ownerOf(desk: Desk, read: Read): Owner {
  const uuid = read('uuid') || (desk.env[EXPORTED.uuid] ?? '').trim() || desk.chance.uuid();
  const env = { ...desk.env, [EXPORTED.uuid]: uuid };
  return ownerFromEnv(env, {
    label: read('label'),
    uuid,
    matrix: read('matrix'),
    checkRunId: read('check-run-id'),
  });
}

/** null = not forced. */
function reasonOf(read: Read): string | null {
  if (!yesOrNo(read('force'), 'force', false)) return null;
  const reason = read('reason');
  if (reason !== '') return reason.replace(/\s+/g, ' ').slice(0, 200);
  throw wrongInput(
    'reason',
    'force was given without a reason',
    'Say in reason why the pod is ended unverified',
  );
}

async function tell(desk: Desk, world: World, outcome: Outcome, owner: Owner): Promise<void> {
  const open = leavesOpen(outcome);
  desk.log.say(open ? 'error' : 'info', `${outcome.pod}: ${outcome.says}`);
  writeOutput('teardown', 'ended', String(!open));
  writeOutput('teardown', 'result', JSON.stringify({ schemaVersion: 1, ...outcome }));
  const snapshot = await world.registry.read().catch(() => null);
  const record = snapshot?.state.pods[`runpod.${outcome.pod}`] ?? null;
  writeSummary(endSummary(outcome, record, { now: desk.clock.now(), wayIn: null }));
  const held = snapshot === null ? [] : heldBy(snapshot.state, owner);
  const others = held.filter(({ id }) => id !== outcome.pod);
  // One slot for one id: the pods of other legs are not forgotten over it.
  if (others.length > 0) {
    desk.log.say(
      'notice',
      `${others.length} more pod(s) of this owner live: ${others.map(({ id }) => id).join(', ')}`,
    );
  }
}
