/** Requests counted per user in three windows, and the two headers that tell how many are left. */
import type { RateQuota, World } from './state.ts';

const LENGTH_S = { minute: 60, hour: 3600, day: 86_400 } as const;
const NAMES = ['minute', 'hour', 'day'] as const;

/** Which window is used up, and in how many whole seconds it starts anew. */
export interface Exceeded {
  readonly window: keyof RateQuota;
  readonly retryAfterS: number;
}

function secondsLeft(world: World, name: keyof RateQuota): number {
  const endAt = world.windows[name].startAt + LENGTH_S[name] * 1000;
  return Math.max(1, Math.ceil((endAt - world.now) / 1000));
}

/** Counts one request; null = within the quota (or exempt). A refused request does not count. */
export function countRequest(world: World): Exceeded | null {
  const quota = world.settings.rateLimit;
  if (quota === null) return null;
  for (const name of NAMES) {
    const window = world.windows[name];
    if (world.now - window.startAt >= LENGTH_S[name] * 1000) {
      window.startAt = world.now;
      window.used = 0;
    }
  }
  const full = NAMES.find((name) => world.windows[name].used >= quota[name]);
  if (full !== undefined) return { window: full, retryAfterS: secondsLeft(world, full) };
  for (const name of NAMES) world.windows[name].used += 1;
  return null;
}

/** The headers of an authenticated answer; none for an exempt caller. */
export function rateHeaders(world: World): Record<string, string> {
  const quota = world.settings.rateLimit;
  if (quota === null) return {};
  const state = NAMES.map((name) => {
    const left = Math.max(0, quota[name] - world.windows[name].used);
    return `"${name}";r=${left};t=${secondsLeft(world, name)}`;
  });
  const policy = NAMES.map((name) => `"${name}";q=${quota[name]};w=${LENGTH_S[name]}`);
  return { RateLimit: state.join(', '), 'RateLimit-Policy': policy.join(', ') };
}
