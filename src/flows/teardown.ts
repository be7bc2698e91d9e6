/** How a pod is ended, in one order: fence, pet, pull, verify, keep, ask again, terminate, confirm, settle. */
import { mirrorFactsOf } from '../domain/artifacts.ts';
import { formatUsd } from '../domain/budget.ts';
import { type Choice, sameChoice, saysChoice, saysLeftOut } from '../domain/choice.ts';
import { costOf } from '../domain/cost.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import { WorldError } from '../domain/errors.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { PodRecord, VerdictFacts } from '../domain/pod.ts';
import { type EndReason, REASONS, type Verdict } from '../domain/policy/reasons.ts';
import { BRIEF_PULL_MS } from '../domain/rules.ts';
import type { ShellSession, World } from '../ports.ts';
import type { Acting } from './acting.ts';
import { type Ending, settleEnd, terminateAndConfirm } from './ending/end-pod.ts';
import { gatherEvidence, keepEvidence } from './ending/evidence.ts';
import { releaseFence, renewFence, takeFence, whileFenced } from './ending/fence.ts';
import { keepUnverified, type Safe, saveArtifacts } from './ending/save-artifacts.ts';
import { askPolicy, stillStands } from './ending/still-stands.ts';
import { whileResting } from './ending/while-resting.ts';
import { petUntil } from './switch/pet.ts';
import { settleBase } from './watch/settle.ts';

export type TeardownInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly reason: EndReason;
  /** What the order rests on; committed with the fence, so that it can be explained whatever happens next. */
  readonly verdict: VerdictFacts | null;
  /** An open connection to the pod, if there is one. */
  readonly session: ShellSession | null;
  readonly noSession: string;
  /** Which files must be verified: the record's, or what its owner asks for at this end. */
  readonly choice: Choice | null;
  /** The policy, asked again with a fresh look; null = an explicit order, for which only the record counts. */
  readonly askAgain: (() => Promise<Verdict>) | null;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  readonly skipPull: boolean;
};

/** Whoever reads that a pod stays up asks who ends it, and when. */
const NEXT = '; the reaper tries again, and its deadlines are what they were';
const GOOD_NEWS: ReadonlySet<string> = new Set(['verdict-changed', 'moved-meanwhile']);

/** Ends one pod, or says why it stays up. Throws only for a mistake in the program, or the registry. */
export async function teardown(world: World, input: TeardownInput): Promise<Outcome> {
  const { acting, record, reason } = input;
  const { inferred } = REASONS[reason];
  const hopeless = whyUnsaved(input);
  if (hopeless !== null) return await stayUp(world, input, hopeless);
  const fenced = await takeFence(world, acting, record, { reason, inferred, verdict: input.verdict });
  if (fenced.kind === 'refused') {
    const says = `not ended: ${fenced.detail}`;
    return told(input, { kind: 'handed-over', reason: `fence-${fenced.because}`, says });
  }
  const held = fenced.record;
  try {
    return await whileFenced(world, acting, held, () => endFenced(world, input, held));
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return await letGo(world, input, held, {
      reason: error.failure,
      why: `${error.failure}: ${error.told.cameBack}`,
    });
  }
}

/** Why the artifacts cannot be saved, known before anything is done; null = they may be, or need not be. */
function whyUnsaved({ record, reason, session, noSession, askAgain }: TeardownInput): string | null {
  // An explicit order is told in the history, however it ends.
  if (askAgain === null || session !== null) return null;
  if (REASONS[reason].beforeVerified || record.artifacts.none) return null;
  if (record.stopped?.verified === true) return null;
  return `it could not be reached: ${noSession}`;
}

/** No fence is taken for an end that cannot be: it would only keep others off, and fill the history each cycle. */
async function stayUp(world: World, input: TeardownInput, why: string): Promise<Outcome> {
  const { record, acting, verdict } = input;
  if (verdict !== null) await world.registry.submit([{ ...settleBase(world, acting, record), verdict }]);
  const says = `it stays up, because its artifacts could not be saved: ${why}${NEXT}`;
  return told(input, { kind: 'released', reason: 'not-saved', says });
}

async function endFenced(world: World, input: TeardownInput, held: PodRecord): Promise<Outcome> {
  const saved = await save(world, input, held);
  const { beforeVerified } = REASONS[input.reason];
  if (saved.kind === 'unsaved' && !beforeVerified)
    return await letGo(world, input, held, { reason: 'not-saved', why: saved.why });
  if (saved.kind === 'unsaved') {
    world.log.say('warning', `${held.id}: ended although its artifacts are not saved: ${saved.why}`);
  }
  // What is saved is told while the policy is asked again; an answer that grows old meanwhile is asked anew.
  const [marked, asked, evidence] = await Promise.all([
    markVerified(world, input, held, saved),
    askPolicy(world, input),
    gatherEvidence(world, input),
  ]);
  const lost = { kind: 'handed-over' as const, reason: 'fence-lost' };
  if (marked === null) return told(input, { ...lost, says: 'not ended: the fence was lost while saving' });
  const objection = await stillStands(world, input, marked, { saved, asked });
  if (objection?.reason === 'fence-lost') return told(input, { ...lost, says: objection.why });
  if (objection !== null) return await letGo(world, input, marked, objection);
  // What was seen of the pod is written down while its end is confirmed.
  const [outcome] = await Promise.all([
    endNow(world, input, marked, saved),
    keepEvidence(world, held, evidence),
    keepUnverified(world, held, saved),
  ]);
  return outcome;
}

