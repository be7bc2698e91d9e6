/** The words in which GitHub refuses, as they were seen; sources: docs/facts/github.md. */

export type Reply = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

const DOCS = 'https://docs.github.com/rest';

export function refusal(status: number, message: string, headers?: Reply['headers']): Reply {
  const body = { message, documentation_url: DOCS, status: String(status) };
  return headers === undefined ? { status, body } : { status, body, headers };
}

export const notFound = (): Reply => refusal(404, 'Not Found');
export const badCredentials = (): Reply => refusal(401, 'Bad credentials');
export const readOnly = (): Reply => refusal(403, 'Resource not accessible by integration');
export const archived = (): Reply => refusal(403, 'Repository was archived so is read-only.');
export const emptyRepository = (): Reply => refusal(409, 'Git Repository is empty.');

export const primaryLimit = (): Reply =>
  refusal(
    403,
    'API rate limit exceeded for installation ID 4242. If you reach out to GitHub Support for help …',
  );

export const secondaryLimit = (retryAfterS: number): Reply =>
  refusal(
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help …',
    { 'retry-after': String(retryAfterS) },
  );

/** How a GraphQL error looks beside `data`. */
export type GraphError = {
  readonly type?: string;
  readonly code?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly message: string;
};

/** Thrown by a resolver: becomes one entry of `errors`. */
export class GraphRefusal extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export const graphLimit = (): Reply => ({
  status: 200,
  body: {
    errors: [
      {
        type: 'RATE_LIMIT',
        code: 'graphql_rate_limit',
        message: 'API rate limit already exceeded for installation ID 4242.',
      } satisfies GraphError,
    ],
  },
});

const TIMED_OUT =
  'Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. Please include `0A0B:1234:5678` when reporting this issue.';

export const graphTimeout = (): Reply => ({
  status: 502,
  body: { data: null, errors: [{ message: TIMED_OUT } satisfies GraphError] },
});

export const RULES = 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n';
const CLASSIC = 'Changes must be made through a pull request.';

export function guardedRest(how: 'rules' | 'mute' | 'classic'): Reply {
  if (how === 'rules') return refusal(422, RULES);
  return how === 'mute'
    ? refusal(422, 'Reference update failed')
    : refusal(422, 'Cannot update this protected ref.');
}

export function guardedGraph(how: 'rules' | 'mute' | 'classic'): GraphRefusal {
  if (how === 'classic') return new GraphRefusal('BRANCH_PROTECTION_RULE_VIOLATION', CLASSIC);
  return new GraphRefusal('UNPROCESSABLE', how === 'rules' ? RULES : 'Reference update failed');
}
