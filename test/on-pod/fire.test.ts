/** The fire path against every answer a provider may give: what proves the end, what does not, and that it never gives up. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { suiteWith } from '../components.ts';
import { KEY, killIfThere, type PodOptions, PodStand, until } from './pod-stand.ts';
import {
  type Answer,
  html,
  json,
  noContent,
  noSuchPod,
  ProviderStand,
  problem,
  type Table,
  unauthorized,
} from './provider-stand.ts';

const POD = 'pod1abcdefghij';
const INJECTED = 'rpa_INJECTEDINJECTED';
let pod: PodStand;
let provider: ProviderStand;
afterEach(async () => {
  await pod.close();
  await provider.close();
});

/** Arms a pod on this provider and lets its deadline pass. */
async function fire(table: Table, options: PodOptions = {}, key = KEY): Promise<void> {
  provider = new ProviderStand(table);
  const url = await provider.listen();
  pod = new PodStand({ clock: 1000, ...options });
  const planted = await pod.install({ rest: url, graphql: `${url}/graphql` }, key);
  expect(planted.said.get('armed'), planted.stdout + planted.stderr).toBe('yes');
  pod.setClock(2000);
}

/** The clock runs on with each look, so that no pause between tries is waited for. */
async function tries(test: () => boolean): Promise<void> {
  let second = 2000;
  await until('the tries', () => {
    second += 5;
    pod.setClock(second);
    pod.wake();
    return test();
  });
}

const triesSoFar = (): number => Number(pod.held('tries').split(' ')[0] ?? 0);
const proven = (): boolean => pod.held('record').includes('gone: proven');

async function ends(): Promise<void> {
  await tries(proven);
  await until('the key destroyed', () => pod.held('credential') === '' && pod.held('wgetrc') === '');
}

async function goesOn(): Promise<void> {
  await tries(() => triesSoFar() >= 4);
  expect(proven()).toBe(false);
  expect(pod.held('credential')).toBe(`${KEY}\n`);
  const { said, stdout } = await pod.status();
  expect(said.get('armed'), stdout).toBe('yes');
  expect(Number(said.get('fire_tries'))).toBeGreaterThanOrEqual(4);
}

const podJson = (status: string, env: Record<string, string> = {}): Answer =>
  json({ id: POD, name: 'a pod', env, status, runtime: null });
const terminated = json({ data: { podTerminate: null } });
const noPod = json({ data: { pod: null } });

describe('is proof', () => {
  it('is an accepted DELETE and a 404 about the pod, after errors and a pod that lingers (case C25)', async () => {
    const deletes = [html(502), problem(500, 'upstream timeout'), noContent];
    await fire({
      delete: (times) => deletes[times - 1] ?? noSuchPod,
      get: (times) => (times <= 3 ? podJson('RUNNING') : noSuchPod),
      graphql: () => html(503),
    });
    await ends();
    expect(provider.count('DELETE')).toBeGreaterThanOrEqual(5);
    expect(provider.asked.every((one) => one.authorization === `Bearer ${KEY}`)).toBe(true);
  });

  it('is a pod that stays listed as TERMINATED', async () => {
    await fire({ delete: () => noContent, get: () => podJson('TERMINATED') });
    await ends();
    expect(pod.held('tries')).toBe('1 key=explicit delete=ok read=TERMINATED\n');
  });

  it('is GraphQL alone for the key that REST refuses', async () => {
    await fire({
      delete: () => problem(403, 'access denied'),
      get: () => problem(403, 'access denied'),
      graphql: (_, asked) => (asked.body.includes('podTerminate') ? terminated : noPod),
    });
    await ends();
    const bodies = provider.asked.filter((one) => one.method === 'POST').map((one) => JSON.parse(one.body));
    expect(bodies[0]).toEqual({ query: `mutation { podTerminate(input: {podId: "${POD}"}) }` });
    expect(bodies[1]).toEqual({ query: `query { pod(input: {podId: "${POD}"}) { id desiredStatus } }` });
  });

  it('is found with the key of the pod itself when the planted one has died', async () => {
    await fire(
      {
        delete: (_, asked) =>
          asked.authorization.endsWith(INJECTED) ? noContent : problem(401, 'invalid token'),
        graphql: () => ({ status: 401 }),
        get: () => noSuchPod,
      },
      { injectedKey: INJECTED },
    );
    await ends();
    expect(pod.held('record')).toContain(
      'key=explicit delete=401 graphql=401 key=injected delete=ok read=absent',
    );
  });
});

