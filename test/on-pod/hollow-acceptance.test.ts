/** An answer of 2xx that accepted nothing: the switch takes the other ways to the end, and a 404 that does not tell of the pod proves nothing. */
import { afterEach, expect, it } from 'vitest';
import { ELSEWHERE } from '../adapters/provider/bodies.ts';
import { KEY, PodStand, until } from './pod-stand.ts';
import {
  type Answer,
  json,
  noContent,
  noSuchPod,
  ProviderStand,
  problem,
  type Table,
} from './provider-stand.ts';

const POD = 'pod1abcdefghij';
const INJECTED = 'rpa_INJECTEDINJECTED';
const running = json({ id: POD, name: 'a pod', env: {}, status: 'RUNNING' });
let pod: PodStand;
let provider: ProviderStand;
afterEach(async () => {
  await pod.close();
  await provider.close();
});

/** Fires against this provider until the end is proven or so many tries were made; the record of the tries. */
async function record(table: Table, most: number): Promise<string> {
  provider = new ProviderStand(table);
  const url = await provider.listen();
  pod = new PodStand({ clock: 1000, injectedKey: INJECTED });
  const planted = await pod.install({ rest: url, graphql: `${url}/graphql` }, KEY);
  expect(planted.said.get('armed'), planted.stdout + planted.stderr).toBe('yes');
  let second = 2000;
  await until('the tries', () => {
    second += 5;
    pod.setClock(second);
    pod.wake();
    const tries = Number(pod.held('tries').split(' ')[0] ?? 0);
    return pod.held('record').includes('gone: proven') || tries >= most;
  });
  return pod.held('record');
}

/** A provider that heeds the pod's own key alone and says this to a DELETE by any other. */
function heedsItsOwn(other: Answer): Table {
  let gone = false;
  return {
    delete: (_, { authorization }) => {
      gone ||= authorization.endsWith(INJECTED);
      return authorization.endsWith(INJECTED) ? noContent : other;
    },
    get: () => (gone ? noSuchPod : running),
    graphql: () => ({ status: 401 }),
  };
}

const nothingAccepted: readonly (readonly [string, Answer])[] = [
  ['200 with errors and null data', json({ errors: [{ message: 'Unauthorized' }], data: null })],
  ['200 with an error', json({ error: 'Unauthorized' })],
  ['200 with errors of another shape', json({ id: POD, errors: { message: 'x' } })],
  ['200 with a failure', json({ success: false })],
  ['200 with a list', json([])],
  ['200 with null', json(null)],
  ['200 with a text', { status: 200, type: 'text/plain', body: 'Welcome to our network' }],
  ['200 with a page of no type', { status: 200, body: '<html>Log in</html>' }],
  ['200 with broken JSON', { status: 200, type: 'application/json', body: '{"id":"pod1' }],
];

it.each(nothingAccepted)('%s accepts nothing: the next key is tried at once', async (_what, other) => {
  expect(await record(heedsItsOwn(other), 3)).toMatch(/try 1:.* key=injected delete=ok read=absent\n/);
});

it.each([
  ['204', noContent],
  ['200 with JSON', json({ id: POD })],
  ['200 with empty errors', json({ success: true, error: null, errors: [] })],
  ['202 without a word', { status: 202 }],
])('%s accepts; the other key is spared for three tries, and no longer', async (_what, other) => {
  const tries = (await record(heedsItsOwn(other), 6)).split('\n').filter((line) => line.includes(' try '));
  expect(tries.map((line) => line.includes('key=injected'))).toEqual([false, false, false, true]);
});

it.each(['', ...ELSEWHERE])(
  'a 404 that says "%s" is not about the pod, as the runner reads it too',
  async (detail) => {
    const told = await record(
      { delete: () => noContent, get: () => problem(404, detail), graphql: () => ({ status: 401 }) },
      2,
    );
    expect(told).toContain('read=404-unclear');
    expect(told).not.toContain('proven');
  },
);
