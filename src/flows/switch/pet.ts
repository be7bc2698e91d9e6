/** Pet: a sign of life and the newest stop for the on-pod switch, said only after the pod's values were read back. */
import { stopAt } from '../../domain/deadlines.ts';
import { formatDuration } from '../../domain/duration.ts';
import { Refusal } from '../../domain/errors.ts';
import { type Part, seen, unseen } from '../../domain/part.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { type LimitsWish, petCall, type SwitchLimits, switchLimits } from '../../domain/switch/calls.ts';
import { readSwitchStatus, refusedBecause, type SwitchDeadlines } from '../../domain/switch.ts';
import type { ShellSession, World } from '../../ports.ts';
import { softly } from '../ask.ts';

/** How far the pod's own values may lie from what was asked: whole seconds, and the way there and back. */
const READ_BACK_SLACK_MS = 15_000;

/**
 * Sets the switch to the record's stop, or to `until` where that is later (never past the absolute deadline).
 * Unseen = not petted, with the reason; the switch is then as the pod says it is.
 */
export async function petUntil(
  world: World,
  session: ShellSession,
  record: PodRecord,
  until: number,
): Promise<Part<SwitchDeadlines>> {
  const { deadlines } = record;
  const now = world.clock.now();
  const stop = Math.min(Math.max(stopAt(deadlines), until), deadlines.absoluteDeadlineAt);
  const later = stop > stopAt(deadlines);
  const limits = limitsOf({ deadlines, now, ...(later ? { stopAt: stop } : {}) });
  if (limits.kind === 'unseen') return limits;
  const answered = await softly(() => session.run(petCall(limits.value)));
  if (answered.kind === 'unseen') return answered;
  const refused = refusedBecause(answered.value);
  if (refused !== null) return unseen(`the pod refused the pet: ${refused}`);
  return readBack(answered.value, limits.value.stopInS * 1000);
}

/** A stop that has passed cannot be told to the pod: it is torn down instead. */
function limitsOf(wish: LimitsWish): Part<SwitchLimits> {
  try {
    return seen(switchLimits(wish));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return unseen(error.told.cameBack);
  }
}

function readBack(answered: { stdout: string; exitCode: number }, wantedMs: number): Part<SwitchDeadlines> {
  const status = readSwitchStatus(answered);
  if (status.kind === 'unseen') return status;
  if (!status.value.armed) return unseen(`the switch is not armed: ${status.value.reason ?? 'unknown'}`);
  const told = status.value.deadlines;
  if (told.kind === 'unseen') return told;
  const off = Math.abs(told.value.stopInMs - wantedMs);
  if (off <= READ_BACK_SLACK_MS) return seen(told.value);
  return unseen(
    `the pod says it stops in ${formatDuration(told.value.stopInMs)}, not in ${formatDuration(wantedMs)}`,
  );
}
