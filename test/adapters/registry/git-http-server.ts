/** A real git server over HTTP: git's own http-backend behind node:http, with answers that get lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What to do to the next request that `when` names (`ask` opens a push, `push` is the one that writes): `drop` cuts the answer off after git has done its work, `before`
 * and `after` answer 500 without or with git's work done, a number is a status answered at once.
 */
export type Fault = {
  readonly when: 'ask' | 'push' | 'read';
  readonly what: 'drop' | 'before' | 'after' | number;
  /** The body of a refusal. */
  readonly text?: string;
  /** Counted down; 0 = spent. */
  times: number;
};

export type GitHttpServer = {
  /** Address of the repository at the root. */
  readonly url: string;
  readonly faults: Fault[];
  /** `<method> <path>` and the authorization header of each request. */
  readonly seen: { readonly line: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
};

function kindOf(request: IncomingMessage): Fault['when'] {
  const url = request.url ?? '';
  if (request.method === 'POST' && url.endsWith('/git-receive-pack')) return 'push';
  return url.endsWith('service=git-receive-pack') ? 'ask' : 'read';
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function backend(
  folder: string,
  path: string,
  request: IncomingMessage,
  sent?: Buffer,
): Promise<{ head: string; body: Buffer }> {
  const url = new URL(path, 'http://server');
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'tester',
      REMOTE_ADDR: '127.0.0.1',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(sent ?? (await bodyOf(request)));
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  const all = Buffer.concat(chunks);
  const end = all.indexOf('\r\n\r\n');
  return { head: all.subarray(0, end).toString('utf8'), body: all.subarray(end + 4) };
}

function answer(response: ServerResponse, made: { head: string; body: Buffer }): void {
  let status = 200;
  for (const line of made.head.split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else if (name !== '') response.setHeader(name, value);
  }
  response.writeHead(status).end(made.body);
}

export type GitAsked = {
  /** The part below the bare repository. */
  readonly path: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
};

/** Does the work of one request of git's protocol for the bare repository in `folder`; gives what sends the answer. */
export async function workedGit(
  folder: string,
  { path, request, body }: GitAsked,
): Promise<(response: ServerResponse) => void> {
  const made = await backend(folder, path, request, body);
  return (response) => answer(response, made);
}

async function serve(
  folder: string,
  faults: readonly Fault[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const kind = kindOf(request);
  const fault = faults.find((each) => each.times > 0 && each.when === kind);
  if (fault !== undefined) fault.times -= 1;
  if (typeof fault?.what === 'number' || fault?.what === 'before') {
    const status = typeof fault.what === 'number' ? fault.what : 500;
    request.resume();
    response.writeHead(status, { 'content-type': 'text/plain' }).end(fault.text ?? '');
    return;
  }
  const made = await backend(folder, request.url ?? '/', request);
  if (fault?.what === 'drop') response.destroy();
  else if (fault?.what === 'after') response.writeHead(500).end();
  else answer(response, made);
}

/** Serves the bare repository in `folder` on a free port. */
export async function gitHttpServer(folder: string): Promise<GitHttpServer> {
  const faults: Fault[] = [];
  const seen: { line: string; authorization: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization });
    serve(folder, faults, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    faults,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
