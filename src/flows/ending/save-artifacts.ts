/** Pull, verify, keep: what must be safe before a pod may be ended. */
import {
  compareManifests,
  filesBefore,
  isSame,
  type Manifest,
  type Pulled,
  verify,
} from '../../domain/artifacts.ts';
import type { Choice } from '../../domain/choice.ts';
import { formatDuration, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts';
import { WorldError } from '../../domain/errors.ts';
import type { PodRecord } from '../../domain/pod.ts';
import type { PullSpec, ShellSession, World } from '../../ports.ts';
import { codedWords, inTime } from '../ask.ts';

/** Rounds of pulling again what changed; after them the last pull counts and says what kept moving. */
const MOST_ROUNDS = 3;

export type Saved =
  /** Verified and in a lasting place. */
  | { readonly kind: 'verified'; readonly pulled: Pulled; readonly where: string; readonly at: number }
  /** The user declined artifacts. */
  | { readonly kind: 'none-wanted' }
  /** `leftAt` = where the part that came lies; nobody may take it for a copy. */
  | { readonly kind: 'unsaved'; readonly why: string; readonly leftAt: string | null };

/** Verified before its owner stopped it, and not started since. */
export type Resting = { readonly kind: 'resting'; readonly at: number };
/** What stands between a pod's artifacts and its end. */
export type Safe = Saved | Resting;

export type SaveInput = {
  readonly record: PodRecord;
  readonly session: ShellSession | null;
  /** Why there is no session; said when a pull was wanted. */
  readonly noSession: string;
  /** Which files: what "verified" then speaks of. */
  readonly choice: Choice | null;
  readonly localPath: string | null;
  readonly budgetMs: number;
  /** Name under which the copy is kept. */
  readonly name: string;
};

/** Never throws for the world: an unsaved pod is an answer that the caller must not kill over. */
export async function saveArtifacts(world: World, input: SaveInput): Promise<Saved> {
  const { record, session } = input;
  if (record.artifacts.none) return noneWanted(world, record);
  if (record.artifacts.remotePath === null) return unsaved('no artifact path was ever given for it');
  if (session === null) return unsaved(`it could not be reached: ${input.noSession}`);
  const spec: PullSpec = {
    podId: record.id,
    remotePath: record.artifacts.remotePath,
    choice: input.choice,
    localPath: input.localPath,
    budgetMs: input.budgetMs,
    onProgress: (done, total) => world.log.progress(progressLine(record.id, done, total)),
  };
  try {
    return await pullAndKeep(world, { ...input, session, spec });
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const left = error.leftAt === null ? '' : `; what came so far lies unverified in ${error.leftAt}`;
    return { kind: 'unsaved', why: `${codedWords(error)}${left}`, leftAt: error.leftAt };
  }
}

async function pullAndKeep(
  world: World,
  { record, session, spec, choice, name }: SaveInput & { session: ShellSession; spec: PullSpec },
): Promise<Saved> {
  const settled = await pullUntilStill(world, session, spec);
  const judged = verify({
    pulled: settled.pulled,
    later: settled.later,
    before: filesBefore(record.lastMirror, choice),
    allowEmpty: record.artifacts.allowEmpty,
  });
  // Where nothing came, whatever lies there is of an earlier pull.
  const leftAt = settled.pulled.files > 0 ? settled.pulled.place : null;
  if (judged.kind === 'unverified') return { kind: 'unsaved', why: saysUnverified(judged), leftAt };
  const kept = await world.keep.keep({ place: settled.pulled.place, name });
  if (kept.kind === 'unseen')
    return { kind: 'unsaved', why: `verified, but not kept: ${kept.reason}`, leftAt };
  return { kind: 'verified', pulled: settled.pulled, where: kept.value, at: settled.at };
}

type Settled = { readonly pulled: Pulled; readonly later: Manifest; readonly at: number };

/** Pulls, looks again, and pulls what changed, at most three times. */
async function pullUntilStill(world: World, session: ShellSession, spec: PullSpec): Promise<Settled> {
  const until = world.clock.now() + spec.budgetMs;
  for (let round = 1; ; round += 1) {
    const budgetMs = Math.max(1000, until - world.clock.now());
    const pulled = await world.mirror.pull(session, { ...spec, budgetMs });
    const later = await world.mirror.manifest(session, spec);
    const at = world.clock.now();
    const difference = compareManifests(later, pulled.remote);
    if (isSame(difference)) return { pulled, later, at };
    if (round < MOST_ROUNDS) continue;
    const moving = [...difference.changed, ...difference.missing, ...difference.extra];
    return { pulled: { ...pulled, moving: [...new Set([...pulled.moving, ...moving])] }, later, at };
  }
}

function noneWanted(world: World, record: PodRecord): Saved {
  const ageMs = world.clock.now() - (record.createdAt ?? record.registeredAt);
  if (ageMs > HOUR_MS) {
    world.log.say(
      'warning',
      `${record.id}: ended without a pull after ${formatDuration(ageMs)}, because artifacts were declined at register`,
    );
  }
  return { kind: 'none-wanted' };
}

function unsaved(why: string): Saved {
  return { kind: 'unsaved', why, leftAt: null };
}

/** What came of a pod that ends all the same: kept under a name that says what it is, and counted nowhere. */
export async function keepUnverified(world: World, record: PodRecord, saved: Safe): Promise<void> {
  if (saved.kind !== 'unsaved' || saved.leftAt === null) return;
  const place = saved.leftAt;
  const name = `podtrack-${record.id}-${record.owner.attempt ?? 1}-unverified`;
  const kept = await inTime(world, KEEP_PART_MS, () => world.keep.keep({ place, name }));
  const lasting = kept.kind === 'seen' ? kept.value : kept;
  const where = lasting.kind === 'seen' ? lasting.value : `${place}, and nowhere else (${lasting.reason})`;
  world.log.say('warning', `${record.id}: the part of its artifacts that came, UNVERIFIED: ${where}`);
}

/** The pod ends meanwhile: this costs nobody's money. */
const KEEP_PART_MS = 5 * MINUTE_MS;

function progressLine(podId: string, done: number, total: number): string {
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
  return `${podId}: pulling ${megabytes(done)} of ${megabytes(total)} MB`;
}

type NotVerified = Extract<ReturnType<typeof verify>, { kind: 'unverified' }>;

/** One clause per reason, with the figures and the first names. */
export function saysUnverified(judged: NotVerified): string {
  switch (judged.reason) {
    case 'nothing-there':
      return judged.leftOut === 0
        ? 'the artifact folder is empty (allow-empty would accept that)'
        : `no file is chosen: the patterns left out all ${judged.leftOut} (allow-empty would accept that)`;
    case 'only-empty-files':
      return 'it holds only empty files (allow-empty would accept that)';
    case 'fewer-than-before':
      return `it holds ${judged.now} files, the last good mirror had ${judged.before}`;
    case 'entries-refused':
      return `entries were refused: ${firstOf(judged.paths)}`;
    case 'changed-since':
      return `files changed during every round: ${firstOf(judged.paths)}`;
  }
}

function firstOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => JSON.stringify(path));
  return paths.length > 3 ? `${shown.join(', ')} and ${paths.length - 3} more` : shown.join(', ');
}
