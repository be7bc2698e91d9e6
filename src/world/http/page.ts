/** Cursor pages over a list, newest first, as the October 2026 edition serves them; before that, the whole list at once. */
import { z } from 'zod';
import type { World } from '../model/state.ts';
import { checkQuery } from './body-check.ts';
import { problem, type Reply } from './reply.ts';

interface Dated {
  readonly id: string;
  readonly createdAt: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly extra: { pagination?: { nextCursor: string | null; hasNextPage: boolean } };
}

const pageQuery = z.object({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
});

function newestFirst(a: Dated, b: Dated): number {
  return b.createdAt - a.createdAt || Number(a.id > b.id) - Number(a.id < b.id);
}

function cursorAfter(item: Dated): string {
  return Buffer.from(`after:${item.createdAt}:${item.id}`).toString('base64url');
}

function cursorTo(text: string): Dated | null {
  const found = /^after:(\d+):([a-z0-9-]+)$/.exec(Buffer.from(text, 'base64url').toString());
  if (found === null) return null;
  return { createdAt: Number(found[1]), id: found[2] ?? '' };
}

/** The page asked for, or the 422 for a cursor or limit that makes no sense. */
export function pageOf<T extends Dated>(
  world: World,
  query: URLSearchParams,
  all: readonly T[],
): Page<T> | Reply {
  if (!world.settings.pagination) return { items: all, extra: {} };
  const asked = checkQuery(pageQuery, query);
  if (!asked.ok) return asked.reply;
  const { cursor, limit } = asked.value;
  const from = cursor === undefined ? null : cursorTo(cursor);
  if (cursor !== undefined && from === null) {
    return problem(422, 'Request validation failed.', { errors: ['cursor: invalid cursor'] });
  }
  const sorted = [...all].sort(newestFirst);
  const rest = from === null ? sorted : sorted.filter((item) => newestFirst(item, from) > 0);
  const items = rest.slice(0, Math.min(limit, world.settings.pageCap ?? limit));
  const hasNextPage = items.length < rest.length;
  const last = items.at(-1);
  const nextCursor = hasNextPage && last !== undefined ? cursorAfter(last) : null;
  return { items, extra: { pagination: { nextCursor, hasNextPage } } };
}
