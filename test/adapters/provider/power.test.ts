/** Stop and start: once when answered, looked at first when the outcome is unknown. */
import { describe, expect, it } from 'vitest';
import { bench, failureOf } from './bench.ts';
import { NOT_FOUND, podV2 } from './bodies.ts';
import { inTurn, json, problem, type Reply } from './scripted-server.ts';

const ID = 's1stopstart001';
const pod = (status: string): Reply => json(200, podV2(ID, { status }));

const script = async (...replies: [Reply, ...Reply[]]) => {
  const made = await bench(inTurn(...replies), { deadlineMs: 1500 });
  return { ...made, calls: () => made.server.heard.map(({ method }) => method).join(' ') };
};

describe('stop', () => {
  it('posts the action once', async () => {
    const { provider, server } = await script(pod('EXITED'));
    await provider.stop(ID);
    expect(server.heard).toHaveLength(1);
    expect(server.heard[0]).toMatchObject({
      method: 'POST',
      path: `/v2/pods/${ID}/action`,
      body: '{"action":"stop"}',
    });
    expect(server.heard[0]?.headers['content-type']).toBe('application/json');
  });

  it.each<[string, Reply]>([
    ['a reset', { torn: 'reset' }],
    ['silence', { torn: 'hang' }],
    ['500', problem(500, 'x')],
    ['an answer of another shape', json(200, {})],
  ])('looks after %s and is content when it has happened', async (_name, reply) => {
    const { provider, calls } = await script(reply, pod('EXITED'));
    await provider.stop(ID);
    expect(calls()).toBe('POST GET');
  });

  it('repeats only after a look that shows the pod running', async () => {
    const { provider, calls } = await script({ torn: 'reset' }, pod('RUNNING'), pod('EXITED'));
    await provider.stop(ID);
    expect(calls()).toBe('POST GET POST');
  });

  it('is unknown after three such rounds', async () => {
    const { provider, server } = await bench(({ method }) =>
      method === 'GET' ? pod('RUNNING') : problem(500, 'x'),
    );
    expect((await failureOf(provider.stop(ID))).failure).toBe('outcome-unknown');
    expect(server.heard.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET']);
  });

  it.each<[string, Reply]>([
    ['stopped', pod('EXITED')],
    ['gone', problem(404, NOT_FOUND)],
  ])('takes a conflict for done when the pod is %s', async (_name, look) => {
    const { provider } = await script(problem(409, 'Action not valid for current pod status'), look);
    await expect(provider.stop(ID)).resolves.toBeUndefined();
  });

  it('is refused by a locked pod that runs on', async () => {
    const { provider, calls } = await script(problem(409, 'pod is locked'), pod('RUNNING'));
    expect(await failureOf(provider.stop(ID))).toMatchObject({ failure: 'conflict', status: 409 });
    expect(calls()).toBe('POST GET');
  });

  it('does not go on without permission', async () => {
    const { provider, calls } = await script(problem(403, 'access denied'));
    expect((await failureOf(provider.stop(ID))).failure).toBe('forbidden');
    expect(calls()).toBe('POST');
  });
});

describe('start', () => {
  it('gives the pod as it starts', async () => {
    const { provider, server } = await script(pod('STARTING'));
    expect(await provider.start(ID)).toMatchObject({ id: ID, status: 'STARTING' });
    expect(server.heard[0]?.body).toBe('{"action":"start"}');
  });

  it.each(['PROVISIONING', 'STARTING', 'RUNNING'])(
    'takes a lost answer for done when the pod is %s',
    async (status) => {
      const { provider, calls } = await script({ torn: 'reset' }, pod(status));
      expect(await provider.start(ID)).toMatchObject({ status });
      expect(calls()).toBe('POST GET');
    },
  );

  it('tells a host without free GPUs in its own words', async () => {
    const words = 'There are not enough free GPUs on the host machine to start this pod.';
    const { provider, calls } = await script(problem(400, words));
    const error = await failureOf(provider.start(ID));
    expect(error.failure).toBe('write-refused');
    expect(error.message).toContain(words);
    expect(calls()).toBe('POST');
  });

  it('of a pod that is not there is an error', async () => {
    const { provider } = await script(problem(404, NOT_FOUND));
    expect((await failureOf(provider.start(ID))).failure).toBe('not-found');
  });
});
