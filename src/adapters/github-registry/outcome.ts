/** Tells GitHub's answers apart: done, lost race, wait, never, or unknown. Sources: docs/facts/github.md. */
import { z } from 'zod';
import type { RefusedBy } from '../../domain/registry/write-refusal.ts';
import type { Answer } from '../github-api.ts';

/** Unknown answers are `ambiguous`: the branch is read before anything is written again. */
export type Outcome =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'lost-race'; readonly why: string }
  /** A lock file on the server: mostly a race, for ever if a process died with it. */
  | { readonly kind: 'locked'; readonly why: string }
  | { readonly kind: 'limited'; readonly why: string; readonly waitMs: number }
  /** Repeating it cannot help; `next` says what the reader must do. */
  | {
      readonly kind: 'final';
      readonly because: RefusedBy;
      readonly why: string;
      readonly next: string;
    }
  /** A well-formed "no such thing", or one that this token may not see. */
  | { readonly kind: 'missing'; readonly why: string }
  /** The repository bears another name now. */
  | { readonly kind: 'moved'; readonly why: string; readonly to: string }
  /** The repository has no commit at all. */
  | { readonly kind: 'empty'; readonly why: string }
  /** This server does not know the mutation. */
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'ambiguous'; readonly why: string };

type Answered = Extract<Answer, { kind: 'answer' }>;
type Row = {
  readonly shape: RegExp;
  readonly because: RefusedBy;
  readonly why: string;
  readonly next: string;
};

export const WRITE =
  'Give the job "permissions: contents: write", or registry-token a token that may write there';

/** In this order: the more telling text first. */
const FINAL: readonly Row[] = [
  {
    shape: /secrets? detected|secret scanning|cannot contain secrets|GH009/i,
    because: 'secret-found',
    why: 'GitHub takes something in the commit for a secret',
    next: 'Look for a secret in labels and names, and change it at its source',
  },
  {
    shape: /rule violations|GH013|push protection|Reference update failed/i,
    because: 'ruleset',
    why: 'a ruleset refuses the update',
    next: 'Exempt the registry branch and its -state branch from the ruleset, or use a token that may bypass it',
  },
  {
    shape: /BRANCH_PROTECTION|protected (?:ref|branch)|GH006|must be made through a pull request/i,
    because: 'protected-branch',
    why: 'the branch is protected',
    next: 'Exempt the registry branch and its -state branch from the protection rule',
  },
  {
    shape: /hook declined|pre-receive hook/i,
    because: 'hook',
    why: 'a hook of the server refuses the update',
    next: 'Ask the server’s administrator which rule refused; its own words stand above',
  },
  {
    shape: /archived/i,
    because: 'read-only',
    why: 'the repository is archived',
    next: 'Unarchive it or choose another registry-repository',
  },
  {
    shape: /SAML|single sign-on/i,
    because: 'read-only',
    why: 'the organisation asks for single sign-on',
    next: 'Authorise the token for the organisation, or give another one',
  },
  {
    shape: /IP allow list/i,
    because: 'configuration',
    why: 'the organisation lets only listed addresses in',
    next: 'Add this runner to its IP allow list, or use a runner that is on it',
  },
  {
    shape: /Resource not accessible|FORBIDDEN|Must have admin|Write access/i,
    because: 'read-only',
    why: 'this token may not do that',
    next: WRITE,
  },
];

const LOST =
  /STALE_DATA|Expected branch to point to|is at \S+ but expected|expected to be at|Reference already exists|not a fast[ -]forward|Reference cannot be updated|Reference does not exist|cannot lock ref|does not match [0-9a-f]{40}|requested for deletion which does not exist/i;
/** What a replica says that has not heard of an object yet. */
const LAGGING =
  /Object does not exist|Tree SHA does not exist|not a valid tree oid|No such branch|No commit found/i;
const LOCKED = /Unable to create '[^']*\.lock'|\.lock': File exists/i;
const LIMITED = /rate limit|abuse detection|RATE_LIMIT/i;

const USUAL_WAIT_MS = 60_000;

const message = z.looseObject({ message: z.string(), errors: z.unknown().optional() });
const graphErrors = z.looseObject({
  errors: z.array(
    z.looseObject({
      type: z.string().optional(),
      message: z.string().default(''),
      extensions: z.looseObject({ code: z.string().optional() }).nullish(),
    }),
  ),
});