/** Pet first, so that the pod's own switch does not cut the pull; then pull, verify and keep. */
async function save(world: World, input: TeardownInput, held: PodRecord): Promise<Safe> {
  if (input.skipPull) return { kind: 'unsaved', why: 'the pull was skipped on request', leftAt: null };
  const resting = input.session === null ? await whileResting(world, held) : null;
  if (resting !== null) return resting;
  const { beforeVerified } = REASONS[input.reason];
  const budgetMs = beforeVerified ? Math.min(BRIEF_PULL_MS, input.pullBudgetMs) : input.pullBudgetMs;
  if (input.session !== null && !held.artifacts.none && held.switch !== null) {
    const petted = await petUntil(world, input.session, held, world.clock.now() + budgetMs);
    if (petted.kind === 'unseen') {
      world.log.say(
        'warning',
        `${held.id}: the switch did not take the pet before the pull: ${petted.reason}`,
      );
    }
  }
  return await saveArtifacts(world, {
    record: held,
    session: input.session,
    noSession: input.noSession,
    choice: input.choice,
    localPath: input.localPath,
    budgetMs,
    name: `podtrack-${held.id}-${held.owner.attempt ?? 1}`,
  });
}

/** One commit says what was saved and renews the fence; null = the fence is no longer ours. */
async function markVerified(
  world: World,
  { acting, choice }: TeardownInput,
  held: PodRecord,
  saved: Safe,
): Promise<PodRecord | null> {
  if (saved.kind !== 'verified') return held;
  // Another choice is no mirror of the record: if the pod stays up, the next one is measured against the last good one.
  const isOther = !sameChoice(choice, held.artifacts.choice);
  const mirror = isOther ? null : mirrorFactsOf(saved.pulled, true, choice);
  const chosen = isOther ? ` (${saysChoice(choice) ?? 'every file'})` : '';
  const note = `verified and kept: ${saved.where}${chosen}`.slice(0, 300);
  const learned = { ...settleBase(world, acting, held), mirror, note };
  const renewed = await renewFence(world, acting, held, { step: 'verified', learned });
  return renewed.kind === 'held' ? renewed.record : null;
}

async function endNow(world: World, input: TeardownInput, held: PodRecord, saved: Safe): Promise<Outcome> {
  const verified = saved.kind === 'none-wanted' ? null : saved.kind !== 'unsaved';
  const ending = await terminateAndConfirm(world, held);
  if (ending.kind === 'failed') return await failedEnd(world, input, held, ending);
  if (ending.kind === 'pending') return await pendingEnd(world, input, held, ending);
  const how = ending.kind === 'gone' ? ('terminated' as const) : ('lost' as const);
  const facts = {
    reason: input.reason,
    inferred: REASONS[input.reason].inferred,
    verified,
    proof: ending.proof,
    how,
  };
  try {
    await settleEnd(world, input.acting, held, facts);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    world.log.say('warning', `${held.id}: it is gone, but the registry could not be told: ${error.message}`);
  }
  const costMicroUsd = costOf(held, world.clock.now(), null);
  const says = `${saysEnd(input, saved, ending.proof)}; cost so far ${formatUsd(costMicroUsd)}`;
  return told(input, { kind: 'done', reason: input.reason, says, detail: { verified, costMicroUsd } });
}

/** A DELETE that was accepted stands in the record, and whoever looks next finishes it. */
async function pendingEnd(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  { accepted, why }: Extract<Ending, { kind: 'pending' }>,
): Promise<Outcome> {
  const step = accepted ? ('deleted' as const) : (held.fence?.step ?? 'fenced');
  await renewFence(world, input.acting, held, { step, lapse: true });
  const did = accepted ? `DELETE was accepted, but ${why}` : why;
  const says = `${did}; it may still bill until confirmed`;
  return told(input, { kind: 'pending', reason: 'not-confirmed', says });
}

/** The end stays wanted: the fence lapses at once, so that the next cycle asks anew. */
async function failedEnd(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  ending: Extract<Ending, { kind: 'failed' }>,
): Promise<Outcome> {
  await renewFence(world, input.acting, held, { step: held.fence?.step ?? 'fenced', lapse: true });
  const says = `it still bills: DELETE was not accepted (${ending.why})`;
  return told(input, { kind: 'failed', reason: ending.error.failure, says });
}

async function letGo(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  objection: { readonly reason: string; readonly why: string },
): Promise<Outcome> {
  const { reason, why } = objection;
  const refused = await releaseFence(world, input.acting, held, why);
  if (refused !== null) {
    const says = `it was let go (${why}), but its fence was somebody else's by then: ${refused}`;
    return told(input, { kind: 'handed-over', reason: 'fence-lost', says });
  }
  const next = GOOD_NEWS.has(reason) ? '' : NEXT;
  return told(input, { kind: 'released', reason, says: `it stays up: ${why}${next}` });
}

function saysEnd(input: TeardownInput, saved: Safe, proof: string): string {
  const artifacts =
    saved.kind === 'verified'
      ? `${saved.pulled.files} artifact file(s) verified and kept (${saved.where})${saysLeftOut(saved.pulled.leftOut)}`
      : saved.kind === 'resting'
        ? 'its artifacts were verified and kept before it was stopped, and it was not started since'
        : saved.kind === 'none-wanted'
          ? 'no artifacts were wanted'
          : `artifacts not saved (${saved.why})`;
  return `ended, because ${REASONS[input.reason].says}; ${artifacts}; ${proof}`;
}

type Told = Pick<Outcome, 'kind' | 'reason' | 'says'> & { readonly detail?: Outcome['detail'] };

function told({ record, reason: why }: TeardownInput, end: Told): Outcome {
  return { pod: record.id, order: 'teardown', ...end, detail: { why, ...end.detail } };
}

/** The usual time a teardown may spend on a pull. */
export const PULL_BUDGET_MS = 10 * MINUTE_MS;
