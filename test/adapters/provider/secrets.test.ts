/** No secret in any text: every failure of every verb is forced and all of it searched, causes included. */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../../src/adapters/redact.ts';
import { runpodProvider } from '../../../src/adapters/runpod-provider.ts';
import { ConfigError } from '../../../src/domain/errors.ts';
import type { Provider } from '../../../src/ports.ts';
import { AGENT, bench, countingClock, KEY, patienceFor, providerAt } from './bench.ts';
import { podV2 } from './bodies.ts';
import { html, json, problem, type Reply } from './scripted-server.ts';

const ID = 'x1secrets00001';
const ENV = {
  PUBLIC_KEY: 'ssh-ed25519 AAAAmadeupmadeupmadeupmadeup ci@example',
  HF_TOKEN: 'hf_MADEUPMADEUPMADEUP',
  WANDB_API_KEY: '0123456789abcdef0123456789abcdef01234567',
  DATABASE: 'correct-horse-battery-staple',
  RUNPOD_API_KEY: 'rpa_MADEUPONLYMADEUPONLY',
};
const SECRETS = [KEY, Buffer.from(KEY).toString('base64').slice(0, 20), ...Object.values(ENV)];
const pod = podV2(ID, { env: ENV });
const text = JSON.stringify({ pods: [pod] });

const replies: readonly [string, Reply][] = [
  ['good', { status: 200, body: text }],
  ['a pod', json(200, pod)],
  ['truncated', { status: 200, body: text.slice(0, -20) }],
  ['in another envelope', json(200, { data: [pod] })],
  ['malformed', json(200, { pods: [podV2(ID, { env: ENV, status: 7 }), ENV, KEY] })],
  ['env alone', json(200, ENV)],
  ['values alone', json(200, Object.values(ENV))],
  ['as HTML', { status: 200, type: 'text/html', body: `<title>${KEY}</title>${text}` }],
  ['as plain text', { status: 502, type: 'text/plain', body: Object.values(ENV).join(' ') }],
  ['of no type', { status: 200, type: `${KEY}/${KEY}`, body: text.slice(3) }],
  ['echoed key 401', problem(401, `bad token Bearer ${KEY}`)],
  ['echoed key 403', problem(403, `${KEY} may not`)],
  [
    'echoed key encoded',
    problem(400, `api_key=${encodeURIComponent(KEY)} ${Buffer.from(KEY).toString('base64')}`),
  ],
  ['echoed token', problem(409, `${ENV.HF_TOKEN} ${ENV.WANDB_API_KEY}`)],
  ['in a v1 error', json(500, { error: `no ${KEY}` })],
  ['in a message', json(404, { message: `no ${KEY}` })],
  ['in GraphQL errors', json(200, { errors: [{ message: `no ${KEY}` }], data: { myself: null } })],
  ['in a redirect', { status: 302, headers: { location: `http://127.0.0.1:9/?api_key=${KEY}` } }],
  ['in a wait', { status: 429, headers: { 'retry-after': KEY } }],
  ['html', html(403, KEY)],
  ['torn', { torn: 'cut', body: text.slice(0, -20) }],
  ['reset', { torn: 'reset' }],
  ['hang', { torn: 'hang' }],
];

const verbs: Readonly<Record<string, (provider: Provider) => Promise<unknown>>> = {
  list: (provider) => provider.list(),
  get: (provider) => provider.get(ID),
  terminate: (provider) => provider.terminate(ID),
  stop: (provider) => provider.stop(ID),
  start: (provider) => provider.start(ID),
  logs: (provider) => provider.logs(ID, 3),
  account: (provider) => provider.account(),
  abilities: (provider) => provider.abilities(),
};

