/** The last look before a DELETE: the policy asked again, the artifacts and the record looked at once more. */
import { compareManifests } from '../../domain/artifacts.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { fenceBinds, type PodRecord, podKey } from '../../domain/pod.ts';
import { REASONS, type Verdict } from '../../domain/policy/reasons.ts';
import { LATEST_LOOK_MS } from '../../domain/rules.ts';
import type { World } from '../../ports.ts';
import type { TeardownInput } from '../teardown.ts';
import { isSameFence } from './fence.ts';
import type { Safe, Saved } from './save-artifacts.ts';
import { whileResting } from './while-resting.ts';

/** The record is read no longer than this before DELETE. */
const LATEST_READ_MS = 10 * SECOND_MS;
/** A process that was frozen in the middle finds its looks too old, and looks again. */
const MOST_LOOKS = 3;

/** `verdict-changed` and `moved-meanwhile` are good news; every other reason leaves a pod that should have ended. */
export type Objection = {
  readonly reason: 'verdict-changed' | 'moved-meanwhile' | 'not-saved' | 'look-too-old' | 'fence-lost';
  readonly why: string;
};

/** What the policy said, asked again; null = an explicit order, which is not asked: only its record counts. */
export type Asked = { readonly at: number; readonly verdict: Verdict | null };

export async function askPolicy(world: World, { askAgain }: TeardownInput): Promise<Asked> {
  const at = world.clock.now();
  return { at, verdict: askAgain === null ? null : await askAgain() };
}

/**
 * Asked ≤ 60 s, and the record read ≤ 10 s, before DELETE. The objection, or null when the order stands.
 * `asked` is taken while it is young enough, and else asked anew.
 */
export async function stillStands(
  world: World,
  input: TeardownInput,
  held: PodRecord,
  { saved, asked }: { readonly saved: Safe; readonly asked: Asked },
): Promise<Objection | null> {
  // A kill that need not wait for the artifacts does not wait for their last look either.
  const safe = saved.kind === 'verified' || saved.kind === 'resting';
  const mustHold = safe && !REASONS[input.reason].beforeVerified;
  let savedAt = mustHold ? saved.at : null;
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    const { at: askedAt, verdict } = look === 1 ? asked : await askPolicy(world, input);
    const objects = policyObjects(verdict, saved);
    if (objects !== null) return objects;
    if (savedAt !== null && world.clock.now() - savedAt > LATEST_LOOK_MS / 2) {
      savedAt = world.clock.now();
      const changed = await changedSince(world, input, saved);
      if (changed !== null) return { reason: 'not-saved', why: changed };
    }
    const readAt = world.clock.now();
    const { state } = await world.registry.read();
    const now = world.clock.now();
    const objection = recordObjects(input, held, { record: state.pods[podKey(held)], now });
    if (objection !== null) return objection;
    const oldest = Math.min(askedAt, savedAt ?? askedAt);
    if (now - readAt <= LATEST_READ_MS && now - oldest <= LATEST_LOOK_MS) return null;
  }
  const why = `no last look was younger than ${formatDuration(LATEST_LOOK_MS)} when it was over`;
  return { reason: 'look-too-old', why };
}

/** A pod that is gone meanwhile is settled by the DELETE. */
function policyObjects(again: Verdict | null, saved: Safe): Objection | null {
  if (again === null) return null;
  if (again.kind === 'keep') {
    const why = `asked again, the verdict is ${again.reason}: ${REASONS[again.reason].says}`;
    return { reason: 'verdict-changed', why };
  }
  if (again.kind === 'gone' || saved.kind !== 'unsaved' || REASONS[again.reason].beforeVerified) return null;
  return { reason: 'not-saved', why: `asked again, the reason is ${again.reason}, and ${saved.why}` };
}

/** What no longer is as it was verified; null = nothing. */
async function changedSince(world: World, input: TeardownInput, saved: Safe): Promise<string | null> {
  if (saved.kind === 'resting') {
    const still = await whileResting(world, input.record);
    return still === null ? 'it was started since it was verified and stopped' : null;
  }
  const same = await holdsTheSame(world, input, saved);
  return same ? null : 'its artifacts have changed since they were pulled';
}

/** Bringing the copy to its lasting place may have taken longer than a look stays good. */
export async function holdsTheSame(
  world: World,
  { record, session, choice }: Pick<TeardownInput, 'record' | 'session' | 'choice'>,
  saved: Saved,
): Promise<boolean> {
  const { remotePath } = record.artifacts;
  if (saved.kind !== 'verified' || session === null || remotePath === null) return false;
  const spec = { podId: record.id, remotePath, choice, localPath: null, budgetMs: LATEST_LOOK_MS };
  const { changed, missing, extra } = compareManifests(
    await world.mirror.manifest(session, spec),
    saved.pulled.remote,
  );
  const moving = new Set(saved.pulled.moving);
  return [...changed, ...missing, ...extra].every((path) => moving.has(path));
}

/** What the record itself, just read again, says against the end. */
function recordObjects(
  input: TeardownInput,
  held: PodRecord,
  { record, now }: { readonly record: PodRecord | undefined; readonly now: number },
): Objection | null {
  if (record === undefined || record.fence === null || !isSameFence(record, held))
    return { reason: 'fence-lost', why: 'not ended: the fence is no longer ours' };
  if (record.owner.uuid !== input.record.owner.uuid)
    return { reason: 'moved-meanwhile', why: 'the owner has changed meanwhile' };
  const limits = (of: PodRecord): string => JSON.stringify(of.deadlines);
  const over = input.reason === 'absolute-deadline' && now >= record.deadlines.absoluteDeadlineAt;
  if (limits(record) !== limits(input.record) && !over)
    return {
      reason: 'moved-meanwhile',
      why: 'its owner has moved a deadline or asked to keep it meanwhile',
    };
  if (fenceBinds(record.fence, now)) return null;
  return { reason: 'fence-lost', why: 'not ended: the fence has lapsed, and its verdict with it' };
}
