/** A GitHub server over one real bare repository: REST, GraphQL and git over HTTP on one port. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf, type GitAsked, workedGit } from '../adapters/registry/git-http-server.ts';
import { faulted, refusedByRule, refusedByToken } from './git-guard.ts';
import { answerGraphql, operationOf } from './graphql.ts';
import * as refusals from './refusals.ts';
import { openRepository, type Repository } from './repository.ts';
import { rateLimit } from './rest-reads.ts';
import { ROUTES } from './routes.ts';
import { type Bucket, newSwitches, type Scripted, type Switches, spend, takeFault } from './switches.ts';

export type Seen = {
  readonly label: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type GithubServer = {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** The repository over git's own protocol. */
  readonly gitUrl: string;
  readonly switches: Switches;
  /** Every API request, oldest first. */
  readonly seen: Seen[];
  /** From now on the repository bears another name. */
  rename(name: string): void;
  close(): Promise<void>;
};

type Desk = {
  readonly repository: Repository;
  readonly seen: Seen[];
  /** When content was generated, newest last. */
  readonly writes: number[];
  origin: string;
};

type Work = { readonly label: string; readonly bucket: Bucket; answer(): Promise<refusals.Reply> };

const API = '/api/v3';
const MINUTE_MS = 60_000;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function rightsOf(desk: Desk, request: IncomingMessage): 'write' | 'read' | null {
  const token = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return desk.repository.switches.tokens.get(token) ?? null;
}

function found(desk: Desk, name: string): Repository | null {
  return name.toLowerCase() === desk.repository.name.toLowerCase() ? desk.repository : null;
}

function graphqlWork(desk: Desk, text: string, mayWrite: boolean): Work {
  const { repository } = desk;
  const answer = (): Promise<refusals.Reply> =>
    answerGraphql(text, { found: (name) => found(desk, name), any: repository, mayWrite });
  return { label: `graphql ${operationOf(text)}`, bucket: repository.switches.graphql, answer };
}

function moved(desk: Desk, method: string, rest: string): refusals.Reply {
  const status = method === 'GET' ? 301 : 307;
  const location = `${desk.origin}${API}/repositories/${desk.repository.id}${rest}`;
  const message = status === 301 ? 'Moved Permanently' : 'Temporary Redirect';
  return { status, body: { message, url: location }, headers: { location } };
}

function restWork(desk: Desk, request: IncomingMessage, text: string, mayWrite: boolean): Work {
  const { repository } = desk;
  const { switches } = repository;
  const url = new URL(request.url ?? '/', desk.origin);
  const path = url.pathname.slice(API.length);
  const method = request.method ?? 'GET';
  const call = { repository, query: url.searchParams, body: text === '' ? null : JSON.parse(text) };
  const work = (label: string, answer: Work['answer']): Work => ({ label, bucket: switches.rest, answer });
  if (path === '/rate_limit') return work('GET rate_limit', () => rateLimit({ ...call, caught: [] }));
  const named = /^\/repos\/([^/]+\/[^/]+)(.*)$/.exec(path) ?? /^\/repositories\/(\d+)(.*)$/.exec(path);
  const [, name = '', rest = ''] = named ?? [];
  if (switches.oldNames.has(name)) return work('moved', async () => moved(desk, method, rest + url.search));
  const route = ROUTES.find((each) => each.method === method && each.path.test(rest));
  const here = found(desk, name) ?? (name === String(repository.id) ? repository : null);
  if (route === undefined || here === null) return work('nothing', async () => refusals.notFound());
  return work(route.label, async () => {
    if (method !== 'GET' && !mayWrite) return refusals.readOnly();
    if (method !== 'GET' && switches.archived) return refusals.archived();
    return route.answer({ ...call, caught: (route.path.exec(rest) ?? []).slice(1) });
  });
}

/** Waits out what generated content in the last minute; null = there is room. */
function secondary({ repository, writes }: Desk, label: string): refusals.Reply | null {
  const { contentPerMinute } = repository.switches;
  if (contentPerMinute === null || /^GET|^graphql query/.test(label)) return null;
  const now = repository.now();
  const recent = writes.filter((at) => at > now - MINUTE_MS);
  const [oldest = now] = recent;
  if (recent.length >= contentPerMinute)
    return refusals.secondaryLimit(Math.ceil((oldest + MINUTE_MS - now) / 1000) + 1);
  writes.push(now);
  return null;
}

