/** Failures below HTTP: whether the request left, each address with its reason, certificates, proxies, redirects. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemDispatcher } from '../../../src/adapters/runpod-provider/dispatcher.ts';
import { troubleOf } from '../../../src/adapters/runpod-provider/trouble.ts';
import { runpodProvider } from '../../../src/adapters/runpod-provider.ts';
import { ConfigError } from '../../../src/domain/errors.ts';
import { AGENT, bench, countingClock, failureOf, KEY, providerAt } from './bench.ts';
import { podV2 } from './bodies.ts';
import { inTurn, json } from './scripted-server.ts';

const sample = (name: string): string => readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port on which nobody listens any more. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

const error = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`made up: ${code}`), { code, ...more });

describe('troubleOf', () => {
  it.each([
    ['ECONNREFUSED', {}, 'not-sent'],
    ['EHOSTUNREACH', {}, 'not-sent'],
    ['ENETUNREACH', {}, 'not-sent'],
    ['ENOTFOUND', { hostname: 'api.runpod.io' }, 'not-sent'],
    ['EAI_AGAIN', { hostname: 'api.runpod.io' }, 'not-sent'],
    ['UND_ERR_CONNECT_TIMEOUT', {}, 'not-sent'],
    ['ETIMEDOUT', { syscall: 'connect' }, 'not-sent'],
    ['ECONNRESET', { syscall: 'connect' }, 'not-sent'],
    ['ECONNRESET', { syscall: 'read' }, 'no-answer'],
    ['EPIPE', {}, 'no-answer'],
    ['UND_ERR_SOCKET', {}, 'no-answer'],
    ['UND_ERR_HEADERS_TIMEOUT', {}, 'timed-out'],
    ['UND_ERR_BODY_TIMEOUT', {}, 'timed-out'],
    ['SELF_SIGNED_CERT_IN_CHAIN', {}, 'certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', {}, 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', {}, 'certificate'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', {}, 'certificate'],
    ['CERT_HAS_EXPIRED', {}, 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', {}, 'certificate'],
    ['E_SOMETHING_NEW', {}, 'no-answer'],
  ])('%s %j', (code, more, kind) => {
    expect(troubleOf(error(code, more))).toMatchObject({ kind, words: expect.stringContaining(code) });
  });

  it('lists every address of an error with an empty message (case C70 a)', () => {
    const all = new AggregateError([
      error('ECONNREFUSED', { syscall: 'connect', address: '192.0.2.1', port: 443 }),
      error('EHOSTUNREACH', { syscall: 'connect', address: '2001:db8::1', port: 443 }),
    ]);
    expect(troubleOf(all)).toMatchObject({
      kind: 'not-sent',
      words: 'ECONNREFUSED at 192.0.2.1 port 443, EHOSTUNREACH at 2001:db8::1 port 443',
    });
  });

  it('is "not sent" only if that holds for every address', () => {
    expect(troubleOf(new AggregateError([error('ECONNREFUSED'), error('ECONNRESET')])).kind).toBe(
      'no-answer',
    );
  });

  it.each([undefined, null, 'text', {}])('takes %j for an answer that never came', (odd) => {
    expect(troubleOf(odd).kind).toBe('no-answer');
  });
});

describe('a network that is not there', () => {
  it('is said to be so, with the address and that nothing was sent', async () => {
    const port = await deadPort();
    const clock = countingClock();
    const failed = await failureOf(
      providerAt(`http://127.0.0.1:${port}`, { clock }).terminate('n0network00001'),
    );
    expect(failed).toMatchObject({ failure: 'not-sent', retryable: true });
    expect(failed.message).toContain(`ECONNREFUSED at 127.0.0.1 port ${port}`);
    expect(failed.message).toContain('the request never left');
    expect(failed.message).toContain('Pod n0network00001 may still run and bill');
    expect(failed.cause).toBeInstanceOf(Error);
    expect(clock.slept).toEqual([1000, 2000, 4000]);
  });

  it('may be tried again even for an action that is otherwise not repeated (case C70 a, c)', async () => {
    const clock = countingClock();
    await failureOf(providerAt(`http://127.0.0.1:${await deadPort()}`, { clock }).stop('n0network00001'));
    expect(clock.slept).toEqual([1000, 2000, 4000]);
  });

  it('tells all addresses of a name with several', async () => {
    const failed = await failureOf(providerAt(`http://localhost:${await deadPort()}`).list());
    expect(failed.failure).toBe('not-sent');
    expect(failed.told.cameBack).toContain('127.0.0.1');
  });

  it('does not hide an earlier try that may have arrived (case C70 b)', async () => {
    const { provider, server } = await bench(inTurn({ torn: 'reset' }));
    const clock = countingClock();
    const closing = providerAt(server.base, {
      clock: { now: () => clock.now(), sleep: () => server.close().then(() => clock.sleep(1)) },
    });
    expect((await failureOf(closing.terminate('n0network00001'))).failure).toBe('outcome-unknown');
    expect(await failureOf(provider.list())).toMatchObject({ failure: 'not-sent' });
  });
});

describe('a certificate that is not trusted (case C70 e)', () => {
  it('is not tried again and names the variable', async () => {
    let heard = 0;
    const port = await listen(
      createTlsServer({ key: sample('k.pem'), cert: sample('c.pem') }, (_request, response) => {
        heard += 1;
        response.end('{}');
      }),
    );
    const clock = countingClock();
    const failed = await failureOf(providerAt(`https://127.0.0.1:${port}`, { clock }).list());
    expect(failed).toMatchObject({ failure: 'not-sent', retryable: false });
    expect(failed.message).toContain('NODE_EXTRA_CA_CERTS');
    expect(failed.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(clock.slept).toEqual([]);
    expect(heard).toBe(0);
  });
});

describe('proxies', () => {
  afterEach(() => vi.unstubAllEnvs());

  const tunnels: string[] = [];
  /** A proxy that sends every tunnel to `port`, or answers `status`. */
  async function proxy(port: number, status = 200): Promise<string> {
    tunnels.length = 0;
    const server = createServer();
    server.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      if (status !== 200) {
        socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
        return;
      }
      const out = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        out.pipe(socket).pipe(out);
      });
      out.on('error', () => socket.destroy());
      socket.on('error', () => out.destroy());
    });
    return `http://127.0.0.1:${await listen(server)}`;
  }

  /** https behind a proxy, without trusting the made-up certificate: the tunnel is what is looked at. */
  const throughProxy = (host: string): ReturnType<typeof failureOf> =>
    failureOf(
      runpodProvider({
        apiKey: KEY,
        restBaseUrl: `https://${host}`,
        userAgent: AGENT,
        clock: countingClock(),
      }).list(),
    );

  it('named by the environment are used (case C70 d)', async () => {
    const port = await listen(
      createTlsServer({ key: sample('k.pem'), cert: sample('c.pem') }, () => undefined),
    );
    vi.stubEnv('HTTPS_PROXY', await proxy(port));
    vi.stubEnv('NO_PROXY', '');
    const failed = await throughProxy('api.example.test');
    expect(tunnels).toEqual(['api.example.test:443']);
    expect(failed.message).toContain('NODE_EXTRA_CA_CERTS');
  });

  it('are passed by for the hosts of NO_PROXY (case C70 d)', async () => {
    vi.stubEnv('HTTPS_PROXY', await proxy(1));
    vi.stubEnv('NO_PROXY', 'other.example,.invalid');
    expect((await throughProxy('runpod.invalid')).failure).toBe('not-sent');
    expect(tunnels).toEqual([]);
  });

  it('that refuse are named, and not asked again', async () => {
    vi.stubEnv('HTTPS_PROXY', await proxy(1, 407));
    vi.stubEnv('NO_PROXY', '');
    const failed = await throughProxy('api.example.test');
    expect(failed).toMatchObject({ failure: 'not-sent', retryable: false });
    expect(failed.message).toContain('the proxy answered 407');
    expect(failed.message).toContain('HTTPS_PROXY');
    expect(tunnels).toHaveLength(1);
  });

  it('are not used for the loopback, where the embedded world lives', async () => {
    vi.stubEnv('HTTPS_PROXY', await proxy(1));
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9');
    const { provider } = await bench(() => json(200, { pods: [] }));
    expect((await provider.list()).pods).toEqual([]);
    expect(tunnels).toEqual([]);
  });

  it('that are no address are the reader’s to mend, and are not repeated', () => {
    vi.stubEnv('HTTPS_PROXY', 'http://user:hunter2hunter2@[bad');
    const open = (): unknown => systemDispatcher({ connectMs: 1000, perAddressMs: 500 }, false);
    expect(open).toThrow(ConfigError);
    expect(open).toThrow(/HTTPS_PROXY/i);
    expect(open).not.toThrow(/hunter2/);
  });
});

describe('redirects', () => {
  it.each([301, 302, 307, 308])(
    '%i is followed by no verb, least of all to another host with the key',
    async (status) => {
      const other = await bench(() => json(200, { pods: [] }));
      const { provider, server } = await bench(() => ({
        status,
        headers: { location: `${other.server.base}/v2/pods` },
      }));
      const id = 'r0redirect0001';
      for (const call of [provider.list(), provider.get(id), provider.terminate(id), provider.logs(id, 3)]) {
        expect((await failureOf(call)).failure).toBe('unexpected-answer');
      }
      await failureOf(provider.stop(id));
      expect(server.heard.length).toBeGreaterThan(0);
      expect(other.server.heard).toEqual([]);
    },
  );
});

describe('connections', () => {
  it('carry many calls at once', async () => {
    const { provider } = await bench(({ path }) => json(200, podV2(path.split('/').at(-1) ?? '')));
    const ids = Array.from({ length: 40 }, (_none, index) => `many${String(index).padStart(10, '0')}`);
    const found = await Promise.all(ids.map((id) => provider.get(id)));
    expect(found.map((look) => (look.kind === 'present' ? look.pod.id : null))).toEqual(ids);
  });
});
