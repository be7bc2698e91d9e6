/** One request to GitHub and its answer, whatever it is: no retries, no redirects, no plugin that waits for itself. */
import type { Octokit } from '@octokit/core';
import { z } from 'zod';
import { type Fetch, wayOut } from './github-api/way-out.ts';

export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
      /** Left out = by REST. */
      readonly over?: 'graphql';
    }
  /** No trustworthy answer came; whether the request was carried out is unknown. */
  | { readonly kind: 'silence'; readonly why: string };

export type Api = {
  /** `path` below the API's address, ready to be sent. */
  rest(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<Answer>;
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<Answer>;
};

export type ApiOptions = {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly token: string;
  readonly userAgent: string;
  readonly timeoutMs: number;
};

/** Answers change between versions, so one is asked for by name. */
const API_VERSION = '2022-11-28';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const failed = z.looseObject({
  message: z.string().default('no answer'),
  response: z
    .looseObject({
      status: z.number(),
      headers: z.record(z.string(), z.coerce.string()),
      data: z.unknown().optional(),
    })
    .optional(),
});

function answerOf(thrown: unknown): Answer {
  const read = failed.safeParse(thrown);
  // A request that never could be made is our own mistake, not the server's.
  if (!read.success) throw thrown;
  const { message, response } = read.data;
  if (response === undefined) return { kind: 'silence', why: message.slice(0, 200) };
  return { kind: 'answer', status: response.status, headers: response.headers, body: response.data };
}

/** Loaded with the first request: a door that asks nothing of GitHub starts without it. */
async function openOctokit(options: ApiOptions, fetch: Fetch | null): Promise<Octokit> {
  const { Octokit: Client } = await import('@octokit/core');
  return new Client({
    auth: options.token,
    baseUrl: options.apiUrl,
    userAgent: options.userAgent,
    log: silent,
    ...(fetch === null ? {} : { request: { fetch } }),
  });
}

export function openApi(options: ApiOptions): Api {
  const fetch = wayOut(new URL(options.apiUrl), process.env);
  let opened: Promise<Octokit> | null = null;
  const ask = async (
    method: string,
    url: string,
    data?: Readonly<Record<string, unknown>>,
  ): Promise<Answer> => {
    opened ??= openOctokit(options, fetch);
    const octokit = await opened;
    try {
      const {
        status,
        headers,
        data: body,
      } = await octokit.request({
        method,
        url,
        ...(data === undefined ? {} : { data }),
        headers: { 'x-github-api-version': API_VERSION, accept: 'application/vnd.github+json' },
        request: { redirect: 'manual', signal: AbortSignal.timeout(options.timeoutMs) },
      });
      const plain = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
      return { kind: 'answer', status, headers: Object.fromEntries(plain), body };
    } catch (thrown) {
      return answerOf(thrown);
    }
  };
  return {
    rest: (method, path, body) => ask(method, path, body),
    async graphql(query, variables) {
      const answer = await ask('POST', options.graphqlUrl, { query, variables });
      return answer.kind === 'answer' ? { ...answer, over: 'graphql' } : answer;
    },
  };
}
