/** How a pod is ended, in one order: fence, pet, pull, verify, keep, ask again, terminate, confirm, settle. */
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { WorldError } from '../domain/errors.ts';
import type { Outcome, OutcomeKind } from '../domain/outcome.ts';
import { type PodRecord, podKey, type VerdictFacts } from '../domain/pod.ts';
import { type EndReason, REASONS, type Verdict } from '../domain/policy/reasons.ts';
import { BRIEF_PULL_MS, LATEST_LOOK_MS } from '../domain/rules.ts';
import type { ShellSession, World } from '../ports.ts';
import type { Acting } from './acting.ts';
import { type Ending, settleEnd, terminateAndConfirm } from './end-pod.ts';
import { releaseFence, renewFence, takeFence, whileFenced } from './fence.ts';
import { petUntil } from './pet.ts';
import { type Saved, saveArtifacts } from './save-artifacts.ts';
import { settleBase } from './settle.ts';

export type TeardownInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly reason: EndReason;
  /** What the order rests on; committed with the fence, so that it can be explained whatever happens next. */
  readonly verdict: VerdictFacts | null;
  /** An open connection to the pod, if there is one. */
  readonly session: ShellSession | null;
  readonly noSession: string;
  /** The policy, asked again with a fresh look; null = an explicit order, for which only the record counts. */
  readonly askAgain: (() => Promise<Verdict>) | null;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  readonly skipPull: boolean;
};

