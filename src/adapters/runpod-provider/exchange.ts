/** One request and its answer: headers, deadline, bounded body; no redirect is ever followed. */
import { type Dispatcher, request } from 'undici';
import type { Line } from './options.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import type { Answer } from './words.ts';

export type Body = Dispatcher.ResponseData['body'];

export type Ask = {
  /** What is tried, as a clause: `Asking RunPod for the list of pods`. */
  readonly tried: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly json?: unknown;
  readonly accept?: string;
  /** Whether doing it twice is the same as doing it once. */
  readonly repeatable: boolean;
  /** What a failure leaves behind. */
  readonly state: string;
  /** Reads a stream that does not end by itself; the whole body is read where not given. */
  readonly read?: (body: Body) => Promise<string>;
};

export type Got =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

class TooLarge extends Error {}

async function readAll(body: Body, largest: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // Leaving the loop early destroys the body and with it the connection.
    if (size > largest) throw new TooLarge(`the answer is larger than ${largest} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf(line: Line, ask: Ask): Record<string, string> {
  return {
    authorization: `Bearer ${line.apiKey}`,
    'user-agent': line.userAgent,
    accept: ask.accept ?? 'application/json, application/problem+json',
    ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

function plain(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    [value ?? ''].flat().join(', '),
  ]);
  return Object.fromEntries(pairs);
}

async function perform(line: Line, ask: Ask): Promise<Answer> {
  const reply = await request(ask.url, {
    method: ask.method,
    headers: headersOf(line, ask),
    dispatcher: line.dispatcher,
    signal: AbortSignal.timeout(line.limits.deadlineMs),
    ...(ask.json === undefined ? {} : { body: JSON.stringify(ask.json) }),
  });
  const headers = plain(reply.headers);
  const contentType = headers['content-type'] ?? '';
  const streamed =
    ask.read !== undefined && reply.statusCode === 200 && contentType.startsWith('text/event-stream');
  const text = await (streamed && ask.read !== undefined
    ? ask.read(reply.body)
    : readAll(reply.body, line.limits.largestBody));
  return { status: reply.statusCode, contentType, headers, text };
}

/** Never throws: what goes wrong below HTTP is a value. */
export async function exchange(line: Line, ask: Ask): Promise<Got> {
  try {
    return { kind: 'answer', answer: await perform(line, ask) };
  } catch (cause) {
    const trouble: Trouble =
      cause instanceof TooLarge ? { kind: 'too-large', words: cause.message, cause } : troubleOf(cause);
    return { kind: 'trouble', trouble };
  }
}
