/** One question to GitHub about Actions, and when to ask no more: refused rights, spent quota, and a reserve for the registry. */
import { MINUTE_MS } from '../../domain/duration.ts';
import type { Part } from '../../domain/part.ts';
import type { Clock } from '../../ports.ts';
import { type Answer, openApi } from '../github-api.ts';

export type AskingOptions = {
  readonly apiUrl: string;
  readonly token: string;
  readonly userAgent: string;
  readonly clock: Clock;
  /** What a refused token lacks, as a workflow writes it. */
  readonly right: string;
};

/** What came back: a body, a well-formed 404, or why nothing is known. */
export type Told =
  | { readonly kind: 'body'; readonly body: unknown }
  | { readonly kind: 'not-there' }
  | { readonly kind: 'unknown'; readonly why: string };

export type Asking = {
  /** `path` below `/repositories/<id>`: the id outlives renames and transfers. */
  ask(repositoryId: string, path: string): Promise<Told>;
  /** Whether this token provably may list runs of the repository: only then does a 404 say anything. */
  mayList(repositoryId: string, prove: () => Promise<Part<true>>): Promise<Part<true>>;
};

/** All jobs of a repository share 1,000 requests an hour: the last of them belong to the registry's writes. */
const RESERVE = 100;
/** A right that was refused is not asked for again in this cycle. */
const CYCLE_MS = 10 * MINUTE_MS;
const TIMEOUT_MS = 15_000;
const USUAL_WAIT_MS = MINUTE_MS;

type Shut = { readonly until: number; readonly why: string };
type Answered = Extract<Answer, { kind: 'answer' }>;

export function newAsking(options: AskingOptions): Asking {
  const { clock, right, ...rest } = options;
  const api = openApi({ ...rest, graphqlUrl: `${rest.apiUrl}/graphql`, timeoutMs: TIMEOUT_MS });
  /** By repository id; the empty one is for all. */
  const shut = new Map<string, Shut>();
  const proofs = new Map<string, Part<true>>();
  return {
    async ask(repositoryId, path) {
      const closed = [shut.get(''), shut.get(repositoryId)].find(
        (one) => one !== undefined && one.until > clock.now(),
      );
      if (closed !== undefined) return { kind: 'unknown', why: closed.why };
      const answer = await api.rest('GET', `/repositories/${repositoryId}${path}`);
      if (answer.kind === 'silence') return { kind: 'unknown', why: `GitHub gave no answer: ${answer.why}` };
      const closing = closedBy(answer, clock.now(), right);
      if (closing !== null) shut.set(closing.everywhere ? '' : repositoryId, closing);
      return toldBy(answer, closing?.why ?? null);
    },
    async mayList(repositoryId, prove) {
      const known = proofs.get(repositoryId) ?? (await prove());
      if (known.kind === 'seen') proofs.set(repositoryId, known);
      return known;
    },
  };
}

function toldBy(answer: Answered, refused: string | null): Told {
  if (answer.status >= 200 && answer.status < 300) return { kind: 'body', body: answer.body };
  if (answer.status === 404) return { kind: 'not-there' };
  return { kind: 'unknown', why: refused ?? `GitHub answered ${answer.status}` };
}

/** Why the next questions are left out after this answer; null = ask on. */
function closedBy(
  { status, headers, body }: Answered,
  now: number,
  right: string,
): (Shut & { readonly everywhere: boolean }) | null {
  const spent = headers['x-ratelimit-remaining'] === '0';
  const words = JSON.stringify(body ?? '');
  if (status === 429 || (status === 403 && (spent || /rate limit|abuse/i.test(words)))) {
    return { until: now + waitMs(headers, now), why: 'the quota of this token is spent', everywhere: true };
  }
  if (status === 401) return { until: now + CYCLE_MS, why: 'GitHub refused the token', everywhere: true };
  if (status === 403)
    return {
      until: now + CYCLE_MS,
      why: `this token may not ask for it: grant "${right}"`,
      everywhere: false,
    };
  const left = Number(headers['x-ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);
  if (left >= RESERVE) return null;
  const why = 'what is left of the quota is kept for the registry';
  return { until: now + waitMs(headers, now), why, everywhere: true };
}

/** By the server's own clock where it tells one. */
function waitMs(headers: Answered['headers'], now: number): number {
  const after = Number(headers['retry-after']);
  if (Number.isFinite(after) && after > 0) return after * 1000;
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  if (!Number.isFinite(reset)) return USUAL_WAIT_MS;
  const date = Date.parse(headers['date'] ?? '');
  return Math.max(1000, reset - (Number.isFinite(date) ? date : now));
}
