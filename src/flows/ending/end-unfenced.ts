/** The end of a job's own pod while the registry answers nobody: no fence can be taken, so the pod's own mark decides. */
import { SECOND_MS } from '../../domain/duration.ts';
import { WorldError } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { type Part, unseen } from '../../domain/part.ts';
import { isSamePod, type PodRecord, podKey } from '../../domain/pod.ts';
import type { ProviderPod } from '../../domain/provider-pod.ts';
import { LATEST_LOOK_MS } from '../../domain/rules.ts';
import { switchCall } from '../../domain/switch/calls.ts';
import { readSwitchStatus, type SwitchStatus } from '../../domain/switch.ts';
import type { ShellSession, World } from '../../ports.ts';
import type { Acting } from '../acting.ts';
import { softly } from '../ask.ts';
import { petUntil } from '../switch/pet.ts';
import { openPod } from '../watch/visit.ts';
import { endOutcome } from './end-away.ts';
import { type Ending, settleEnd, terminateAndConfirm } from './end-pod.ts';
import { takeFence } from './fence.ts';
import { type Saved, saveArtifacts } from './save-artifacts.ts';
import { holdsTheSame } from './still-stands.ts';

/** What this process knew of its pod when the registry last answered. */
export type KnownPod = { readonly record: PodRecord; readonly registryId: string };

export type EndUnfencedInput = {
  readonly acting: Acting;
  readonly known: KnownPod;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
  /** How the registry failed. */
  readonly cause: WorldError;
};

/** The record is read this long before a fenced DELETE; here it is the mark. */
const LATEST_READ_MS = 10 * SECOND_MS;
/** A switch that would fire earlier than this after the pull is petted first. */
const PET_SLACK_MS = 60 * SECOND_MS;

/**
 * Looked at, marked as ours, pulled, verified, kept, marked as ours still, then DELETE and a GET. Stands down where
 * the mark differs or cannot be read: the pod may be somebody else's by now. Never throws for the world.
 */
export async function endUnfenced(world: World, input: EndUnfencedInput): Promise<Outcome> {
  const { record } = input.known;
  const { failure, told } = input.cause;
  world.log.say(
    'warning',
    `${record.id}: no fence can be taken, the mark on the pod decides (${failure}: ${told.cameBack})`,
  );
  const look = await softly(() => world.provider.get(record.id));
  if (look.kind === 'unseen')
    return staysUp(input, 'provider-unseen', `RunPod cannot be asked (${look.reason})`);
  if (look.value.kind === 'absent' || look.value.pod.status === 'TERMINATED') return awayAlready(input);
  const { pod } = look.value;
  if (!isSamePod(record, pod)) return staysUp(input, 'id-reused', 'another pod bears its id now');
  const opened = await softly(() => openPod(world, record, pod));
  if (opened.kind === 'unseen')
    return staysUp(input, 'mark-unread', `its mark cannot be read (${opened.reason})`);
  try {
    return await endMarked(world, input, { session: opened.value, pod });
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return staysUp(input, error.failure, `it could not be looked at again (${error.told.cameBack})`);
  } finally {
    await opened.value.close();
  }
}

type Open = { readonly session: ShellSession; readonly pod: ProviderPod };

async function endMarked(world: World, input: EndUnfencedInput, open: Open): Promise<Outcome> {
  const { record } = input.known;
  const first = await readMark(open.session);
  const foreign = notOurs(input, first);
  if (foreign !== null) return foreign;
  await petBefore(world, input, open.session, first);
  const saved = await save(world, input, open.session);
  if (saved.kind === 'unsaved')
    return staysUp(input, 'not-saved', `its artifacts could not be saved: ${saved.why}`);
  const objection = await lastLook(world, input, open.session, saved);
  if (objection !== null) return objection;
  const ending = await terminateAndConfirm(world, record);
  return await tellEnd(world, input, { ending, saved });
}

/** The artifacts ≤ 60 s and the mark ≤ 10 s before DELETE; null = nothing speaks against it. */
async function lastLook(
  world: World,
  input: EndUnfencedInput,
  session: ShellSession,
  saved: Exclude<Saved, { kind: 'unsaved' }>,
): Promise<Outcome | null> {
  const { record } = input.known;
  const late = saved.kind === 'verified' && world.clock.now() - saved.at > LATEST_LOOK_MS / 2;
  const lookedAt = world.clock.now();
  if (late && !(await holdsTheSame(world, { record, session, choice: record.artifacts.choice }, saved)))
    return staysUp(input, 'not-saved', 'its artifacts have changed since they were pulled');
  const readAt = world.clock.now();
  const foreign = notOurs(input, await readMark(session));
  if (foreign !== null) return foreign;
  const now = world.clock.now();
  if (now - readAt <= LATEST_READ_MS && now - lookedAt <= LATEST_LOOK_MS / 2) return null;
  return staysUp(input, 'look-too-old', 'the last look at it took too long');
}

async function readMark(session: ShellSession): Promise<Part<SwitchStatus>> {
  const answered = await softly(() => session.run(switchCall('status')));
  return answered.kind === 'seen' ? readSwitchStatus(answered.value) : answered;
}