/** Ends one pod, or says why it stays up. Throws only for a mistake in the program. */
export async function teardown(world: World, input: TeardownInput): Promise<Outcome> {
  const { acting, record, reason } = input;
  const { inferred } = REASONS[reason];
  const fenced = await takeFence(world, acting, record, { reason, inferred, verdict: input.verdict });
  if (fenced.kind === 'refused') {
    return told(input, 'handed-over', `fence-${fenced.because}`, `not ended: ${fenced.detail}`);
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

async function endFenced(world: World, input: TeardownInput, held: PodRecord): Promise<Outcome> {
  const saved = await save(world, input, held);
  const { beforeVerified } = REASONS[input.reason];
  if (saved.kind === 'unsaved' && !beforeVerified)
    return await letGo(world, input, held, { reason: 'not-saved', why: saved.why });
  if (saved.kind === 'unsaved') {
    world.log.say('warning', `${held.id}: ended although its artifacts are not saved: ${saved.why}`);
  }
  const marked = await markVerified(world, input.acting, held, saved);
  if (marked === null) return told(input, 'handed-over', 'fence-lost', 'the fence was lost while saving');
  const objection = await stillStands(world, input, marked, saved);
  if (objection !== null) return await letGo(world, input, marked, objection);
  return await endNow(world, input, marked, saved);
}

/** Pet first, so that the pod's own switch does not cut the pull; then pull, verify and keep. */
async function save(world: World, input: TeardownInput, held: PodRecord): Promise<Saved> {
  if (input.skipPull) return { kind: 'unsaved', why: 'the pull was skipped on request', pulled: null };
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
  try {
    return await saveArtifacts(world, {
      record: held,
      session: input.session,
      noSession: input.noSession,
      localPath: input.localPath,
      budgetMs,
      name: `podtrack-${held.id}-${held.owner.attempt ?? 1}`,
    });
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return { kind: 'unsaved', why: `${error.failure}: ${error.told.cameBack}`, pulled: null };
  }
}

/** One commit says what was saved and renews the fence; null = the fence is no longer ours. */
async function markVerified(
  world: World,
  acting: Acting,
  held: PodRecord,
  saved: Saved,
): Promise<PodRecord | null> {
  if (saved.kind !== 'verified') return held;
  const mirror = {
    files: saved.pulled.files,
    bytes: saved.pulled.bytes,
    digest: saved.pulled.digest,
    verified: true,
    moving: saved.pulled.moving.length,
  };
  const settled = await world.registry.submit([
    { ...settleBase(world, acting, held), mirror, note: `verified and kept: ${saved.where}`.slice(0, 300) },
  ]);
  const latest = settled.state.pods[podKey(held)] ?? held;
  const renewed = await renewFence(world, acting, latest, { step: 'verified' });
  return renewed.kind === 'held' ? renewed.record : null;
}

/** `verdict-changed` and `moved-meanwhile` are good news; every other reason leaves a pod that should have ended. */
type Objection = {
  readonly reason: 'verdict-changed' | 'moved-meanwhile' | 'not-saved' | 'look-too-old' | 'fence-lost';
  readonly why: string;
};

/** Asked ≤ 60 s, and the record re-read right, before DELETE. The objection, or null when the order stands. */
async function stillStands(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  saved: Saved,
): Promise<Objection | null> {
  if (input.askAgain !== null) {
    const again = await input.askAgain();
    if (again.kind !== 'end') {
      const why = `asked again, the verdict is ${again.reason}: ${REASONS[again.reason].says}`;
      return { reason: 'verdict-changed', why };
    }
    const { beforeVerified } = REASONS[again.reason];
    if (saved.kind === 'unsaved' && !beforeVerified)
      return { reason: 'not-saved', why: `asked again, the reason is ${again.reason}, and ${saved.why}` };
  }
  if (saved.kind === 'verified' && world.clock.now() - saved.at > LATEST_LOOK_MS) {
    const why = `the last look at the artifacts is older than ${formatDuration(LATEST_LOOK_MS)}`;
    return { reason: 'look-too-old', why };
  }
  const snapshot = await world.registry.read();
  return recordObjects(input, held, snapshot.state.pods[podKey(held)]);
}

/** What the record itself, just read again, says against the end. */
function recordObjects(input: TeardownInput, held: PodRecord, now: PodRecord | undefined): Objection | null {
  const fence = now?.fence;
  if (fence?.holder !== input.acting.holder || fence.rev !== held.fence?.rev)
    return { reason: 'fence-lost', why: 'the fence is no longer ours' };
  if (now?.owner.uuid !== input.record.owner.uuid)
    return { reason: 'moved-meanwhile', why: 'the owner has changed meanwhile' };
  const limits = (record: PodRecord): string => JSON.stringify(record.deadlines);
  if (limits(now) === limits(input.record) || input.reason === 'absolute-deadline') return null;
  const why = 'its owner has moved a deadline or asked to keep it meanwhile';
  return { reason: 'moved-meanwhile', why };
}

async function endNow(world: World, input: TeardownInput, held: PodRecord, saved: Saved): Promise<Outcome> {
  const verified = saved.kind === 'none-wanted' ? null : saved.kind === 'verified';
  const ending = await terminateAndConfirm(world, held);
  if (ending.kind === 'failed') return await failedEnd(world, input, held, ending);
  if (ending.kind === 'pending') return await pendingEnd(world, input, held, ending.why);
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
  return told(input, 'done', input.reason, saysEnd(input, saved, ending.proof), { verified });
}

/** The DELETE was accepted: the record says so, and whoever looks next finishes it. */
async function pendingEnd(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  why: string,
): Promise<Outcome> {
  await renewFence(world, input.acting, held, { step: 'deleted', lapse: true });
  return told(
    input,
    'pending',
    'not-confirmed',
    `DELETE was accepted, but ${why}; it may still bill until confirmed`,
  );
}

/** The end stays wanted: the fence lapses at once, so that the next cycle asks anew. */
async function failedEnd(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  ending: Extract<Ending, { kind: 'failed' }>,
): Promise<Outcome> {
  await renewFence(world, input.acting, held, { step: held.fence?.step ?? 'fenced', lapse: true });
  return told(
    input,
    'failed',
    ending.error.failure,
    `it still bills: DELETE was not accepted (${ending.why})`,
  );
}

async function letGo(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  objection: { readonly reason: string; readonly why: string },
): Promise<Outcome> {
  const { reason, why } = objection;
  await releaseFence(world, input.acting, held, why);
  return told(input, 'released', reason, `it stays up: ${why}`);
}

function saysEnd(input: TeardownInput, saved: Saved, proof: string): string {
  const artifacts =
    saved.kind === 'verified'
      ? `${saved.pulled.files} artifact file(s) verified and kept (${saved.where})`
      : saved.kind === 'none-wanted'
        ? 'no artifacts were wanted'
        : `artifacts not saved (${saved.why})`;
  return `ended, because ${REASONS[input.reason].says}; ${artifacts}; ${proof}`;
}

function told(
  input: TeardownInput,
  kind: OutcomeKind,
  reason: string,
  says: string,
  detail: Outcome['detail'] = {},
): Outcome {
  return {
    pod: input.record.id,
    order: 'teardown',
    kind,
    reason,
    says,
    detail: { why: input.reason, ...detail },
  };
}

/** The usual time a teardown may spend on a pull. */
export const PULL_BUDGET_MS = 10 * MINUTE_MS;
