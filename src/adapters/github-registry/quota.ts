/** What is left of the token's quota, and when a writer has to leave the rest to the reaper. */
import type { Clock } from '../../ports.ts';
import type { Answer, Api } from '../github-api.ts';

type Kind = 'graphql' | 'rest';
export type Quota = {
  readonly remaining: number;
  /** By our own clock. */
  readonly resetAt: number;
};
export type Quotas = Map<Kind, Quota>;

/** So many requests are the reaper's: it must never find the quota spent by a storm of writers. */
const RESERVED = 200;
/** Everybody who waits for one reset must not wake in the same second. */
const SPREAD_MS = 10_000;

function quotaOf({ headers }: Extract<Answer, { kind: 'answer' }>, now: number): Quota | null {
  const [remaining, resetS] = [headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']];
  if (!/^\d+$/.test(remaining ?? '') || !/^\d+$/.test(resetS ?? '')) return null;
  const date = Date.parse(headers['date'] ?? '');
  const skew = Number.isFinite(date) ? now - date : 0;
  return { remaining: Number(remaining), resetAt: Number(resetS) * 1000 + skew };
}

/** The same API, whose answers are looked at for what they say of the quota. */
export function watched(api: Api, clock: Clock, quotas: Quotas): Api {
  const note = (kind: Kind, answer: Answer): Answer => {
    const quota = answer.kind === 'answer' ? quotaOf(answer, clock.now()) : null;
    if (quota !== null) quotas.set(kind, quota);
    return answer;
  };
  return {
    rest: async (...call) => note('rest', await api.rest(...call)),
    graphql: async (...call) => note('graphql', await api.graphql(...call)),
  };
}

export type Park = { readonly waitMs: number; readonly why: string };

/** null = write at once. */
export function parkFor(
  quotas: Quotas,
  needs: readonly Kind[],
  at: { readonly now: number; readonly random: number },
): Park | null {
  const low = needs
    .flatMap((kind) => quotas.get(kind) ?? [])
    .filter(({ remaining, resetAt }) => remaining < RESERVED && resetAt > at.now)
    .sort((left, right) => right.resetAt - left.resetAt)[0];
  if (low === undefined) return null;
  const waitMs = low.resetAt - at.now + Math.round(at.random * SPREAD_MS);
  return { waitMs, why: `${low.remaining} requests are left, which are the reaper's` };
}
