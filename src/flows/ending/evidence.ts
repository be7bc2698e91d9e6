/** Evidence before a kill: log tail, processes, the switch's record and nvidia-smi; short, bounded, never a reason to fail. */
import { SECOND_MS } from '../../domain/duration.ts';
import { type EvidenceText, evidenceTexts, LOG_TAIL } from '../../domain/evidence.ts';
import { unseen } from '../../domain/part.ts';
import type { PodRecord } from '../../domain/pod.ts';
import { type EndReason, REASONS } from '../../domain/policy/reasons.ts';
import type { ShellSession, World } from '../../ports.ts';
import { inTime, softly } from '../ask.ts';

/** Looking and keeping may each take this long; a pod that bills does not wait longer for its picture. */
const LOOK_MS = 20 * SECOND_MS;
const KEEP_MS = 60 * SECOND_MS;

export type EvidenceInput = {
  readonly record: PodRecord;
  readonly reason: EndReason;
  readonly session: ShellSession | null;
  readonly noSession: string;
};

/** What can be seen of the pod now; what cannot is said in the texts. */
export async function gatherEvidence(
  world: World,
  { record, reason, session, noSession }: EvidenceInput,
): Promise<readonly EvidenceText[]> {
  const [log, look] = await Promise.all([
    inTime(world, LOOK_MS, () => world.provider.logs(record.id, LOG_TAIL)),
    session === null
      ? unseen(noSession)
      : inTime(world, LOOK_MS, () => session.run({ script: 'evidence', args: [], timeoutMs: LOOK_MS })),
  ]);
  const because = REASONS[reason].says;
  return evidenceTexts({ podId: record.id, at: world.clock.now(), because, log, look });
}

/** Writes the texts beside the artifacts and brings them to where those are kept. The registry never holds any of it. */
export async function keepEvidence(
  world: World,
  record: PodRecord,
  texts: readonly EvidenceText[],
): Promise<void> {
  const kept = await inTime(world, KEEP_MS, async () => {
    const place = await world.mirror.evidence(record.id, texts);
    const name = `podtrack-${record.id}-${record.owner.attempt ?? 1}-evidence`;
    const lasting = await softly(() => world.keep.keep({ place, name }));
    return lasting.kind === 'seen' && lasting.value.kind === 'seen' ? lasting.value.value : place;
  });
  if (kept.kind === 'seen')
    world.log.say('info', `${record.id}: what it looked like before its end: ${kept.value}`);
  else
    world.log.say('notice', `${record.id}: what it looked like before its end was not kept: ${kept.reason}`);
}
