/** One pull from the first look to the promoted copy. */

import { rmSync } from 'node:fs';
import type { Manifest, ManifestEntry, Pulled } from '../../../domain/artifacts.ts';
import type { Log } from '../../../ports.ts';
import { type Ahead, goAhead, NOTHING_AHEAD, type Site, stagingAt, together } from './ahead.ts';
import { lookAhead, sendWhole, type Visit } from './ask-pod.ts';
import { digestOf } from './digest.ts';
import { asFailure, pullFailure } from './failures.ts';
import { isUntouched, type Layout, layoutOf, prepare, unverifiedFolder } from './layout.ts';
import { type SortedLinks, sortLinks } from './links.ts';
import type { Listing, Refused } from './listing.ts';
import { localTree } from './local-tree.ts';
import { type CopyFacts, endPromotion, keepUnverified, promote } from './promote.ts';
import { adopt, isWhole, type Match, matchesIn } from './reuse.ts';
import { type Brought, bringAll } from './rounds.ts';
import { Collision, type Staging } from './staging.ts';

export type Settings = {
  readonly root: string;
  readonly log: Log;
  readonly silenceMs: number;
  readonly reserveBytes: number;
  readonly rounds: number;
  readonly freeBytes: (folder: string) => number;
};

/** A copy that stands in its place. */
type Copy = {
  readonly files: readonly ManifestEntry[];
  readonly links: Manifest['links'];
  readonly moving: readonly string[];
  readonly refused: readonly Refused[];
};

type Look = Pick<Listing, 'manifest' | 'leftOut'>;

function pulled(layout: Layout, { manifest, leftOut }: Look, copy: Copy): Pulled {
  return {
    remote: manifest,
    leftOut,
    files: copy.files.length,
    bytes: copy.files.reduce((sum, file) => sum + file.size, 0),
    place: layout.target,
    digest: digestOf(copy.files, copy.links),
    moving: copy.moving,
    refused: copy.refused,
  };
}

function makeLinks(
  staging: Staging,
  links: Manifest['links'],
): { made: Manifest['links']; refused: Refused[] } {
  const refused: Refused[] = [];
  const made = links.filter((link) => {
    try {
      staging.link(link.path, link.target);
      return true;
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
      refused.push({ path: link.path, reason: 'collides with another name on this disk' });
      return false;
    }
  });
  return { made, refused };
}

/**
 * The folder is read back: each file there by name and size, and nothing else. Digests were taken while writing, and
 * so were the sizes of small files.
 */
function checkFolder(visit: Visit, staging: Staging, links: Manifest['links']): void {
  const tree = localTree(staging.folder, (name) => {
    const file = staging.files.get(name);
    return file?.measured === true ? file.size : null;
  });
  const differ = [...staging.files].filter(([name, file]) => tree.files.get(name) !== file.size);
  const surplus = tree.files.size - staging.files.size + tree.others.length + tree.links.size - links.length;
  if (differ.length === 0 && surplus === 0) return;
  const cameBack = `this disk does not hold what was written to it (${differ.length} file(s) differ, ${surplus} too many)`;
  throw pullFailure('write-refused', visit.spec, { cameBack, next: 'Name a local path on another disk' });
}

function tellOutside(visit: Visit, settings: Settings, links: SortedLinks): void {
  if (links.outside.length === 0) return;
  const some = links.outside.slice(0, 3).map((link) => `${link.path} → ${link.target}`);
  const line = `${links.outside.length} link(s) to other places of the pod were not followed: ${some.join(', ')}`;
  settings.log.say('notice', `pod ${visit.spec.podId}: ${line}`);
}

function factsOf({ spec, clock }: Visit, { digest }: Pulled, copy: Copy): CopyFacts {
  const { podId, remotePath, choice } = spec;
  return { podId, remotePath, choice, promotedAt: clock.now(), digest, ...copy };
}

function finish(
  visit: Visit,
  settings: Settings,
  layout: Layout,
  work: { staging: Staging; brought: Brought },
): Pulled {
  const { staging, brought } = work;
  const sorted = sortLinks(brought.listing.manifest.links);
  const { made, refused } = makeLinks(staging, sorted.inside);
  checkFolder(visit, staging, made);
  const files = [...staging.files].map(([path, { size, sha256 }]) => ({ path, size, sha256 }));
  const all = [...brought.refused, ...sorted.refused, ...refused];
  const copy: Copy = { files, links: made, moving: brought.moving, refused: all };
  visit.stop.signal.throwIfAborted();
  const result = pulled(layout, brought.listing, copy);
  const told = promote(layout, staging.folder, factsOf(visit, result, copy));
  if (told !== null) settings.log.say('warning', `pod ${visit.spec.podId}: ${told}`);
  tellOutside(visit, settings, sorted);
  return result;
}

