/** The list of pods: every page or an error, never a part and never an empty list for want of a better one. */
import { WorldError } from '../../domain/errors.ts';
import type { Listing, MalformedItem, ProviderPod } from '../../domain/provider-pod.ts';
import type { Ask } from './exchange.ts';
import type { Line } from './options.ts';
import { readPod } from './pod-shape.ts';
import { answerError, oddAnswer } from './refusals.ts';
import { persist } from './retry.ts';
import { type PodPage, podPage } from './schemas.ts';
import { type Answer, jsonOf, shapeOf } from './words.ts';

const STATE = 'Nothing was concluded about any pod: the list was not read to its end';

function askPage(line: Line, cursor: string | null): Ask {
  const url = new URL('v2/pods', line.rest);
  // Members of clusters are left out by default: a registered pod among them would look gone.
  url.searchParams.set('includeClusterPods', 'true');
  if (cursor !== null) url.searchParams.set('cursor', cursor);
  return { tried: 'Asking RunPod for the list of pods', method: 'GET', url, repeatable: true, state: STATE };
}

/** Throws WorldError for every answer that is no page of pods. */
export function pageIn(line: Line, ask: Ask, answer: Answer): PodPage {
  if (answer.status !== 200) throw answerError(line, ask, answer);
  const read = podPage.safeParse(jsonOf(answer));
  if (!read.success) throw oddAnswer(ask, answer, shapeOf(answer));
  return read.data;
}

function incomplete(problem: string): WorldError {
  return new WorldError('incomplete-answer', {
    tried: 'Asking RunPod for the list of pods',
    cameBack: problem,
    state: STATE,
    next: 'Run again; if it stays so, RunPod changed how it pages its lists',
  });
}

async function allItems(line: Line): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const asked = new Set<string>();
  let cursor: string | null = null;
  for (let page = 1; page <= line.limits.mostPages; page += 1) {
    const ask = askPage(line, cursor);
    const { answer } = await persist(line, ask);
    const read = pageIn(line, ask, answer);
    items.push(...read.items);
    if (!read.more) return items;
    if (read.next === null) throw incomplete(`page ${page} promised another page without saying where`);
    if (asked.has(read.next)) throw incomplete(`page ${page} led back to a page already read`);
    asked.add(read.next);
    cursor = read.next;
  }
  throw incomplete(`more than ${line.limits.mostPages} pages`);
}

/** Pages move while they are read: a pod seen twice is told once, as last seen. */
function sorted(items: readonly unknown[], line: Line): Listing {
  const pods = new Map<string, ProviderPod>();
  const malformed: MalformedItem[] = [];
  for (const item of items) {
    const read = readPod(item, line.loopback);
    if ('pod' in read) pods.set(read.pod.id, read.pod);
    else malformed.push(read.malformed);
  }
  return { pods: [...pods.values()], malformed };
}

export async function listPods(line: Line): Promise<Listing> {
  const listing = sorted(await allItems(line), line);
  // A list in which nothing is or even names a pod is a list of something else, e.g. v1's list of errors.
  if (
    listing.pods.length === 0 &&
    listing.malformed.length > 0 &&
    listing.malformed.every(({ id }) => id === null)
  ) {
    throw new WorldError('unexpected-answer', {
      tried: 'Asking RunPod for the list of pods',
      cameBack: `a list of ${listing.malformed.length} of which no item is a pod (${listing.malformed[0]?.problem})`,
      state: 'Nothing was concluded about any pod',
      next: 'Check RUNPOD_API_BASE_URL; else RunPod changed its answers',
    });
  }
  return listing;
}
