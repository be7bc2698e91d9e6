/** The way to GitHub through a proxy that the environment names. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigError } from '../../../src/domain/errors.ts';
import { register } from '../../domain/registry/record-maker.ts';
import { type GithubPlace, githubPlace } from './github-place.ts';

const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'] as const;

let place: GithubPlace;
let proxy: Server;
let asked: string[];
const before = new Map(VARIABLES.map((name) => [name, process.env[name]]));

beforeEach(async () => {
  place = await githubPlace();
  asked = [];
  for (const name of VARIABLES) delete process.env[name];
  // Knows one host that exists nowhere else: whoever reaches it came through here.
  proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const far = connect(Number(new URL(place.server.apiUrl).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => end.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

afterEach(async () => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  proxy.closeAllConnections();
  proxy.close();
  await place.close();
});

const ADDRESSES = {
  apiUrl: 'http://github.invalid/api/v3',
  graphqlUrl: 'http://github.invalid/api/graphql',
};

it('is taken for reads and writes', async () => {
  process.env['http_proxy'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { results } = await place.open(ADDRESSES).submit([register('abc')]);
  expect(results).toMatchObject([{ kind: 'applied' }]);
  expect(new Set(asked)).toEqual(new Set(['github.invalid:80']));
});

it('is not taken to this machine itself', async () => {
  process.env['http_proxy'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await place.store().submit([register('abc')]);
  expect(asked).toEqual([]);
});

it('is refused without being repeated where it is no address', () => {
  process.env['http_proxy'] = 'secret-word:/no-address';
  expect(() => place.open(ADDRESSES)).toThrow(ConfigError);
  expect(() => place.open(ADDRESSES)).not.toThrow(/secret-word/);
});