/** The copy that already stands there, when it is all that the pod holds; else what of it can be used again. */
async function lookAtLast(
  { visit, settings, layout }: { visit: Visit; settings: Settings; layout: Layout },
  listing: Listing,
  ahead: Ahead,
): Promise<Pulled | Map<string, Match>> {
  const { manifest } = listing;
  const sorted = sortLinks(manifest.links);
  const tree = ahead.last ?? localTree(layout.target);
  const { signal } = visit.stop;
  const matches = await matchesIn(layout.target, manifest.files, { tree, signal, readBefore: ahead.seen });
  if (!isWhole(tree, matches, manifest, sorted.inside)) return matches;
  const refused = [...listing.refused, ...sorted.refused];
  const copy: Copy = { files: manifest.files, links: sorted.inside, moving: [], refused };
  const result = pulled(layout, listing, copy);
  const told = endPromotion(layout, factsOf(visit, result, copy));
  if (told !== null) settings.log.say('warning', `pod ${visit.spec.podId}: ${told}`);
  return result;
}

/** An unfinished pull is a source like any other: read anew, file by file. */
async function adoptUnfinished(
  visit: Visit,
  layout: Layout,
  listing: Listing,
  staging: Staging,
): Promise<void> {
  const source = unverifiedFolder(layout);
  const missing = listing.manifest.files.filter((file) => !staging.files.has(file.path));
  const reading = { tree: localTree(source), signal: visit.stop.signal };
  adopt(await matchesIn(source, missing, reading), staging);
}

/** Nothing of what came has a use. */
function clear(site: Site): void {
  if (site.staging !== null) rmSync(site.staging.folder, { recursive: true, force: true });
}

/** The list, and what could be done before it was there. */
async function lookAndGoAhead(visit: Visit, settings: Settings, site: Site): Promise<[Listing, Ahead]> {
  const looking = lookAhead(visit);
  // Where nothing lies here all has to come, and the pod need not be told what that is.
  const whole = isUntouched(site.layout) && visit.spec.choice === null ? sendWhole(visit) : null;
  const going = looking.announced.then((announced) =>
    announced === null || announced.manifest.files.length === 0
      ? NOTHING_AHEAD
      : goAhead({ ...settings, visit }, site, announced, whole),
  );
  try {
    return await together(visit, [looking.listing, going]);
  } finally {
    whole?.giveUp();
  }
}

async function pullInto(visit: Visit, settings: Settings, site: Site): Promise<Pulled> {
  const { layout } = site;
  const [listing, ahead] = await lookAndGoAhead(visit, settings, site);
  if (listing.manifest.files.length === 0) {
    clear(site);
    const { refused } = listing;
    return pulled(layout, listing, { files: [], links: [], moving: [], refused });
  }
  if (ahead === NOTHING_AHEAD) prepare(layout);
  const last = await lookAtLast({ visit, settings, layout }, listing, ahead);
  if (!(last instanceof Map)) {
    clear(site);
    return last;
  }
  const staging = stagingAt(site);
  adopt(last, staging);
  await adoptUnfinished(visit, layout, listing, staging);
  const brought = await bringAll({ ...settings, visit, staging }, listing, ahead.refused);
  return finish(visit, settings, layout, { staging, brought });
}

/**
 * Pulls the whole tree or throws and leaves the last copy as it was. A pod without any file promotes nothing: the
 * result then says 0 files, and the last copy is no proof of anything.
 */
export async function pullTree(visit: Visit, settings: Settings): Promise<Pulled> {
  const site: Site = { layout: layoutOf(settings.root, visit.spec), staging: null };
  try {
    return await pullInto(visit, settings, site);
  } catch (error) {
    const { staging, layout } = site;
    if (staging === null) throw error;
    throw asFailure(error, visit.spec, keepUnverified(layout, staging.folder, staging.files.size));
  } finally {
    await site.staging?.close();
  }
}
