/** The teardown door: ends one pod or several now, or all that a run still holds, in the one order that every end has. */
import { MINUTE_MS } from '../domain/duration.ts';
import type { ExitCode } from '../domain/errors.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { type Owner, ownerName } from '../domain/owner.ts';
import { ownerFromEnv, runAddress } from '../domain/owner-from-env.ts';
import { actingOwner } from '../flows/acting.ts';
import { claim } from '../flows/claim.ts';
import { type TeardownOwnInput, teardownOwn } from '../flows/ending/teardown-own.ts';
import { heldBy, type TeardownRunInput, teardownListed, teardownRun } from '../flows/ending/teardown-run.ts';
import { PULL_BUDGET_MS } from '../flows/teardown.ts';
import type { World } from '../ports.ts';
import { takeCredentials } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { EXPORTED } from './interface.ts';
import { inGroup, inputsOf, type ReadInput, writeOutput, writeSummary } from './io.ts';
import { openWorld } from './open-world.ts';
import { enteredLast, podIdsOf } from './pod-ids.ts';
import { endsSummary } from './pods-summary.ts';
import { keepInOf, localPathOf } from './register-wish.ts';
import { endSummary } from './summary.ts';
import { passingFolder } from './wire.ts';
import { durationOr, wrongInput, yesOrNo } from './words.ts';

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
  const podIds = ofRun ? [] : podIdsOf(read, enteredLast(desk.env));
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
  const [podId, ...more] = podIds;
  if (podId === undefined) {
    const title = `podtrack: teardown of all that ${ownerName(owner)} still holds`;
    const ofThisRun = async (each: TeardownRunInput) => await teardownRun(world, each);
    return await endSeveral(desk, world, { order, scope: 'run', title, end: ofThisRun });
  }
  if (more.length > 0) {
    const title = `podtrack: teardown of ${podIds.join(', ')}`;
    const ofThese = async (each: TeardownRunInput) => await teardownListed(world, each, podIds);
    return await endSeveral(desk, world, { order, scope: 'pods', title, end: ofThese });
  }
  if (forcedBecause !== null) await claim(world, { acting, owner, podId, killInMs: null, forcedBecause });
  const title = `podtrack: teardown of ${podId}`;
  const outcome = await inGroup(title, () => teardownOwn(world, { ...order, podId }));
  await tell(desk, world, outcome, owner);
  return leavesOpen(outcome) ? 1 : 0;
}

type Several = {
  readonly order: Omit<TeardownOwnInput, 'podId'>;
  readonly scope: 'run' | 'pods';
  readonly title: string;
  readonly end: (input: TeardownRunInput) => Promise<readonly Outcome[]>;
};

async function endSeveral(
  desk: Desk,
  world: World,
  { order, scope, title, end }: Several,
): Promise<ExitCode> {
  const { localPath, owner } = order;
  const placeOf = (podId: string): string | null => (localPath === null ? null : `${localPath}/${podId}`);
  const outcomes = await inGroup(title, () => end({ ...order, placeOf }));
  const open = outcomes.some(leavesOpen);
  if (outcomes.length === 0) desk.log.say('info', `nothing is left of ${ownerName(owner)}`);
  for (const outcome of outcomes)
    desk.log.say(
      leavesOpen(outcome) ? 'error' : 'info',
      `${outcome.pod} (${String(outcome.detail['leg'])}): ${outcome.says}`,
    );
  writeOutput('teardown', 'ended', String(!open && outcomes.every(({ detail }) => detail['left'] !== true)));
  writeOutput('teardown', 'result', JSON.stringify({ schemaVersion: 1, scope, pods: outcomes }));
  if (outcomes.length === 0) return 0;
  const snapshot = await world.registry.read().catch(() => null);
  writeSummary(endsSummary(outcomes, snapshot?.state ?? null, desk.clock.now()));
  const others = snapshot === null || scope === 'run' ? [] : heldBy(snapshot.state, owner);
  sayOthers(
    desk,
    others.map(({ id }) => id).filter((id) => outcomes.every(({ pod }) => pod !== id)),
  );
  return open ? 1 : 0;
}

function isOfRun(read: Read): boolean {
  const scope = read('scope');
  if (scope === '' || scope === 'pod') return false;
  if (scope !== 'run')
    throw wrongInput('scope', `"${scope.slice(0, 40)}" is neither pod nor run`, 'Give run, or leave it out');
  const given = (['pod-id', 'pod-ids'] as const).find((name) => read(name) !== '');
  if (given === undefined) return true;
  throw wrongInput('scope', `${given} and scope: run were both given`, 'Leave one of them out');
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
  sayOthers(
    desk,
    held.map(({ id }) => id).filter((id) => id !== outcome.pod),
  );
}

/** One slot for one id: the pods of other legs are not forgotten over it. */
function sayOthers(desk: Desk, ids: readonly string[]): void {
  if (ids.length === 0) return;
  desk.log.say('notice', `${ids.length} more pod(s) of this owner live: ${ids.join(', ')}`);
}