async function answerOf(desk: Desk, work: Work): Promise<refusals.Reply> {
  const now = desk.repository.now();
  if (!spend(work.bucket, now))
    return work.label.startsWith('graphql') ? refusals.graphLimit() : refusals.primaryLimit();
  return secondary(desk, work.label) ?? work.answer();
}

function send(desk: Desk, work: Work, response: ServerResponse, reply: Scripted): void {
  const { bucket } = work;
  response.setHeader('date', new Date(desk.repository.now()).toUTCString());
  response.setHeader('x-ratelimit-limit', String(bucket.limit));
  response.setHeader('x-ratelimit-remaining', String(bucket.limit - bucket.used));
  response.setHeader('x-ratelimit-reset', String(Math.ceil(bucket.resetAt / 1000)));
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  const empty = reply.body === null || reply.body === '';
  if (!empty) response.setHeader('content-type', 'application/json; charset=utf-8');
  response.writeHead(reply.status).end(empty ? '' : JSON.stringify(reply.body));
}

async function serve(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { repository } = desk;
  const { switches } = repository;
  const text = await textOf(request);
  const rights = rightsOf(desk, request);
  const work =
    request.url === '/api/graphql'
      ? graphqlWork(desk, text, rights === 'write')
      : restWork(desk, request, text, rights === 'write');
  desk.seen.push({ label: work.label, headers: request.headers, body: text });
  if (rights === null) return send(desk, work, response, refusals.badCredentials());
  const fault = takeFault(repository.switches, work.label);
  if (fault === 'cut') return void response.destroy();
  if (fault === 'before') return send(desk, work, response, { status: 500, body: '' });
  if (fault !== null && typeof fault === 'object') return send(desk, work, response, fault);
  if (switches.moment({ label: work.label, phase: 'before' })) return void response.destroy();
  const reply = await answerOf(desk, work);
  if (switches.moment({ label: work.label, phase: 'after' })) return void response.destroy();
  if (fault === 'drop') return void response.destroy();
  if (fault === 'after')
    return send(desk, work, response, { status: 502, body: { message: 'Server Error' } });
  send(desk, work, response, reply);
}

async function workGit(desk: Desk, asked: GitAsked, response: ServerResponse): Promise<void> {
  const { folder, switches } = desk.repository;
  const label = `git ${asked.path}`;
  if (switches.moment({ label, phase: 'before' })) return void response.destroy();
  const answer = await workedGit(folder, asked);
  if (switches.moment({ label, phase: 'after' })) return void response.destroy();
  answer(response);
}

/** Git's own protocol, with the rights and rules of the API. */
async function overGit(
  desk: Desk,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { repository } = desk;
  const body = await bodyOf(request);
  desk.seen.push({ label: `git ${path}`, headers: request.headers, body: '' });
  const isPush = request.method === 'POST' && path === '/git-receive-pack';
  const refused =
    faulted(repository, request) ??
    refusedByToken(repository, request) ??
    (isPush ? refusedByRule(repository, body) : null);
  if (refused === null) return workGit(desk, { path, request, body }, response);
  const headers = { 'content-type': refused.type, ...refused.headers };
  response.writeHead(refused.status, headers).end(refused.body);
}

/** Serves the bare repository in `folder`, which holds `<name>.git`'s objects, on a free port. */
export async function githubServer(
  folder: string,
  about: { readonly name: string; readonly id: number; readonly now?: () => number },
): Promise<GithubServer> {
  const now = about.now ?? Date.now;
  const switches = newSwitches(now());
  const repository = openRepository(folder, { name: about.name, id: about.id, switches, now });
  const desk: Desk = { repository, seen: [], writes: [], origin: '' };
  const server: Server = createServer((request, response) => {
    const git = /^\/[^/]+\/[^/]+?(?:\.git)?(\/(?:info\/refs|git-).*)$/.exec(request.url ?? '');
    const work =
      git === null ? serve(desk, request, response) : overGit(desk, git[1] ?? '/', request, response);
    work.catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  desk.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    apiUrl: desk.origin + API,
    graphqlUrl: `${desk.origin}/api/graphql`,
    gitUrl: `${desk.origin}/${about.name}.git`,
    switches,
    seen: desk.seen,
    rename(name) {
      switches.oldNames.add(repository.name);
      repository.name = name;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await repository.objects.close();
    },
  };
}