/** One line, for people: what the server said, cut. */
function told(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** How long to wait, by the server's own clock where it tells one. */
function waitOf({ headers }: Answered, now: number): number {
  const after = Number(headers['retry-after']);
  if (Number.isFinite(after) && after > 0) return after * 1000;
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  const spent = headers['x-ratelimit-remaining'] === '0';
  if (!spent || !Number.isFinite(reset)) return USUAL_WAIT_MS;
  const date = Date.parse(headers['date'] ?? '');
  return Math.max(1000, reset - (Number.isFinite(date) ? date : now) + 1000);
}

function finalRow(text: string): Row | undefined {
  return FINAL.find(({ shape }) => shape.test(text));
}

/** What both kinds of API say in the same words. */
function byWords(text: string, answer: Answered, now: number): Outcome | null {
  const why = told(text);
  if (LIMITED.test(text)) return { kind: 'limited', why, waitMs: waitOf(answer, now) };
  if (LOCKED.test(text)) return { kind: 'locked', why };
  if (LOST.test(text) || LAGGING.test(text)) return { kind: 'lost-race', why };
  const row = finalRow(text);
  return row === undefined
    ? null
    : { kind: 'final', because: row.because, why: `${row.why} (${why})`, next: row.next };
}

function mentionsErrors(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'errors' in body && body.errors !== null;
}

function judgeGraphql(answer: Answered, now: number): Outcome {
  if (!mentionsErrors(answer.body)) return { kind: 'done', body: answer.body };
  const read = graphErrors.safeParse(answer.body);
  if (!read.success) return { kind: 'ambiguous', why: 'errors of a shape that nobody knows' };
  const { errors } = read.data;
  const text = errors.map(({ type = '', message: said }) => `${type} ${said}`).join('; ');
  const why = told(text);
  if (errors.some(({ extensions }) => extensions?.code === 'undefinedField'))
    return { kind: 'unsupported', why };
  const known = byWords(text, answer, now);
  if (known !== null) return known;
  if (errors.some(({ type }) => type === 'NOT_FOUND')) return { kind: 'missing', why };
  return { kind: 'ambiguous', why };
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  const read = message.safeParse(body);
  if (!read.success) return '';
  const more = read.data.errors === undefined ? '' : ` ${JSON.stringify(read.data.errors)}`;
  return `${read.data.message}${more}`;
}

function tooLarge(why: string): Outcome {
  return {
    kind: 'final',
    because: 'configuration',
    why: `the server, or a proxy before it, takes no more (${why})`,
    next: 'Raise its limit or make room, or compact the registry: podtrack compact',
  };
}

function judgeRefusal(answer: Answered, now: number): Outcome {
  const { status, headers, over } = answer;
  const text = textOf(answer.body);
  const why = told(`${status} ${text}`);
  if (status === 401) {
    return {
      kind: 'final',
      because: 'bad-credentials',
      why: `the token was refused (${why})`,
      next: 'Give a valid token; one of a job ends with the job',
    };
  }
  if (status === 429 || (status === 403 && (headers['retry-after'] ?? '') !== ''))
    return { kind: 'limited', why, waitMs: waitOf(answer, now) };
  // A repository that may not be seen is no such status here, but an error of a 200.
  if (status === 405 || (over === 'graphql' && (status === 404 || status === 410)))
    return { kind: 'unsupported', why };
  if (status === 413 || status === 507) return tooLarge(why);
  if (status >= 500 || /timed out/i.test(text)) return { kind: 'ambiguous', why };
  if (status === 409 && /repository is empty/i.test(text)) return { kind: 'empty', why };
  const known = byWords(text, answer, now);
  if (known !== null) return known;
  if (status === 403 && headers['x-ratelimit-remaining'] === '0')
    return { kind: 'limited', why, waitMs: waitOf(answer, now) };
  if (status === 403)
    return { kind: 'final', because: 'read-only', why: `GitHub forbids it (${why})`, next: WRITE };
  if (status === 404 || status === 410) return { kind: 'missing', why };
  if (status === 409) return { kind: 'lost-race', why };
  return { kind: 'ambiguous', why };
}

/** `now` counts only where the server names no date of its own. */
export function judge(answer: Answer, now: number): Outcome {
  if (answer.kind === 'silence') return { kind: 'ambiguous', why: told(answer.why) };
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return judgeGraphql(answer, now);
  if (status >= 300 && status < 400)
    return { kind: 'moved', why: `moved (${status})`, to: headers['location'] ?? '' };
  return judgeRefusal(answer, now);
}