/** null = the mark names this registry, this owner's process and this pod. */
function notOurs(input: EndUnfencedInput, status: Part<SwitchStatus>): Outcome | null {
  const { record, registryId } = input.known;
  const mark = status.kind === 'seen' ? status.value.mark : unseen<never>(status.reason);
  if (mark.kind === 'unseen')
    return staysUp(input, 'mark-unread', `its mark cannot be read (${mark.reason})`);
  if (mark.value.registryId !== registryId)
    return staysUp(input, 'mark-differs', 'its mark names another registry');
  if (mark.value.ownerUuid !== record.owner.uuid || mark.value.podId !== record.id)
    return staysUp(input, 'mark-differs', 'its mark names another owner');
  return null;
}

/** Only where its switch would cut the pull: what it holds now may be newer than what is known here. */
async function petBefore(
  world: World,
  { known: { record }, pullBudgetMs }: EndUnfencedInput,
  session: ShellSession,
  status: Part<SwitchStatus>,
): Promise<void> {
  const told = status.kind === 'seen' ? status.value.deadlines : status;
  if (told.kind === 'seen' && told.value.stopInMs > pullBudgetMs + PET_SLACK_MS) return;
  const petted = await petUntil(world, session, record, world.clock.now() + pullBudgetMs);
  if (petted.kind === 'seen') return;
  world.log.say('warning', `${record.id}: the switch did not take the pet before the pull: ${petted.reason}`);
}

async function save(world: World, input: EndUnfencedInput, session: ShellSession): Promise<Saved> {
  const { record } = input.known;
  const { choice } = record.artifacts;
  return await saveArtifacts(world, {
    record,
    session,
    noSession: '',
    choice,
    localPath: input.localPath,
    budgetMs: input.pullBudgetMs,
    name: `podtrack-${record.id}-${record.owner.attempt ?? 1}`,
  });
}

type End = { readonly ending: Ending; readonly saved: Exclude<Saved, { kind: 'unsaved' }> };

async function tellEnd(world: World, input: EndUnfencedInput, { ending, saved }: End): Promise<Outcome> {
  const { record } = input.known;
  if (ending.kind === 'failed')
    return staysUp(input, ending.error.failure, `DELETE was not accepted (${ending.why})`);
  if (ending.kind === 'pending') {
    const says = `DELETE was ${ending.accepted ? '' : 'not '}accepted, and ${ending.why}; ${cureOf(input)}`;
    return endOutcome(record, 'pending', 'not-confirmed', says);
  }
  const verified = saved.kind === 'verified';
  const files = verified
    ? `${saved.pulled.files} artifact file(s) verified and kept (${saved.where})`
    : 'no artifacts were wanted';
  const did = `ended by its mark, without a fence; ${files}; ${ending.proof}`;
  const left = await settleLate(world, input, { ending, verified: verified ? true : null });
  const says = left === null ? did : `${did}; its row is left to the reaper (${left}); ${cureOf(input)}`;
  const detail = { why: 'requested', verified: verified ? true : null, rowLeft: left !== null };
  return { ...endOutcome(record, 'done', 'requested', says), detail };
}

type Settling = {
  readonly ending: Extract<Ending, { kind: 'gone' | 'lost' }>;
  readonly verified: boolean | null;
};

/** One more word to a registry that may answer again by now; a dead credential is not tried twice. null = told. */
async function settleLate(
  world: World,
  { acting, known, cause }: EndUnfencedInput,
  { ending, verified }: Settling,
): Promise<string | null> {
  if (cause.failure === 'unauthorized') return cause.told.cameBack;
  const settled = await softly(async () => {
    const now = (await world.registry.read()).state.pods[podKey(known.record)];
    if (now === undefined) return 'it has no record there';
    if (now.owner.uuid !== known.record.owner.uuid) return 'it is another owner’s there';
    const fenced = await takeFence(world, acting, now, {
      reason: 'requested',
      inferred: false,
      verdict: null,
    });
    if (fenced.kind === 'refused') return fenced.detail;
    const how = ending.kind === 'gone' ? ('terminated' as const) : ('lost' as const);
    const facts = { reason: 'requested' as const, inferred: false, verified, proof: ending.proof, how };
    await settleEnd(world, acting, fenced.record, facts);
    return null;
  });
  return settled.kind === 'seen' ? settled.value : settled.reason;
}

/** Absence alone ends a row: the next cycle that sees it twice settles it. */
function awayAlready(input: EndUnfencedInput): Outcome {
  const says = `it is away already; its row is left to the reaper; ${cureOf(input)}`;
  const outcome = endOutcome(input.known.record, 'done', 'already-ended', says);
  return { ...outcome, detail: { rowLeft: true } };
}

function staysUp(input: EndUnfencedInput, reason: string, why: string): Outcome {
  const { record } = input.known;
  const { failure, told } = input.cause;
  const says = `it stays up: the registry failed (${failure}: ${told.cameBack}), and ${why}; ${cureOf(input)}; until then its switch and the reaper end it`;
  return endOutcome(record, 'failed', reason, says);
}

function cureOf({ cause }: EndUnfencedInput): string {
  return `to mend: ${cause.told.next}`;
}
