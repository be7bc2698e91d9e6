/** Stands before a server of the world and says, before and after each request, what is asked of it; a cut request never arrives. */
import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cut } from './effects.ts';

/** `what` = `POST /v2/pods/x`, after the name that the relay was given. */
export type Tell = (when: 'before' | 'after', what: string) => Cut | undefined;

export type Relay = { readonly url: string; close(): Promise<void> };

/** Who asked is no more, or soon will be: what he asked for does not happen, or he does not hear of it. */
function silences(cut: Cut | undefined): boolean {
  return cut === 'kill-step' || cut === 'lose-runner';
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

async function forward(
  target: URL,
  request: IncomingMessage,
): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const sent = await bodyOf(request);
  const going = ask(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: { ...request.headers, host: target.host },
  });
  going.end(sent);
  const [answer] = (await once(going, 'response')) as [IncomingMessage];
  return { answer, body: await bodyOf(answer) };
}

/** `target` is an origin; the relay's `url` takes its place. */
export async function relayTo(target: string, name: string, tell: Tell): Promise<Relay> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const what = `${name} ${request.method} ${new URL(request.url ?? '/', target).pathname}`;
    if (silences(tell('before', what))) return void response.destroy();
    const { answer, body } = await forward(new URL(target), request);
    if (silences(tell('after', what))) return void response.destroy();
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