/** Everything a debug log could show of an outcome: fields, hidden ones, causes, stacks. */
async function everythingOf(call: Promise<unknown>): Promise<string> {
  const outcome = await call.then(
    (value: unknown) => value,
    (error: unknown) => error,
  );
  const shown = inspect(outcome, {
    depth: 12,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  return outcome instanceof Error ? `${outcome.message}\n${outcome.stack}\n${shown}` : shown;
}

function leaks(shown: string): readonly string[] {
  return SECRETS.filter((secret) => shown.includes(secret));
}

describe('no secret', () => {
  it.each(replies)('shows when the answer is %s', async (_name, reply) => {
    const limits = { ...patienceFor(reply), logQuietMs: 50, logTotalMs: 200, attempts: 2 };
    const found = Object.entries(verbs).map(async ([name, call]) => {
      const { provider } = await bench(() => reply, limits);
      return [name, leaks(await everythingOf(call(provider)))];
    });
    expect(await Promise.all(found)).toEqual(Object.keys(verbs).map((name) => [name, []]));
  });

  it('shows when there is no network', async () => {
    for (const call of Object.values(verbs)) {
      expect(leaks(await everythingOf(call(providerAt('http://127.0.0.1:9'))))).toEqual([]);
    }
  });

  it('travels in an address', async () => {
    const { provider, server } = await bench(() => json(200, { pods: [] }));
    for (const call of Object.values(verbs)) await everythingOf(call(provider));
    expect(server.heard.map(({ path, body }) => path + body).join('\n')).not.toContain(KEY);
  });
});

describe('options', () => {
  const open =
    (over: object): (() => unknown) =>
    () =>
      runpodProvider({ apiKey: KEY, userAgent: AGENT, clock: countingClock(), ...over });

  it.each([
    ['no key', { apiKey: ' ' }, /api-key|no key was given/],
    ['a key of two lines', { apiKey: `${KEY}\r\nX-Evil: 1` }, /line breaks/],
    ['a key with odd characters', { apiKey: `${KEY}ü` }, /odd characters/],
    ['a base that is no address', { restBaseUrl: 'api.runpod.io' }, /RUNPOD_API_BASE_URL/],
    ['a base of a file', { restBaseUrl: 'file:///etc' }, /RUNPOD_API_BASE_URL/],
    ['a base without https', { restBaseUrl: 'http://api.runpod.io' }, /in clear/],
    ['a base with a login', { restBaseUrl: `https://user:${KEY}@api.runpod.io` }, /login/],
    [
      'a GraphQL address with the key',
      { graphqlUrl: `https://api.runpod.io/graphql?api_key=${KEY}` },
      /query/,
    ],
  ])('%s is told without being repeated', (_name, over, words) => {
    expect(open(over)).toThrow(ConfigError);
    expect(open(over)).toThrow(words);
    expect(open(over)).not.toThrow(KEY);
  });

  it.each(['', '/', '/v2', '/v2/'])('a base that ends in "%s" is the same', async (end) => {
    const { server } = await bench(() => json(200, { pods: [] }));
    await providerAt(`${server.base}${end}`).list();
    expect(server.heard[0]?.path).toBe('/v2/pods?includeClusterPods=true');
  });

  it('a key pasted with a line end is taken without it', async () => {
    const { server } = await bench(() => json(200, { pods: [] }));
    const pasted = { apiKey: `${KEY}\n`, restBaseUrl: server.base, userAgent: AGENT, clock: countingClock() };
    await runpodProvider(pasted).list();
    expect(server.heard[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });
});

describe('redactor', () => {
  const redact = redactor(['s3cret/with+signs=', 'a "quoted" one', 'short']);
  it.each([
    ['plain', 'x s3cret/with+signs= y', 'x [secret] y'],
    ['in a URL', `x ${encodeURIComponent('s3cret/with+signs=')} y`, 'x [secret] y'],
    ['in base64', `x ${Buffer.from('s3cret/with+signs=').toString('base64')}`, 'x [secret]'],
    ['in JSON', JSON.stringify({ a: 'a "quoted" one' }), '{"a":"[secret]"}'],
    ['a token of no one', 'hf_ABCDEFGH12345678 ghp_ABCDEFGH12345678', '[secret] [secret]'],
    ['a header', 'authorization: Bearer abcdefghijk', 'authorization: [secret]'],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY----- end',
      '[secret] end',
    ],
    [
      'nothing secret',
      'a short text about commit 0123456789abcdef',
      'a short text about commit 0123456789abcdef',
    ],
  ])('%s', (_name, text_, expected) => {
    expect(redact(text_)).toBe(expected);
  });

  it('takes the longer of two secrets of which one begins the other', () => {
    expect(redactor(['abcdefgh', 'abcdefghijkl'])('abcdefghijkl')).toBe('[secret]');
  });
});
