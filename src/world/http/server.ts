/** The HTTP server: reads a request, lets the world catch up, picks the API, and sends, withholds or breaks off the answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { nextHex } from '../model/chance.ts';
import type { Occasion } from '../model/faults.ts';
import type { World } from '../model/state.ts';
import type { Lookout, WorldRequest } from './call.ts';
import { answerControl, type Controls } from './control.ts';
import { answerGraphql, readGraphql } from './graphql/endpoint.ts';
import type { Ending } from './interference.ts';
import { json, problem, type Reply } from './reply.ts';
import type { LoggedRequest } from './request-log.ts';
import { answerV1, routeV1 } from './v1/rest.ts';
import { answerV2, delayOf, routeV2, UNKNOWN_PATH } from './v2/rest.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ServerParts {
  readonly world: World;
  readonly lookout: Lookout;
  readonly controls: Controls;
  /** Brings the model up to the clock; called before and after each request. */
  readonly catchUp: () => void;
  readonly sleep: (ms: number) => Promise<void>;
}

interface Question {
  readonly occasion: Occasion;
  readonly answer: () => Ending;
}

/** The API a path belongs to, with the answer still to be worked out. */
function questionFor(parts: ServerParts, request: WorldRequest): Question {
  const { world, lookout } = parts;
  const { path } = request;
  if (path === '/graphql') {
    if (request.method !== 'POST') return fixed(json(405, { errors: [{ message: 'GraphQL takes POST.' }] }));
    const question = readGraphql(request);
    return { occasion: question.occasion, answer: () => answerGraphql(world, request, question, lookout) };
  }
  if (path === '/v1' || path.startsWith('/v1/')) {
    const routed = routeV1(world, request);
    return { occasion: routed.occasion, answer: () => answerV1(world, request, routed, lookout) };
  }
  if (path.startsWith('/v2/')) {
    const routed = routeV2(request);
    return { occasion: routed.occasion, answer: () => answerV2(world, request, routed, lookout) };
  }
  return fixed(problem(404, UNKNOWN_PATH));
}

function fixed(reply: Reply): Question {
  const occasion: Occasion = { operation: 'unknown', podId: null };
  return { occasion, answer: () => ({ kind: 'send', reply, cut: false }) };
}

async function read(incoming: IncomingMessage): Promise<WorldRequest> {
  const url = new URL(incoming.url ?? '/', 'http://world.invalid');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) break;
    chunks.push(bytes);
  }
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function sendStream(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  const stop = reply.stream?.(response);
  response.once('close', () => stop?.());
}

function send(parts: ServerParts, response: ServerResponse, ending: Ending & { kind: 'send' }): void {
  const { reply } = ending;
  const headers = { ...reply.headers, 'x-request-id': nextHex(parts.world.chance, 32) };
  if (reply.stream !== undefined) {
    sendStream(response, { ...reply, headers });
    return;
  }
  if (reply.body === null) {
    response.writeHead(reply.status, headers).end();
    return;
  }
  const bytes = Buffer.from(reply.body, 'utf8');
  response.writeHead(reply.status, { ...headers, 'Content-Length': bytes.length });
  if (!ending.cut) response.end(bytes);
  // The head promised more than comes: the reader sees the connection end inside the body.
  else response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

function finish(parts: ServerParts, response: ServerResponse, ending: Ending): number | null {
  if (ending.kind === 'drop') response.destroy();
  if (ending.kind !== 'send') return null;
  send(parts, response, ending);
  return ending.reply.status;
}

async function serve(parts: ServerParts, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { world, controls } = parts;
  const request = await read(incoming);
  parts.catchUp();
  if (request.path === '/__world' || request.path.startsWith('/__world/')) {
    const reply = answerControl(world, request, controls);
    parts.catchUp();
    finish(parts, response, { kind: 'send', reply, cut: false });
    return;
  }
  const question = questionFor(parts, request);
  const { operation, podId } = question.occasion;
  const logged: LoggedRequest = {
    at: world.now,
    method: request.method,
    path: request.path,
    operation,
    podId,
    userAgent: request.headers['user-agent'] ?? '',
    status: null,
  };
  controls.log.add(logged);
  const delayMs = delayOf(world, question.occasion);
  if (delayMs > 0) {
    await parts.sleep(delayMs);
    parts.catchUp();
  }
  const ending = question.answer();
  parts.catchUp();
  logged.status = finish(parts, response, ending);
}

/** A server that is not listening yet. */
export function worldServer(parts: ServerParts): Server {
  return createServer((incoming, response) => {
    // A client that hangs up halfway is its own business; anything else is told in the answer.
    serve(parts, incoming, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else {
        const reply = problem(500, `the embedded world failed: ${String(error)}`);
        finish(parts, response, { kind: 'send', reply, cut: false });
      }
    });
  });
}
