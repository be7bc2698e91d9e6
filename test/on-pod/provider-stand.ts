/** A provider that answers from a table, for the switch's fire path; it remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
};

export type Answer = {
  /** 0 = the connection is cut without an answer. */
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  readonly location?: string;
  readonly retryAfter?: string;
};

/** How each kind of request is answered; `times` counts the requests of that kind so far, from 1. */
export type Table = {
  readonly delete?: (times: number, asked: Asked) => Answer | Promise<Answer>;
  readonly get?: (times: number, asked: Asked) => Answer | Promise<Answer>;
  readonly graphql?: (times: number, asked: Asked) => Answer | Promise<Answer>;
};

export const problem = (status: number, detail: string): Answer => ({
  status,
  type: 'application/problem+json',
  body: JSON.stringify({ title: 'A title', status, detail }),
});
export const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value, null, 1),
});
export const html = (status: number): Answer => ({
  status,
  type: 'text/html',
  body: '<html><head><title>502 Bad Gateway</title></head></html>',
});
export const noContent: Answer = { status: 204 };
export const noSuchPod = problem(404, 'resource not found');
export const unauthorized = json({
  errors: [{ message: 'Unauthorized', path: ['pod'] }],
  data: { pod: null },
});

export class ProviderStand {
  readonly asked: Asked[] = [];
  table: Table;
  readonly #server;
  readonly #scheme;

  /** With a certificate it speaks HTTPS. */
  constructor(table: Table, certificate: Certificate | null = null) {
    this.table = table;
    const take = (request: IncomingMessage, response: ServerResponse): void => this.#take(request, response);
    this.#server = certificate === null ? createServer(take) : createTlsServer({ ...certificate }, take);
    this.#scheme = certificate === null ? 'http' : 'https';
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  count(kind: 'DELETE' | 'GET' | 'POST'): number {
    return this.asked.filter((one) => one.method === kind).length;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const asked: Asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        body,
      };
      this.asked.push(asked);
      this.#answer(asked, response).catch((error: Error) => response.destroy(error));
    });
  }

  async #answer(asked: Asked, response: ServerResponse): Promise<void> {
    const rows = { DELETE: this.table.delete, GET: this.table.get, POST: this.table.graphql };
    const kind = asked.method as keyof typeof rows;
    const answer =
      (await rows[kind]?.(this.count(kind), asked)) ?? problem(404, 'The requested path was not found.');
    if (answer.status === 0) {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, {
      ...(answer.type === undefined ? {} : { 'Content-Type': answer.type }),
      ...(answer.location === undefined ? {} : { Location: answer.location }),
      ...(answer.retryAfter === undefined ? {} : { 'Retry-After': answer.retryAfter }),
    });
    response.end(answer.body);
  }
}
