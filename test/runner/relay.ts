/** Stands before a server of the world and says, before and after each request, what is asked of it; a cut request never arrives. */
import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
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

/** Comes back with the head of the answer; its body may go on for long, as a log does that is followed. */
async function forward(target: URL, request: IncomingMessage, sent: Buffer): Promise<IncomingMessage> {
  const going = ask(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: { ...request.headers, host: target.host },
  });
  going.end(sent);
  const [answer] = (await once(going, 'response')) as [IncomingMessage];
  return answer;
}

/** `target` is an origin; the relay's `url` takes its place. `delayMs` = how far away it seems to be. */
export async function relayTo(target: string, name: string, tell: Tell, delayMs = 0): Promise<Relay> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const what = `${name} ${request.method} ${new URL(request.url ?? '/', target).pathname}`;
    const sent = await bodyOf(request);
    if (delayMs > 0) await wait(delayMs);
    if (silences(tell('before', what))) return void response.destroy();
    const answer = await forward(new URL(target), request, sent);
    response.once('close', () => answer.destroy());
    if (silences(tell('after', what))) return void response.destroy();
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
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
