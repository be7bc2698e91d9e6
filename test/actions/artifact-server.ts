/** GitHub's artifact service as @actions/artifact speaks to it: names once per run, blobs by blocks, ids at the end. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

export type Artifact = { readonly name: string; readonly id: string; readonly bytes: Buffer };

export type ResultsService = {
  readonly env: Readonly<Record<string, string>>;
  artifacts(): readonly Artifact[];
  close(): Promise<void>;
};

const create = z.object({ name: z.string() });

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

function unsignedToken(): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ scp: 'Actions.Results:run-backend:job-backend' })}.none`;
}

/** `<Block>` ids of a block list, in order. */
function blockIds(xml: string): string[] {
  return [...xml.matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]+)</g)].map((match) => match[1] ?? '');
}

export async function resultsService(): Promise<ResultsService> {
  const names = new Set<string>();
  const done: Artifact[] = [];
  const blocks = new Map<string, Buffer>();
  const blobs = new Map<string, Buffer>();
  let origin = '';

  const twirp = (method: string, name: string): { status: number; body: unknown } => {
    if (method === 'CreateArtifact') {
      if (names.has(name)) {
        return {
          status: 409,
          body: { code: 'already_exists', msg: 'an artifact with this name already exists' },
        };
      }
      names.add(name);
      return {
        status: 200,
        body: { ok: true, signed_upload_url: `${origin}/blob/${name}?sig=signed-for-one-upload` },
      };
    }
    const id = String(1000 + done.length);
    done.push({ name, id, bytes: blobs.get(`/blob/${name}`) ?? Buffer.alloc(0) });
    return { status: 200, body: { ok: true, artifact_id: id } };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin);
    const body = await bodyOf(request);
    if (url.pathname.startsWith('/twirp/')) {
      const method = url.pathname.split('/').at(-1) ?? '';
      const { status, body: told } = twirp(method, create.parse(JSON.parse(body.toString('utf8'))).name);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
      return;
    }
    const blockId = url.searchParams.get('blockid');
    if (blockId !== null) blocks.set(`${url.pathname}?${blockId}`, body);
    else if (url.searchParams.get('comp') === 'blocklist') {
      const parts = blockIds(body.toString('utf8')).map((id) => blocks.get(`${url.pathname}?${id}`));
      blobs.set(url.pathname, Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0))));
    } else blobs.set(url.pathname, body);
    response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString() }).end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  origin = `http://127.0.0.1:${address.port}`;
  return {
    env: { ACTIONS_RESULTS_URL: `${origin}/`, ACTIONS_RUNTIME_TOKEN: unsignedToken() },
    artifacts: () => done,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
