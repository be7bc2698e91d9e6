/** The job's heartbeat: how old it is by the pod's own clock, and when it cannot be told. */
import { parseInstant } from './instant.ts';
import { type Part, seen, unseen } from './part.ts';
import { HEARTBEAT_SKEW_MS } from './rules.ts';

/** What the probe read of the heartbeat file, all by the pod's clock. */
export type HeartbeatFile = {
  /** First line of the file, bounded and cleaned; may be cut in the middle of a write. */
  readonly content: string;
  /** Epoch ms; null where the pod could not tell. */
  readonly mtimeAt: number | null;
};

/** `absent`: the look worked and there is no such file. */
export type Heartbeat =
  | { readonly state: 'absent' }
  | { readonly state: 'beating'; readonly ageMs: number; readonly disagreement: boolean };

/**
 * Age = pod's now minus the newer of content and mtime, both from the pod; a time more than 2 minutes ahead
 * is ignored like one before 1970, and with nothing left the age is unknown. A content without a zone says no instant.
 */
export function readHeartbeat(file: HeartbeatFile | null, podNow: number): Part<Heartbeat> {
  if (file === null) return seen({ state: 'absent' });
  const times = [parseInstant(file.content), file.mtimeAt].filter(
    (at): at is number => at !== null && at >= 0 && at - podNow <= HEARTBEAT_SKEW_MS,
  );
  if (times.length === 0) return unseen('heartbeat file has no usable time (or lies in the future)');
  const newest = Math.max(...times);
  const disagreement = newest - Math.min(...times) > HEARTBEAT_SKEW_MS;
  return seen({ state: 'beating', ageMs: Math.max(0, podNow - newest), disagreement });
}

/** Fresh only when it was seen and is young enough; unseen is never fresh. */
export function isFresh(heartbeat: Part<Heartbeat>, hbGraceMs: number): boolean {
  return (
    heartbeat.kind === 'seen' && heartbeat.value.state === 'beating' && heartbeat.value.ageMs <= hbGraceMs
  );
}
