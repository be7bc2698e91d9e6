/** The post step: ends or keeps the pods from what main saved, inside a budget of its own, and hands over the rest. */
import { SECOND_MS } from '../domain/duration.ts';
import type { ExitCode } from '../domain/errors.ts';
import { endingFor, jobEnd } from '../domain/job-end.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { findRecord } from '../domain/registry/change.ts';
import type { FinishInput } from '../flows/ending/finish-job.ts';
import { type Finished, type FinishPodsInput, finishPods } from '../flows/ending/finish-pods.ts';
import type { World } from '../ports.ts';
import { type Credentials, isPrivate, takeCredentials } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { EXPORTED } from './interface.ts';
import { inGroup, inputsOf, writeSummary } from './io.ts';
import { worldAt } from './open-world.ts';
import { idsIn } from './pod-ids.ts';
import { endsSummary } from './pods-summary.ts';
import { readSaved, type Saved, savedPodIds } from './saved-state.ts';
import { endSummary } from './summary.ts';
import { dropSealed, passingFolder } from './wire.ts';

/** Kept out of the pull for fence, verify, terminate, confirm and settle. */
const END_MS = 75 * SECOND_MS;
/** Kept out of everything for handing over. */
const HAND_OVER_MS = 20 * SECOND_MS;

export async function run(): Promise<void> {
  await openDoor(finish);
}

async function finish(desk: Desk): Promise<ExitCode> {
  const saved = savedOrTold(desk);
  if (saved === 'unreadable') return 1;
  if (saved === null || saved.phase === 'refused') {
    desk.log.say('info', 'podtrack: nothing was begun by this step, so there is nothing to end');
    if (saved !== null) dropSealed(saved.secretsFile);
    return 0;
  }
  desk.concerned();
  try {
    return await finishSaved(desk, saved);
  } finally {
    dropSealed(saved.secretsFile);
  }
}

/** State that cannot be read must not end in silence: a pod may stand behind it. */
function savedOrTold(desk: Desk): Saved | 'unreadable' | null {
  try {
    return readSaved();
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 200) : 'unknown';
    desk.log.say(
      'error',
      `pods ${savedPodIds() || '(unknown)'}: what main saved cannot be read (${why}); nothing was ended, and deadlines and the reaper end them`,
    );
    return 'unreadable';
  }
}

async function finishSaved(desk: Desk, saved: Saved): Promise<ExitCode> {
  const credentials = credentialsOf(desk, saved);
  const folder = passingFolder(desk.env);
  const { keepIn, budgetMs } = saved.post;
  const patientUntil = desk.clock.now() + budgetMs - handOverMs(budgetMs);
  const world = worldAt(desk, saved.place, { credentials, keepIn, folder, patientUntil });
  const end = jobEnd(inputsOf('register')('job-status'));
  const ending = endingFor(end, saved.post.ending);
  const ids = saved.podIds.join(', ');
  desk.log.say('info', `${ids}: the job ended with ${end}; ${ending} follows`);
  const finished = await inGroup(`podtrack: ${ending} of ${ids}`, () =>
    finishPods(world, finishInput(desk, saved, ending)),
  );
  await tell(desk, world, finished);
  return finished.outcomes.some(isRed) ? 1 : 0;
}

/** From the sealed file; where that is gone, from what the runner hands over anew. */
function credentialsOf(desk: Desk, { credentials }: Saved): Credentials {
  if (credentials === null) {
    desk.log.say('warning', 'the secrets that main saved are gone; using the inputs of this step');
    return takeCredentials(desk, inputsOf('register'));
  }
  for (const secret of Object.values(credentials)) if (secret !== null) desk.mask(secret);
  return credentials;
}

/** Fractions of a small budget, so that a short one still ends in a hand-over and not in a kill by the runner. */
function finishInput(desk: Desk, saved: Saved, ending: FinishInput['ending']): FinishPodsInput {
  const { asked, podIds, post, phase, known } = saved;
  const { budgetMs, keepForMs, localPath } = post;
  const forHandOverMs = handOverMs(budgetMs);
  const workMs = budgetMs - forHandOverMs;
  const pullBudgetMs = workMs - Math.min(END_MS, workMs / 2);
  const elsewhere = idsIn(desk.env[EXPORTED.jobPodIds]).filter((id) => !podIds.includes(id));
  const alone = podIds.length === 1;
  const inputOf = (podId: string, isNamed: boolean): FinishInput => ({
    register: { ...asked, podId },
    entered: phase === 'registered' || !isNamed,
    ending,
    keepForMs,
    localPath: localPath === null || (alone && isNamed) ? localPath : `${localPath}/${podId}`,
    pullBudgetMs,
    waitMs: pullBudgetMs,
    known: known.get(podId) ?? null,
  });
  return {
    pods: podIds.map((podId) => inputOf(podId, true)),
    unnamed: (podId) => inputOf(podId, false),
    elsewhere: new Set(elsewhere),
    budgetMs,
    handOverMs: forHandOverMs,
  };
}

function handOverMs(budgetMs: number): number {
  return Math.min(HAND_OVER_MS, budgetMs / 4);
}

/** Only what may still bill, or was ended unverified, makes the job red. */
function isRed(outcome: Outcome): boolean {
  return leavesOpen(outcome) || outcome.detail['verified'] === false;
}

async function tell(desk: Desk, world: World, { outcomes, isRead }: Finished): Promise<void> {
  const rowLeft = (outcome: Outcome): boolean => outcome.detail['rowLeft'] === true;
  for (const outcome of outcomes)
    desk.log.say(isRed(outcome) || rowLeft(outcome) ? 'error' : 'info', `${outcome.pod}: ${outcome.says}`);
  // The summary is worth one more read, but never the end of the job, nor another try of a dead token.
  const mayRead = isRead && !outcomes.some(rowLeft);
  const state = mayRead ? ((await world.registry.read().catch(() => null))?.state ?? null) : null;
  const now = desk.clock.now();
  const [only, ...more] = await Promise.all(
    outcomes.map(async (outcome) => ({ outcome, wayIn: await wayIn(desk, world, outcome) })),
  );
  if (only === undefined) return;
  const record = state === null ? null : findRecord(state, only.outcome.pod);
  const withWay = [only, ...more].map((each) => saysWay(each.outcome, each.wayIn));
  writeSummary(
    more.length === 0
      ? endSummary(only.outcome, record, { now, wayIn: only.wayIn })
      : endsSummary(withWay, state, now),
  );
}

function saysWay(outcome: Outcome, way: string | null): Outcome {
  return way === null ? outcome : { ...outcome, says: `${outcome.says}; way in: ${way}` };
}

/** For who looks at a pod that was kept; an address is told where the summary is not public. */
async function wayIn({ env }: Desk, { provider }: World, outcome: Outcome): Promise<string | null> {
  if (outcome.order !== 'keep' || outcome.kind !== 'done') return null;
  if (!isPrivate(env)) return 'RunPod shows its address; this repository may be public';
  const look = await provider.get(outcome.pod).catch(() => null);
  if (look?.kind !== 'present' || look.pod.ssh.kind === 'unseen') return null;
  const { host, port, username } = look.pod.ssh.value;
  return `ssh -p ${port} ${username}@${host}`;
}
