/** A real HTTP server that answers word for word what a test says, and remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Heard = {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

/** `reset` tears the connection after the request was read; `hang` never answers; `cut` sends half and tears. */
export type Reply =
  | {
      readonly status: number;
      readonly type?: string;
      readonly body?: string;
      readonly headers?: Record<string, string>;
    }
  | { readonly torn: 'reset' | 'hang' | 'cut'; readonly type?: string; readonly body?: string }
  | { readonly stream: string };

export type ScriptedServer = {
  readonly base: string;
  readonly heard: Heard[];
  close(): Promise<void>;
};

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, reply: Reply): void {
  if ('stream' in reply) {
    // Left open, as RunPod leaves it open.
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(reply.stream);
    return;
  }
  if ('torn' in reply) {
    if (reply.torn === 'reset') response.socket?.resetAndDestroy();
    if (reply.torn === 'cut') {
      response.writeHead(200, { 'content-type': reply.type ?? 'application/json' });
      response.write(reply.body ?? '{"pods":[', () => response.socket?.resetAndDestroy());
    }
    return;
  }
  const { status, type = 'application/json', body = '', headers = {} } = reply;
  response.writeHead(status, { ...(body === '' ? {} : { 'content-type': type }), ...headers }).end(body);
}

export async function startServer(answer: (heard: Heard, index: number) => Reply): Promise<ScriptedServer> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    textOf(request)
      .then((body) => {
        const one = { method, path: url, headers, body };
        heard.push(one);
        send(response, answer(one, heard.length - 1));
      })
      // A client that gave up while it was still sending.
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    heard,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** One reply after the other, the last one for ever. */
export function inTurn(...replies: readonly [Reply, ...Reply[]]): (heard: Heard, index: number) => Reply {
  return (_heard, index) => replies[Math.min(index, replies.length - 1)] ?? replies[0];
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  headers,
});

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

export const problem = (status: number, detail: string, headers: Record<string, string> = {}): Reply => ({
  status,
  type: 'application/problem+json',
  body: JSON.stringify({ title: TITLES[status] ?? 'Error', status, detail }),
  headers,
});

export const html = (status: number, title = '502 Bad Gateway'): Reply => ({
  status,
  type: 'text/html; charset=UTF-8',
  body: `<html>\n<head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center></body>\n</html>\n`,
});
