/** What goes back over the wire, as a value: JSON, a problem document, a page of HTML, or a stream that goes on. */
import type { ServerResponse } from 'node:http';
import type { Refused } from '../model/outcome.ts';

/** `body` null = an answer without one; `stream` takes over the open response instead and returns how to end it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly stream?: ((response: ServerResponse) => () => void) | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function noContent(): Reply {
  return { status: 204, headers: {}, body: null };
}

/** A problem document (RFC 9457) in the provider's shape. */
export function problem(status: number, detail: string, more: { errors?: readonly string[] } = {}): Reply {
  const document = { title: TITLES[status] ?? 'Error', status, detail, ...more };
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
    body: JSON.stringify(document),
  };
}

export function withHeaders(reply: Reply, headers: Record<string, string>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** An edge server's page where JSON was expected. */
export function htmlPage(status: number): Reply {
  const title = `${status} ${TITLES[status] ?? 'OK'}`;
  const body = `<html>\n<head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center>\n<hr><center>edge</center></body>\n</html>\n`;
  return { status, headers: { 'Content-Type': 'text/html' }, body };
}

const STATUS_OF = {
  'not-found': 404,
  'no-capacity': 400,
  'host-full': 400,
  'insufficient-balance': 402,
  rule: 400,
  'wrong-status': 409,
  'in-use': 400,
  unprocessable: 422,
} as const;

/** How REST v2 words a refusal. */
export function refusal(refused: Refused): Reply {
  return problem(STATUS_OF[refused.reason], refused.detail);
}
