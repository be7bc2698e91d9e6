/** The deviations that lie between a request and its answer: refused before, changed after, cut off, or never answered. */
import { type Occasion, peekFault, takeFault } from '../model/faults.ts';
import type { World } from '../model/state.ts';
import { htmlPage, type Reply, withHeaders } from './reply.ts';

/** How an API words an error of this status. */
export type ErrorWords = (status: number, detail: string) => Reply;

/** What is done instead of answering: nothing at all (`hang`), or the connection is closed (`drop`). */
export type Silence = { readonly kind: 'hang' } | { readonly kind: 'drop' };
export type Ending = { readonly kind: 'send'; readonly reply: Reply; readonly cut: boolean } | Silence;

const send = (reply: Reply): Ending => ({ kind: 'send', reply, cut: false });
const HANG: Silence = { kind: 'hang' };
const DROP: Silence = { kind: 'drop' };

const MISHAP = 'Something went wrong. Please try again later or contact support.';

function deleteMishap(world: World, occasion: Occasion, words: ErrorWords): Ending | null {
  const { faults } = world;
  if (takeFault(faults, 'delete-500', occasion) !== null) return send(words(500, 'upstream timeout'));
  if (takeFault(faults, 'delete-404-but-alive', occasion) !== null) {
    return send(words(404, 'resource not found'));
  }
  const silent = peekFault(faults, 'delete-never-answers', occasion);
  if (silent === null || silent.deleted) return null;
  takeFault(faults, 'delete-never-answers', occasion);
  return HANG;
}

/** What happens before anything is done; null = go on. */
export function before(world: World, occasion: Occasion, words: ErrorWords): Ending | null {
  const { faults } = world;
  if (takeFault(faults, 'reset', occasion) !== null) return DROP;
  const html = takeFault(faults, 'html', occasion);
  if (html !== null) return send(htmlPage(html.status));
  const limited = takeFault(faults, '429', occasion);
  if (limited !== null) {
    const reply = words(429, 'rate limit exceeded for the minute window');
    return send(withHeaders(reply, { 'Retry-After': String(limited.retryAfter) }));
  }
  const error = peekFault(faults, 'error', occasion);
  if (error !== null && !error.after) {
    takeFault(faults, 'error', occasion);
    return send(words(error.status, error.detail));
  }
  return occasion.operation === 'deletePod' ? deleteMishap(world, occasion, words) : null;
}

const WRITES = new Set<Occasion['operation']>(['createPod', 'deletePod', 'podAction', 'updatePod']);

function lost(world: World, occasion: Occasion): Silence | null {
  const { faults } = world;
  const isDelete = occasion.operation === 'deletePod';
  if (isDelete && takeFault(faults, 'delete-never-answers', occasion) !== null) return HANG;
  const named = peekFault(faults, 'lost-reply', occasion);
  if (named === null || (named.on === undefined && !WRITES.has(occasion.operation))) return null;
  takeFault(faults, 'lost-reply', occasion);
  return DROP;
}

/** Half of the text: enough to be JSON's beginning, never its end. */
function halved(reply: Reply): Reply {
  const body = reply.body ?? '';
  return { ...reply, body: body.slice(0, Math.floor(body.length / 2)) };
}

/** Damages one item of a list: the named pod's, or the first. */
function withMalformedItem(world: World, occasion: Occasion, reply: Reply): Reply {
  const fault =
    occasion.operation === 'listPods'
      ? (world.faults.find(({ fault: one, left }) => one.name === 'malformed-item' && left !== 0) ?? null)
      : null;
  if (fault === null || fault.fault.name !== 'malformed-item' || reply.body === null) return reply;
  const list: unknown = JSON.parse(reply.body);
  if (typeof list !== 'object' || list === null || !('pods' in list) || !Array.isArray(list.pods))
    return reply;
  const { podId, field } = fault.fault;
  const pods: Record<string, unknown>[] = list.pods;
  const victim = podId === undefined ? pods[0] : pods.find(({ id }) => id === podId);
  if (victim === undefined) return reply;
  delete victim[field];
  if (fault.left !== null) fault.left -= 1;
  return { ...reply, body: JSON.stringify({ ...list, pods }) };
}

/** What becomes of the finished answer. */
export function after(world: World, occasion: Occasion, reply: Reply, words: ErrorWords): Ending {
  const { faults } = world;
  const silence = lost(world, occasion);
  if (silence !== null) return silence;
  const { operation } = occasion;
  if (operation === 'createPod' && takeFault(faults, 'created-but-500', occasion) !== null) {
    return send(words(500, MISHAP));
  }
  if (operation === 'deletePod' && takeFault(faults, 'delete-500-but-deleted', occasion) !== null) {
    return send(words(500, 'upstream timeout'));
  }
  const error = takeFault(faults, 'error', occasion);
  if (error !== null) return send(words(error.status, error.detail));
  const cut = reply.body === null ? null : takeFault(faults, 'truncated-body', occasion);
  if (cut?.cut === 'json') return send(halved(reply));
  return { kind: 'send', reply: withMalformedItem(world, occasion, reply), cut: cut?.cut === 'socket' };
}
