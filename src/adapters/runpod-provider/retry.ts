/** When a call is tried again and how long it waits before: RunPod's own client's policy, see docs/facts/runpod.md. */
import { type Ask, exchange, type Got } from './exchange.ts';
import type { Limits, Line } from './options.ts';
import { troubleError } from './refusals.ts';
import type { Answer } from './words.ts';

/** Server errors that pass; 52x are Cloudflare's, which stands before the API. */
const TRANSIENT: ReadonlySet<number> = new Set([500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** Seconds of `Retry-After` as number or date; null where it says neither. */
function retryAfterMs(text: string, now: number): number | null {
  if (/^\d{1,6}$/.test(text.trim())) return Number(text.trim()) * 1000;
  const at = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** `"minute";r=0;t=12, "hour";r=2800;t=1812`: the longest wait of a window that is used up. */
function rateLimitMs(text: string): number | null {
  const spent = text
    .split(',')
    .filter((window) => /;\s*r=0\b/.test(window))
    .map((window) => Number(/;\s*t=(\d{1,6})\b/.exec(window)?.[1] ?? Number.NaN))
    .filter((seconds) => !Number.isNaN(seconds));
  return spent.length === 0 ? null : Math.max(...spent) * 1000;
}

/** What the provider asks for, or null. */
export function askedWaitMs(answer: Answer, now: number): number | null {
  return (
    retryAfterMs(answer.headers['retry-after'] ?? '', now) ?? rateLimitMs(answer.headers['ratelimit'] ?? '')
  );
}

/** Doubling from the first delay to the longest, of which the upper half is by chance. */
export function backoffMs(
  attempt: number,
  limits: Pick<Limits, 'firstDelayMs' | 'longestDelayMs'>,
  random: () => number,
): number {
  const full = Math.min(limits.longestDelayMs, limits.firstDelayMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (random() * full) / 2);
}

/** How long to wait before trying again; null = do not. */
function waitFor(line: Line, ask: Ask, got: Got, attempt: number): number | null {
  const backoff = backoffMs(attempt, line.limits, line.random);
  if (got.kind === 'trouble') {
    const { kind } = got.trouble;
    if (kind === 'not-sent') return backoff;
    return ask.repeatable && (kind === 'no-answer' || kind === 'timed-out') ? backoff : null;
  }
  const { status } = got.answer;
  const asked = askedWaitMs(got.answer, line.clock.now());
  if (status === 429) return (asked ?? 0) > line.limits.longestAskedWaitMs ? null : (asked ?? backoff);
  if (!ask.repeatable || !TRANSIENT.has(status)) return null;
  return Math.max(backoff, Math.min(asked ?? 0, line.limits.longestAskedWaitMs));
}

/** Whether this try may have had an effect although we cannot know it. */
function mayHaveHappened(got: Got): boolean {
  if (got.kind === 'answer') return got.answer.status >= 500;
  return (
    got.trouble.kind === 'no-answer' || got.trouble.kind === 'timed-out' || got.trouble.kind === 'too-large'
  );
}

/**
 * The last answer, whatever its status. Throws WorldError only where no answer came: `not-sent` if no try of it can
 * have reached RunPod, `outcome-unknown` or `timed-out` otherwise.
 */
export async function persist(line: Line, ask: Ask): Promise<{ answer: Answer; doubtful: boolean }> {
  const endAt = line.clock.now() + line.limits.budgetMs;
  let doubtful = false;
  for (let attempt = 1; ; attempt += 1) {
    const got = await exchange(line, ask);
    const wait = attempt < line.limits.attempts ? waitFor(line, ask, got, attempt) : null;
    doubtful ||= mayHaveHappened(got);
    if (wait === null || line.clock.now() + wait > endAt) {
      if (got.kind === 'answer') return { answer: got.answer, doubtful };
      throw troubleError(ask, got.trouble, { attempts: attempt, doubtful });
    }
    await line.clock.sleep(wait);
  }
}
