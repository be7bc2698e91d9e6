/** The post step: ends or keeps the pod from what main saved, inside a budget of its own, and hands over the rest. */
import { SECOND_MS } from '../domain/duration.ts';
import { type ExitCode, Refusal, WorldError } from '../domain/errors.ts';
import { endingFor, jobEnd } from '../domain/job-end.ts';
import { leavesOpen, type Outcome } from '../domain/outcome.ts';
import { type FinishInput, finishJob, handOver } from '../flows/ending/finish-job.ts';
import type { World } from '../ports.ts';
import { type Credentials, isPrivate, takeCredentials } from './credentials.ts';
import { type Desk, openDoor } from './door.ts';
import { inGroup, inputsOf, writeSummary } from './io.ts';
import { worldAt } from './open-world.ts';
import { readSaved, type Saved, savedPodId } from './saved-state.ts';
import { endSummary, unknownSummary } from './summary.ts';
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
      `pod ${savedPodId() || '(unknown)'}: what main saved cannot be read (${why}); it was left up, and its deadlines and the reaper end it`,
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
  const { podId } = saved.register;
  desk.log.say('info', `${podId}: the job ended with ${end}; ${ending} follows`);
  const task = { saved, input: finishInput(saved, ending) };
  const outcome = await inGroup(`podtrack: ${ending} of ${podId}`, () =>
    withinBudget(desk, world, task),
  ).catch((error: unknown) => {
    writeSummary(unknownSummary(podId));
    throw error;
  });
  await tell(desk, world, outcome);
  return isRed(outcome) ? 1 : 0;
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
function finishInput({ register, post, phase, known }: Saved, ending: FinishInput['ending']): FinishInput {
  const workMs = post.budgetMs - handOverMs(post.budgetMs);
  const pullBudgetMs = workMs - Math.min(END_MS, workMs / 2);
  return {
    register,
    entered: phase === 'registered',
    ending,
    keepForMs: post.keepForMs,
    localPath: post.localPath,
    pullBudgetMs,
    waitMs: pullBudgetMs,
    known,
  };
}

function handOverMs(budgetMs: number): number {
  return Math.min(HAND_OVER_MS, budgetMs / 4);
}

type Task = { readonly saved: Saved; readonly input: FinishInput };

async function withinBudget(desk: Desk, world: World, { saved, input }: Task): Promise<Outcome> {
  const { budgetMs } = saved.post;
  const enough = new AbortController();
  const spent = `the post step has used its budget of ${Math.round(budgetMs / SECOND_MS)} s`;
  const over = desk.clock.sleep(budgetMs - handOverMs(budgetMs), enough.signal).then(() => spent);
  const work = finishJob(world, input).catch(
    (error: unknown) => lostRaces(error, spent) ?? leftToOther(error, saved),
  );
  const outcome = await Promise.race([work, over]);
  enough.abort();
  if (typeof outcome !== 'string') return outcome;
  const why = outcome;
  desk.log.say('warning', `${saved.register.podId}: ${why}`);
  const late = desk.clock.sleep(handOverMs(budgetMs)).then(() => null);
  return (await Promise.race([handOver(world, input, why), late])) ?? unheard(saved, why);
}

/** Races are run again until the budget ends: who has lost the last of them has no time left. null = it is none. */
function lostRaces(error: unknown, spent: string): string | null {
  if (!(error instanceof WorldError) || error.failure !== 'conflict') return null;
  return `every race for the registry was lost (${error.told.cameBack}), and ${spent}`;
}

/** What main was cut before finding out, and what is no fault of this job: the pod is another owner's. */
function leftToOther(error: unknown, saved: Saved): Outcome {
  if (!(error instanceof Refusal) || error.gate !== 'needs-claim') throw error;
  const told = { pod: saved.register.podId, order: 'teardown' as const, kind: 'done' as const, detail: {} };
  return { ...told, reason: 'not-mine', says: `${error.told.cameBack}; it was left alone` };
}

function unheard({ register }: Saved, why: string): Outcome {
  const says = `not finished: ${why}, and the registry could not be told; its fence lapses by itself, and the reaper goes on`;
  return {
    pod: register.podId,
    order: 'teardown',
    kind: 'handed-over',
    reason: 'out-of-time',
    says,
    detail: {},
  };
}

/** Only what may still bill, or was ended unverified, makes the job red. */
function isRed(outcome: Outcome): boolean {
  return leavesOpen(outcome) || outcome.detail['verified'] === false;
}

async function tell(desk: Desk, world: World, outcome: Outcome): Promise<void> {
  const rowLeft = outcome.detail['rowLeft'] === true;
  desk.log.say(isRed(outcome) || rowLeft ? 'error' : 'info', `${outcome.pod}: ${outcome.says}`);
  // The summary is worth one more read, but never the end of the job, nor another try of a dead token.
  const snapshot = rowLeft ? null : await world.registry.read().catch(() => null);
  const record = snapshot?.state.pods[`runpod.${outcome.pod}`] ?? null;
  const how = await wayIn(desk, world, outcome);
  writeSummary(endSummary(outcome, record, { now: desk.clock.now(), wayIn: how }));
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
