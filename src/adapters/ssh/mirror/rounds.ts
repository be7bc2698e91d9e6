/** Brings the pod's files into a fresh folder: what changes meanwhile is looked at and fetched again, a few times. */
import type { Manifest, ManifestEntry } from '../../../domain/artifacts.ts';
import type { Log } from '../../../ports.ts';
import type { RemoteStream } from '../stream.ts';
import { listPod, sendNamed, takeStream, type Visit } from './ask-pod.ts';
import type { Listing, Refused } from './listing.ts';
import { receive, type Wanted } from './receive.ts';
import { lackOfRoom } from './space.ts';
import type { Staging } from './staging.ts';

export type Rounds = {
  readonly visit: Visit;
  readonly staging: Staging;
  readonly log: Log;
  readonly rounds: number;
  readonly silenceMs: number;
  readonly reserveBytes: number;
  readonly freeBytes: (folder: string) => number;
};

export type Brought = {
  /** The last look: what the copy is compared with. */
  readonly listing: Listing;
  readonly moving: readonly string[];
  readonly refused: readonly Refused[];
};

function isHere(staging: Staging, file: ManifestEntry): boolean {
  const here = staging.files.get(file.path);
  return here?.size === file.size && here.sha256 === file.sha256;
}

/** What the pod no longer holds, or holds as something else, has no place in the copy. */
function dropGone(staging: Staging, pod: Manifest): void {
  const there = new Set(pod.files.map((file) => file.path));
  for (const name of staging.files.keys()) if (!there.has(name)) staging.remove(name);
}

/**
 * Has the files sent, or takes them from what is `underWay` with all that the pod holds. What came stands in the staging, and may be another
 * state of a file than was listed.
 */
export async function fetchMissing(
  parts: Rounds,
  listing: Listing,
  missing: readonly ManifestEntry[],
  underWay: RemoteStream | null = null,
): Promise<Refused[]> {
  const { visit, staging } = parts;
  const onDisk = (file: ManifestEntry): number => listing.allocated.get(file.path) ?? file.size;
  const needs = missing.map((file) => ({ path: file.path, bytes: onDisk(file) }));
  const lack = lackOfRoom(visit.spec, needs, parts.freeBytes(staging.folder), parts.reserveBytes);
  if (lack !== null) throw lack;

  const total = missing.reduce((sum, file) => sum + file.size, 0);
  let done = 0;
  const counter = (bytes: number): void => {
    done += bytes;
    visit.spec.onProgress?.(Math.min(done, total), total);
  };
  const wanted: Wanted = new Map(
    missing.map((file) => [file.path, { size: file.size, sparse: onDisk(file) < file.size }]),
  );
  const refused: Refused[] = [];
  const stream =
    underWay ??
    (await sendNamed(
      visit,
      missing.map((file) => file.path),
    ));
  // What was sent unasked may hold files that are younger than the list.
  const strangers = underWay === null ? 'refused' : 'passed';
  const complaints = await takeStream(visit, stream, {
    silenceMs: parts.silenceMs,
    take: async (chunks) => {
      const received = await receive(chunks, wanted, staging, {
        counter,
        strangers,
        signal: visit.stop.signal,
      });
      refused.push(...received.refused);
      if (received.tooMuch)
        parts.log.say(
          'warning',
          `pod ${visit.spec.podId} sent more than it had announced; the stream was cut`,
        );
    },
  });
  if (complaints !== '') parts.log.say('debug', `pod ${visit.spec.podId}, tar: ${complaints}`);
  return refused;
}

/** `first` is the look that was taken to find out what has to come; some of it may be here, and some was refused. */
export async function bringAll(
  parts: Rounds,
  first: Listing,
  refusedAhead: readonly Refused[],
): Promise<Brought> {
  const { visit, staging } = parts;
  const refused: Refused[] = [...refusedAhead];
  let listing = first;
  for (let round = 1; ; round += 1) {
    dropGone(staging, listing.manifest);
    const missing = listing.manifest.files.filter((file) => !isHere(staging, file));
    if (missing.length > 0) refused.push(...(await fetchMissing(parts, listing, missing)));
    const different = missing.filter((file) => !isHere(staging, file));
    const settled = different.length === 0;
    if (settled || round >= parts.rounds) {
      const moving = different.filter((file) => staging.files.has(file.path)).map((file) => file.path);
      const absent = different.filter((file) => !staging.files.has(file.path));
      const reason = 'it was listed and did not come: it vanished, grew too fast or cannot be read';
      const all = [...listing.refused, ...refused, ...absent.map((file) => ({ path: file.path, reason }))];
      return { listing, moving, refused: withoutTwins(all) };
    }
    parts.log.say(
      'info',
      `pod ${visit.spec.podId}: ${different.length} file(s) changed while being pulled, round ${round + 1}`,
    );
    listing = await listPod(visit);
  }
}

function withoutTwins(refused: readonly Refused[]): Refused[] {
  return [...new Map(refused.map((entry) => [`${entry.path}\0${entry.reason}`, entry])).values()];
}
