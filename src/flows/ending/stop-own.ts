/** Stops the owner's pod: pulled, verified and kept first, so that what is verified now holds until somebody starts it. */
import { mirrorFactsOf } from '../../domain/artifacts.ts';
import { ownerDeadlineAt } from '../../domain/deadlines.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { WorldError } from '../../domain/errors.ts';
import { formatInstant } from '../../domain/instant.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { isLive, isSamePod, type PodRecord, podKey } from '../../domain/pod.ts';
import type { Lookup, ProviderPod } from '../../domain/provider-pod.ts';
import type { World } from '../../ports.ts';
import type { Acting } from '../acting.ts';
import { softly } from '../ask.ts';
import { withSession } from '../shown-pod.ts';
import { petUntil } from '../switch/pet.ts';
import { settleBase } from '../watch/settle.ts';
import { type Saved, saveArtifacts } from './save-artifacts.ts';

export type StopOwnInput = {
  readonly acting: Acting;
  readonly record: PodRecord;
  readonly localPath: string | null;
  readonly pullBudgetMs: number;
};

const CONFIRM_LOOKS = 12;
const CONFIRM_MS = 5 * SECOND_MS;

/**
 * null = there is nothing that could be stopped: it is away, another pod, or has a network volume; the caller ends it.
 * Takes no fence: a stop is no end, and whoever ends the pod meanwhile wins.
 */
export async function stopOwn(world: World, input: StopOwnInput): Promise<Outcome | null> {
  const { record } = input;
  const look = await softly(() => world.provider.get(record.id));
  if (look.kind === 'unseen')
    return told(
      record,
      'failed',
      'provider-unseen',
      `not stopped: the provider could not be asked (${look.reason})`,
    );
  const pod = stoppable(record, look.value);
  if (pod === null) return null;
  if (pod.volumeId !== null) {
    const why =
      'a pod with a network volume cannot be stopped; it is ended, and its volume keeps what lies there';
    world.log.say('warning', `${record.id}: ${why}`);
    return null;
  }
  if (pod.status === 'EXITED')
    return told(record, 'done', 'stopped', `it is stopped already; ${saysRest(world, record)}`);
  const saved = await savedFirst(world, input);
  if (saved.kind === 'unsaved')
    return told(
      record,
      'failed',
      'not-saved',
      `not stopped, because its artifacts could not be saved: ${saved.why}`,
    );
  return await stopNow(world, input, { pod, saved });
}

function stoppable(record: PodRecord, look: Lookup): ProviderPod | null {
  if (look.kind === 'absent' || look.pod.status === 'TERMINATED') return null;
  return isSamePod(record, look.pod) ? look.pod : null;
}

async function savedFirst(world: World, input: StopOwnInput): Promise<Saved> {
  const { record, localPath, pullBudgetMs: budgetMs } = input;
  const { choice } = record.artifacts;
  const name = `podtrack-${record.id}-${record.owner.attempt ?? 1}`;
  const save = { record, choice, localPath, budgetMs, name };
  if (record.artifacts.none)
    return await saveArtifacts(world, { ...save, session: null, noSession: 'no pull was wanted' });
  const asked = await softly(() =>
    withSession(world, record, async (session) => {
      if (record.switch !== null) await petUntil(world, session, record, world.clock.now() + budgetMs);
      return await saveArtifacts(world, { ...save, session, noSession: '' });
    }),
  );
  return asked.kind === 'seen' ? asked.value : { kind: 'unsaved', why: asked.reason, leftAt: null };
}

type Ready = { readonly pod: ProviderPod; readonly saved: Exclude<Saved, { kind: 'unsaved' }> };

/** The record is asked once more: a pod that changed hands while it was pulled is not stopped under the new owner. */
async function stopNow(world: World, input: StopOwnInput, { pod, saved }: Ready): Promise<Outcome> {
  const { record, acting } = input;
  const now = (await world.registry.read()).state.pods[podKey(record)];
  if (now === undefined || !isLive(now) || now.owner.uuid !== record.owner.uuid)
    return told(
      record,
      'handed-over',
      'moved-meanwhile',
      'not stopped: its record has changed hands, or has ended, meanwhile',
    );
  const refused = await stopAndConfirm(world, record.id);
  if (refused !== null)
    return told(
      record,
      'failed',
      'not-stopped',
      `it may still run and bill: ${refused}; its deadlines stand`,
    );
  const verified = saved.kind === 'verified' ? true : null;
  const where =
    saved.kind === 'verified'
      ? `${saved.pulled.files} artifact file(s) verified and kept (${saved.where})`
      : 'no artifacts were wanted';
  const mirror =
    saved.kind === 'verified' ? mirrorFactsOf(saved.pulled, true, record.artifacts.choice) : null;
  const stopped = { at: world.clock.now(), startedAt: pod.startedAt, verified };
  const note = `stopped by its owner; ${where}`.slice(0, 300);
  await world.registry.submit([{ ...settleBase(world, acting, record), mirror, note, stopped }]);
  return told(
    record,
    'done',
    'stopped',
    `stopped: its GPU bills no more, ${where}; ${saysRest(world, record)}`,
  );
}

/** null = the provider shows it stopped; otherwise why not. */
async function stopAndConfirm(world: World, podId: string): Promise<string | null> {
  try {
    await world.provider.stop(podId);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    return `the stop was not accepted (${error.failure}: ${error.told.cameBack})`;
  }
  for (let look = 1; look <= CONFIRM_LOOKS; look += 1) {
    const shown = await softly(() => world.provider.get(podId));
    if (shown.kind === 'seen' && (shown.value.kind === 'absent' || shown.value.pod.status === 'EXITED'))
      return null;
    if (look < CONFIRM_LOOKS) await world.clock.sleep(CONFIRM_MS);
  }
  return 'the stop was accepted, and it is still not shown as stopped';
}

/** What goes on after a stop, and who ends that: the switch lived in the pod's memory. */
function saysRest(world: World, { deadlines, rules }: PodRecord): string {
  const now = world.clock.now();
  const endsAt = Math.min(ownerDeadlineAt(deadlines), now + rules.exitedGraceMs);
  return `its disk bills on until the reaper alone ends it, in ${formatDuration(Math.max(0, endsAt - now))} (${formatInstant(endsAt)})`;
}

function told(record: PodRecord, kind: Outcome['kind'], reason: string, says: string): Outcome {
  return { pod: record.id, order: 'stop', kind, reason, says, detail: {} };
}
