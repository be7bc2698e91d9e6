/** GitHub's results service as @actions/artifact and @actions/cache speak to it: names and keys once for ever, blobs by blocks. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

export type Artifact = { readonly name: string; readonly id: string; readonly bytes: Buffer };

export type ResultsService = {
  /** What JavaScript actions get of it. */
  readonly env: Readonly<Record<string, string>>;
  artifacts(): readonly Artifact[];
  /** Keys of the caches, oldest first. */
  caches(): readonly string[];
  close(): Promise<void>;
};

type Reply = { readonly status: number; readonly body: unknown };
type Cache = { readonly key: string; readonly version: string; readonly blob: string; done: boolean };

type Store = {
  origin: string;
  readonly names: Set<string>;
  readonly artifacts: Artifact[];
  readonly caches: Cache[];
  readonly blocks: Map<string, Buffer>;
  readonly blobs: Map<string, Buffer>;
};

const asked = z.object({
  name: z.string().default(''),
  key: z.string().default(''),
  version: z.coerce.string().default(''),
  restore_keys: z.array(z.string()).default([]),
  name_filter: z.string().nullish(),
  id_filter: z.string().nullish(),
});
type Asked = z.infer<typeof asked>;

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

function ok(body: Readonly<Record<string, unknown>>): Reply {
  return { status: 200, body: { ok: true, ...body } };
}

function signed(store: Store, blob: string): string {
  return `${store.origin}${blob}?sig=signed-for-one-use`;
}

function createArtifact(store: Store, { name }: Asked): Reply {
  if (store.names.has(name)) {
    const body = { code: 'already_exists', msg: 'an artifact with this name already exists' };
    return { status: 409, body };
  }
  store.names.add(name);
  return ok({ signed_upload_url: signed(store, `/blob/${encodeURIComponent(name)}`) });
}

function finalizeArtifact(store: Store, { name }: Asked): Reply {
  const id = String(1000 + store.artifacts.length);
  const bytes = store.blobs.get(`/blob/${encodeURIComponent(name)}`) ?? Buffer.alloc(0);
  store.artifacts.push({ name, id, bytes });
  return ok({ artifact_id: id });
}

function listArtifacts(store: Store, wish: Asked): Reply {
  const { name_filter: name = null, id_filter: id = null } = wish;
  const artifacts = store.artifacts
    .filter((each) => (name === null || each.name === name) && (id === null || each.id === id))
    .map((each) => ({
      workflow_run_backend_id: 'run-backend',
      workflow_job_run_backend_id: 'job-backend',
      database_id: each.id,
      name: each.name,
      size: String(each.bytes.length),
      digest: `sha256:${createHash('sha256').update(each.bytes).digest('hex')}`,
    }));
  return { status: 200, body: { artifacts } };
}

function deleteArtifact(store: Store, { name }: Asked): Reply {
  const at = store.artifacts.findIndex((each) => each.name === name);
  const [gone] = at < 0 ? [] : store.artifacts.splice(at, 1);
  if (gone === undefined) return { status: 404, body: { code: 'not_found', msg: 'artifact not found' } };
  store.names.delete(name);
  return ok({ artifact_id: gone.id });
}

function createCache(store: Store, { key, version }: Asked): Reply {
  if (store.caches.some((each) => each.key === key && each.version === version))
    return {
      status: 409,
      body: {
        code: 'already_exists',
        msg: 'cache entry with the same key, version and scope already exists',
      },
    };
  const blob = `/blob/cache-${store.caches.length}`;
  store.caches.push({ key, version, blob, done: false });
  return ok({ signed_upload_url: signed(store, blob) });
}

function finalizeCache(store: Store, { key, version }: Asked): Reply {
  const at = store.caches.findIndex((each) => each.key === key && each.version === version);
  const cache = store.caches[at];
  if (cache === undefined) return { status: 404, body: { code: 'not_found', msg: 'cache entry not found' } };
  cache.done = true;
  return ok({ entry_id: String(at + 1) });
}