describe('is no proof, and the switch goes on', () => {
  const accepted = { delete: () => noContent };
  const refused = { delete: () => problem(403, 'key has read permission only') };
  const cases: readonly (readonly [string, Table])[] = [
    ['EXITED', { ...accepted, get: () => podJson('EXITED') }],
    [
      'a pod whose own settings say TERMINATED',
      { ...accepted, get: () => podJson('RUNNING', { status: 'TERMINATED' }) },
    ],
    [
      'a pod whose settings, told after its status, say TERMINATED',
      { ...accepted, get: () => json({ id: POD, status: 'RUNNING', env: { status: 'TERMINATED' } }) },
    ],
    [
      'a 404 that is JSON but no problem document',
      { ...accepted, get: () => ({ ...noSuchPod, type: 'application/json' }), graphql: () => unauthorized },
    ],
    [
      'a 404 about the path',
      {
        ...accepted,
        get: () => problem(404, 'The requested path was not found.'),
        graphql: () => unauthorized,
      },
    ],
    ['a 404 that is no problem document', { ...accepted, get: () => html(404), graphql: () => html(404) }],
    ['a page with status 200', { ...accepted, get: () => html(200), graphql: () => html(200) }],
    [
      'null data beside errors',
      { ...accepted, get: () => problem(403, 'access denied'), graphql: () => unauthorized },
    ],
    [
      'an answer without data',
      { ...accepted, get: () => problem(500, 'x'), graphql: () => json({ data: {} }) },
    ],
    [
      '404 on DELETE and on GET without an accepted request',
      {
        delete: () => noSuchPod,
        get: () => noSuchPod,
        graphql: () =>
          json({
            errors: [{ message: 'pod not found to terminate', extensions: { code: 'POD_NOT_FOUND' } }],
            data: { podTerminate: null },
          }),
      },
    ],
    [
      'a DELETE that a page answered with 200',
      { delete: () => html(200), get: () => noSuchPod, graphql: () => html(200) },
    ],
    [
      'a key that may look but not touch',
      { ...refused, get: () => podJson('RUNNING'), graphql: () => unauthorized },
    ],
    [
      'a redirect, which is not followed',
      {
        delete: () => ({ status: 307, location: '/elsewhere' }),
        graphql: () => ({ status: 302, location: '/elsewhere' }),
      },
    ],
    ['429', { delete: () => problem(429, 'rate limit exceeded'), graphql: () => ({ status: 429 }) }],
  ];

  it.each(cases)('after %s', async (_name, table) => {
    await fire(table);
    await goesOn();
    expect(provider.asked.filter((one) => one.path === '/elsewhere')).toEqual([]);
    expect(pod.held('record')).not.toContain(KEY);
  });

  it('after a provider that is not there at all (case C25)', async () => {
    await fire({});
    await provider.close();
    await goesOn();
    expect((await pod.status()).said.get('fire_last')).toBe(
      'key=explicit delete=no-connection graphql=no-connection',
    );
    provider = new ProviderStand({});
    await provider.listen();
  });
});

describe('across a respawn', () => {
  it('remembers that it fired and that a request was accepted, whatever the later DELETE says', async () => {
    let gone = false;
    await fire({
      delete: (times) => (times === 1 ? noContent : noSuchPod),
      get: () => (gone ? noSuchPod : podJson('RUNNING')),
    });
    await tries(() => triesSoFar() >= 1);
    const first = pod.pidOf('watchdog');
    killIfThere(first, 'SIGKILL');
    await until('a new watchdog', () => pod.pidOf('watchdog') !== first);
    gone = true;
    await ends();
    expect(pod.held('record')).toContain('delete=absent');
  });
});

const afterOneError: Table = {
  delete: (times) => (times === 1 ? problem(500, 'x') : noContent),
  get: (times) => (times === 1 ? podJson('RUNNING') : noSuchPod),
  graphql: () => json({ errors: [{ message: 'x' }], data: { podTerminate: null } }),
};

suiteWith(['wget'], 'where there is no curl', () => {
  it('goes the same way with GNU wget too', async () => {
    await fire(afterOneError, { without: ['curl'] });
    expect((await pod.status()).said.get('http_tool')).toBe('wget');
    await ends();
    expect(provider.asked.every((one) => one.authorization === `Bearer ${KEY}`)).toBe(true);
  });
});

describe('by other tools', () => {
  it('asks the provider own tool when that is all there is, and goes on, for its word is no proof', async () => {
    provider = new ProviderStand({});
    await provider.listen();
    pod = new PodStand({ clock: 1000, without: ['curl', 'wget', 'python3'] });
    pod.program('runpodctl', `#!/bin/sh\necho "$@" >>"$PODTRACK_ROOT/asked"\n`);
    const planted = await pod.install({});
    expect(planted.said.get('http_tool')).toBe('runpodctl');
    pod.setClock(2000);
    await goesOn();
    expect(readFileSync(`${pod.root}/asked`, 'utf8').split('\n')[0]).toBe(`remove pod ${POD}`);
  });
});
