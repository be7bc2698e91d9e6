/** Who this process is, from what a CI runner says about itself: the same for every door, and nothing guessed. */
import { ConfigError } from './errors.ts';
import type { Owner, OwnerKey } from './owner.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What a person or the runner handed over; an empty text counts as not given. */
export type OwnerWish = {
  readonly label: string;
  /** Used when the environment names none. */
  readonly uuid: string;
  /** JSON of the matrix leg; `null` or empty = there is none. */
  readonly matrix: string;
  readonly checkRunId: string;
};

const DIGITS = /^[1-9]\d{0,19}$/;
const LONGEST_LABEL = 200;
const LONGEST_MATRIX = 2000;

/** Throws a ConfigError for a label or uuid that could not be read back as it was written. */
export function ownerFromEnv(env: Env, wish: OwnerWish): Owner {
  const key = keyFromEnv(env);
  const given = checked(wish.label, 'label') || checked(env['PODTRACK_LABEL'] ?? '', 'PODTRACK_LABEL');
  const repository = textOf(env['GITHUB_REPOSITORY']);
  const runId = textOf(env['GITHUB_RUN_ID']);
  const byRun = repository === null || runId === null ? null : `${repository}#${runId}`;
  const attempt = env['GITHUB_RUN_ATTEMPT'] ?? '';
  return {
    label: given === '' ? byRun : given,
    labelGiven: given !== '',
    key,
    uuid: checked(env['PODTRACK_OWNER_UUID'] ?? '', 'PODTRACK_OWNER_UUID') || wish.uuid,
    attempt: DIGITS.test(attempt) ? Number(attempt) : null,
    job: textOf(env['GITHUB_JOB'])?.slice(0, LONGEST_LABEL) ?? null,
    matrix: matrixText(wish.matrix) ?? matrixText(env['PODTRACK_MATRIX'] ?? ''),
    checkRunId: digitsOf(wish.checkRunId) ?? digitsOf(env['PODTRACK_CHECK_RUN_ID'] ?? ''),
    repository: repository?.slice(0, LONGEST_LABEL) ?? null,
  };
}

/** An emulator counts its runs from 1 in the name of a repository that is not its own: it has no key. */
function keyFromEnv(env: Env): OwnerKey | null {
  const server = textOf(env['GITHUB_SERVER_URL']);
  const repositoryId = env['GITHUB_REPOSITORY_ID'] ?? '';
  const runId = env['GITHUB_RUN_ID'] ?? '';
  const emulated = textOf(env['ACT']) !== null;
  if (emulated || server === null || !DIGITS.test(repositoryId) || !DIGITS.test(runId)) return null;
  return { server: serverName(server), repositoryId, runId };
}

/** Base address of a forge as keys write it: lower case, no trailing slash. */
export function serverName(url: string): string {
  return url.trim().toLowerCase().replace(/\/+$/, '');
}

/** `<owner>/<repo>/actions/runs/<id>/attempts/<n>`, for the history; null off a runner. */
export function runAddress(of: Owner): string | null {
  if (of.repository === null || of.key === null) return null;
  return `${of.repository}/actions/runs/${of.key.runId}/attempts/${of.attempt ?? 1}`;
}

function digitsOf(text: string): string | null {
  return DIGITS.test(text.trim()) ? text.trim() : null;
}

function textOf(value: string | undefined): string | null {
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
}

/** Malformed owner input is refused, never replaced by a default: the default might be somebody else. */
function checked(value: string, input: string): string {
  const text = value.trim();
  const problem = problemOf(value, text);
  if (problem === null) return text;
  throw new ConfigError(input, {
    tried: `Reading ${input}`,
    cameBack: problem,
    state: 'Nothing was changed',
    next: 'Give a short name on one line, or leave it out',
  });
}

function problemOf(value: string, text: string): string | null {
  if (value !== '' && text === '') return 'it holds blanks only';
  if (/^(?:null|undefined)$/i.test(text))
    return `it is the word "${text}", which comes of an empty expression`;
  const longOrOdd = text.length > LONGEST_LABEL || /[\p{Cc}\p{Cf}]/u.test(text);
  return longOrOdd ? `it is longer than ${LONGEST_LABEL} characters or holds invisible ones` : null;
}

/** The same leg gives the same text, however the runner spaced or ordered it. */
function matrixText(text: string): string | null {
  const bare = text.trim();
  if (bare === '' || bare === 'null' || bare === '{}') return null;
  return (compact(bare) ?? bare.replace(/\s+/g, ' ')).slice(0, LONGEST_MATRIX);
}

function compact(json: string): string | null {
  try {
    return JSON.stringify(sorted(JSON.parse(json)));
  } catch {
    return null;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