/** The key itself, else for each restore key in turn the newest that begins with it. */
function findCache(store: Store, { key, version, restore_keys: prefixes }: Asked): Reply {
  const usable = store.caches.filter((each) => each.done && each.version === version);
  const exact = usable.find((each) => each.key === key);
  const found = [key, ...prefixes].reduce<Cache | undefined>(
    (so, prefix) => so ?? usable.findLast((each) => each.key.startsWith(prefix)),
    exact,
  );
  if (found === undefined) return { status: 200, body: { ok: false } };
  return ok({ signed_download_url: signed(store, found.blob), matched_key: found.key });
}

const METHODS: Readonly<Record<string, (store: Store, wish: Asked) => Reply>> = {
  CreateArtifact: createArtifact,
  FinalizeArtifact: finalizeArtifact,
  ListArtifacts: listArtifacts,
  DeleteArtifact: deleteArtifact,
  GetSignedArtifactURL: (store, { name }) =>
    ok({ signed_url: signed(store, `/blob/${encodeURIComponent(name)}`) }),
  CreateCacheEntry: createCache,
  FinalizeCacheEntryUpload: finalizeCache,
  GetCacheEntryDownloadURL: findCache,
};

function put(store: Store, url: URL, body: Buffer): void {
  const blockId = url.searchParams.get('blockid');
  if (blockId !== null) store.blocks.set(`${url.pathname}?${blockId}`, body);
  else if (url.searchParams.get('comp') === 'blocklist') {
    const parts = blockIds(body.toString('utf8')).map((id) => store.blocks.get(`${url.pathname}?${id}`));
    store.blobs.set(url.pathname, Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0))));
  } else store.blobs.set(url.pathname, body);
}

/** GET and HEAD of a blob, whole or a range of it. */
function get(store: Store, url: URL, request: IncomingMessage, response: ServerResponse): void {
  const blob = store.blobs.get(url.pathname);
  if (blob === undefined) return void response.writeHead(404).end();
  const [, from, to] =
    /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? String(request.headers['x-ms-range'] ?? '')) ?? [];
  const part =
    from === undefined ? blob : blob.subarray(Number(from), to === '' ? undefined : Number(to) + 1);
  response.writeHead(from === undefined ? 200 : 206, {
    'content-type': 'application/zip',
    'content-length': part.length,
    'accept-ranges': 'bytes',
    etag: '"1"',
    'last-modified': new Date(0).toUTCString(),
    ...(from === undefined
      ? {}
      : { 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${blob.length}` }),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}

async function answer(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', store.origin);
  const body = await bodyOf(request);
  if (url.pathname.startsWith('/twirp/')) {
    const method = METHODS[url.pathname.split('/').at(-1) ?? ''];
    const { status, body: told } = method?.(store, asked.parse(JSON.parse(body.toString('utf8')))) ?? {
      status: 404,
      body: { code: 'bad_route', msg: `no such method: ${url.pathname}` },
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  } else if (request.method === 'PUT') {
    put(store, url, body);
    response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString() }).end();
  } else get(store, url, request, response);
}

export async function resultsService(): Promise<ResultsService> {
  const store: Store = {
    origin: '',
    names: new Set(),
    artifacts: [],
    caches: [],
    blocks: new Map(),
    blobs: new Map(),
  };
  const server = createServer((request, response) => {
    answer(store, request, response).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ code: 'internal', msg: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  store.origin = `http://127.0.0.1:${address.port}`;
  return {
    env: {
      ACTIONS_RESULTS_URL: `${store.origin}/`,
      ACTIONS_RUNTIME_URL: `${store.origin}/`,
      ACTIONS_RUNTIME_TOKEN: unsignedToken(),
      ACTIONS_CACHE_SERVICE_V2: 'True',
    },
    artifacts: () => store.artifacts,
    caches: () => store.caches.filter(({ done }) => done).map(({ key }) => key),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
