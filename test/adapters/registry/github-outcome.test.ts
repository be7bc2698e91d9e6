/** Each answer of GitHub that was seen, and what it means for a write. Sources: docs/facts/github.md. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../src/adapters/github-api.ts';
import { judge, type Outcome } from '../../../src/adapters/github-registry/outcome.ts';
import { backoffMs } from '../../../src/domain/registry/backoff.ts';

const NOW = Date.UTC(2026, 2, 3, 11, 0, 0);

const rest = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  kind: 'answer',
  status,
  headers,
  body,
});
const says = (status: number, message: string, headers: Record<string, string> = {}): Answer =>
  rest(status, { message, status: String(status) }, headers);
const graph = (error: Record<string, unknown>, headers: Record<string, string> = {}): Answer =>
  rest(200, { data: { createCommitOnBranch: null }, errors: [error] }, headers);

const OID = 'e83c5163316f89bfbde7d9ab23ca2e25604af290';

const TABLE: readonly (readonly [string, Answer, Outcome['kind']])[] = [
  ['a success', rest(201, { sha: OID }), 'done'],
  ['a success without a body', rest(204, ''), 'done'],
  [
    'an expected head that has moved',
    graph({
      type: 'STALE_DATA',
      message: `Expected branch to point to "${OID}" but it did not.  Pull and try again.`,
    }),
    'lost-race',
  ],
  [
    'the same in older words',
    graph({ type: 'UNPROCESSABLE', message: `refs/heads/podtrack is at ${OID} but expected ${OID}` }),
    'lost-race',
  ],
  [
    'a deletion that somebody else has done',
    graph({
      type: 'UNPROCESSABLE',
      message: 'A path was requested for deletion which does not exist as of commit oid `x`',
    }),
    'lost-race',
  ],
  [
    'a branch that a replica does not know yet',
    graph({ type: 'NOT_FOUND', message: "No such branch 'podtrack'" }),
    'lost-race',
  ],
  ['a step that is no fast-forward', says(422, 'Update is not a fast forward'), 'lost-race'],
  ['a ref that moved meanwhile', says(422, 'Reference cannot be updated'), 'lost-race'],
  ['a ref that somebody else has made', says(422, 'Reference already exists'), 'lost-race'],
  ['a tree that a replica does not know yet', says(422, 'Tree SHA does not exist'), 'lost-race'],
  ['a file that has changed', says(409, `meta.json does not match ${OID}`), 'lost-race'],
  ['a conflict without known words', says(409, 'Conflict'), 'lost-race'],
  [
    'a secondary limit',
    says(403, 'You have exceeded a secondary rate limit. Please wait a few minutes'),
    'limited',
  ],
  ['a limit in new words', says(403, 'Slow down', { 'retry-after': '7' }), 'limited'],
  ['too many requests', says(429, 'Too many requests'), 'limited'],
  ['a quota that is used up', says(403, 'API rate limit exceeded for installation ID 1.'), 'limited'],
  [
    'a GraphQL quota that is used up',
    graph({ type: 'RATE_LIMITED', message: 'API rate limit exceeded for installation ID 1.' }),
    'limited',
  ],
  [
    'the same under its newer name',
    graph({
      type: 'RATE_LIMIT',
      code: 'graphql_rate_limit',
      message: 'API rate limit already exceeded for user ID 1.',
    }),
    'limited',
  ],
  ['bad credentials', says(401, 'Bad credentials'), 'final'],
  ['a token that may only read', says(403, 'Resource not accessible by integration'), 'final'],
  ['the same of a personal token', says(403, 'Resource not accessible by personal access token'), 'final'],
  [
    'the same by GraphQL',
    graph({ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }),
    'final',
  ],
  [
    'a ruleset',
    says(422, 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n'),
    'final',
  ],
  [
    'a ruleset for a file',
    says(409, 'Repository rule violations found\n\nCannot update this protected ref.\n\n'),
    'final',
  ],
  ['a ruleset that says no more', says(422, 'Reference update failed'), 'final'],
  [
    'a protected branch',
    graph({
      type: 'BRANCH_PROTECTION_RULE_VIOLATION',
      message: 'Changes must be made through a pull request.',
    }),
    'final',
  ],
  ['an archived repository', says(403, 'Repository was archived so is read-only.'), 'final'],
  ['a refusal in unknown words', says(403, 'No.'), 'final'],
  ['a request that is too large', rest(413, '<html>413 Request Entity Too Large</html>'), 'final'],
  ['a full disk', says(507, 'Insufficient Storage'), 'final'],
  ['an empty repository', says(409, 'Git Repository is empty.'), 'empty'],
  ['a repository that is not there', says(404, 'Not Found'), 'missing'],
  [
    'the same by GraphQL',
    graph({ type: 'NOT_FOUND', message: "Could not resolve to a Repository with the name 'a/b'." }),
    'missing',
  ],
  [
    'another name',
    rest(301, { message: 'Moved Permanently' }, { location: 'https://h/repositories/1' }),
    'moved',
  ],
  [
    'a mutation that is not known',
    rest(200, {
      errors: [
        {
          message: "Field 'updateRefs' doesn't exist on type 'Mutation'",
          extensions: { code: 'undefinedField' },
        },
      ],
    }),
    'unsupported',
  ],
  ['a server error', rest(500, ''), 'ambiguous'],
  ['a bad gateway', says(502, 'Server Error'), 'ambiguous'],
  [
    'a query that took too long',
    graph({
      message: 'Something went wrong while executing your query. This may be the result of a timeout',
    }),
    'ambiguous',
  ],
  [
    'a tree that took too long',
    says(422, 'Sorry, your request timed out. It’s likely that your input was too large to process.'),
    'ambiguous',
  ],
  ['silence', { kind: 'silence', why: 'other side closed' }, 'ambiguous'],
  ['an unknown refusal', says(422, 'Validation Failed'), 'ambiguous'],
  ['an unknown GraphQL error', graph({ message: 'A new kind of trouble' }), 'ambiguous'],
];

describe('judge', () => {
  it.each(TABLE)('%s', (_name, answer, kind) => {
    expect(judge(answer, NOW).kind).toBe(kind);
  });

  it('takes nothing for done that carries errors or a status of trouble', () => {
    const errors = fc.array(fc.anything({ withNullPrototype: false }), { minLength: 1 });
    const bodies = fc.oneof(
      fc.record({ data: fc.jsonValue(), errors }),
      fc.record({ data: fc.jsonValue(), errors: fc.jsonValue().filter((value) => value !== null) }),
    );
    const expectTrouble = (answer: Answer): void => {
      expect(judge(answer, NOW).kind).not.toBe('done');
    };
    fc.assert(fc.property(bodies, (body) => expectTrouble(rest(200, body))));
    const refused = fc.record({ message: fc.string() });
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), refused, (status, body) =>
        expectTrouble(rest(status, body)),
      ),
    );
  });
});

describe('a rule that stands under the heading of push protection', () => {
  const because = (message: string): unknown => {
    const outcome = judge(graph({ type: 'UNPROCESSABLE', message }), NOW);
    return outcome.kind === 'final' ? outcome.because : outcome.kind;
  };

  it.each([
    [
      'Repository rule violations found\n\nGITHUB PUSH PROTECTION\n\nPush cannot contain secrets\n',
      'secret-found',
    ],
    ['Repository rule violations found\n\nSecret detected in content\n', 'secret-found'],
    ['Repository rule violations found\n\nGITHUB PUSH PROTECTION\n\nFile path is restricted\n', 'ruleset'],
    ['GH013: Repository rule violations found for refs/heads/podtrack.', 'ruleset'],
    ['GH006: Protected branch update failed for refs/heads/podtrack.', 'protected-branch'],
  ])('%j is %s', (message, kind) => {
    expect(because(message)).toBe(kind);
  });
});

describe('the wait of a limit', () => {
  const wait = (headers: Record<string, string>): number => {
    const outcome = judge(says(403, 'API rate limit exceeded', headers), NOW);
    return outcome.kind === 'limited' ? outcome.waitMs : Number.NaN;
  };
  const at = (ms: number): string => String(Math.ceil(ms / 1000));

  it.each([
    [
      'as told',
      { 'retry-after': '17', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': at(NOW + 99_000) },
      17_000,
    ],
    [
      'until the quota is new',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': at(NOW + 30_000) },
      31_000,
    ],
    [
      'until the quota is new, by the clock of the server',
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': at(NOW + 330_000),
        date: new Date(NOW + 300_000).toUTCString(),
      },
      31_000,
    ],
    ['a minute where nothing is told', {}, 60_000],
    [
      'a minute where the quota is not the reason',
      { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': at(NOW + 900_000) },
      60_000,
    ],
  ])('%s', (_name, headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });
});

describe('the wait between tries', () => {
  it('is full jitter up to 20 s, and within a second altogether for who is in a hurry', () => {
    const longest = [1, 2, 3, 4, 5, 9].map((tries) => backoffMs(tries, 0.999999, false));
    expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 20_000]);
    expect(backoffMs(3, 0, false)).toBe(0);
    const hurried = [1, 2, 3, 4, 5].map((tries) => backoffMs(tries, 0.999999, true));
    expect(hurried.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1000);
  });
});
