/** Lost answers, refusals and stolen credentials, on a real git server over HTTP. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import { emptySweep } from '../../../src/domain/registry/sweep.ts';
import { suiteWith } from '../../components.ts';
import { podIn, register, settle } from '../../domain/registry/record-maker.ts';
import type { Fault } from './git-http-server.ts';
import { httpPlace, tickingClock } from './place-under-test.ts';

suiteWith(['git-http-backend'], 'a git server that misbehaves', () => {
  let place: Awaited<ReturnType<typeof httpPlace>>;
  beforeEach(async () => {
    place = await httpPlace();
  });
  afterEach(() => place.close());

  const fault = (
    when: Fault['when'],
    what: Fault['what'],
    more: { times?: number; text?: string } = {},
  ): void => {
    place.server.faults.push({ when, what, times: 1, ...more });
  };
  const failed = async (work: Promise<unknown>): Promise<WorldError> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof WorldError)) throw new Error(`no WorldError but ${String(error)}`);
    return error;
  };
  const pushes = (): number =>
    place.server.seen.filter(({ line }) => line === 'POST /git-receive-pack').length;
  const asks = (): number =>
    place.server.seen.filter(({ line }) => line.endsWith('service=git-receive-pack')).length;

  it.each([
    ['whose answer was dropped', 'drop' as const],
    ['that was answered 500 after it landed', 'after' as const],
  ])('a push %s counts once, with its own results', async (_name, what) => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault('push', what);
    const { results, state } = await store.submit([settle('abc', { note: 'seen' })]);
    expect(results).toMatchObject([{ kind: 'applied' }]);
    expect(podIn(state).notes).toEqual(['seen']);
    expect(place.commits()).toBe(2);
  });

  it('the first push of all, its answer dropped, starts one registry only', async () => {
    fault('push', 'drop');
    const { results } = await place.store().submit([register('abc')]);
    expect([results[0]?.kind, place.commits()]).toEqual(['applied', 1]);
  });

  it('a push that was answered 500 before it landed is made again', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault('push', 'before');
    expect((await store.submit([settle('abc', { note: 'seen' })])).results).toMatchObject([
      { kind: 'applied' },
    ]);
    expect([place.commits(), pushes()]).toEqual([2, 3]);
  });

  it('a lost answer that another writer has built upon is found below his commit', async () => {
    const [mine, other] = [place.store(), place.store()];
    await mine.submit([register('abc')]);
    fault('push', 'drop');
    const between = other.read().then(() => undefined);
    const [first] = await Promise.all([mine.submit([settle('abc', { note: 'mine' })]), between]);
    const second = await other.submit([settle('abc', { note: 'his' })]);
    expect(first.results).toMatchObject([{ kind: 'applied' }]);
    expect(podIn(second.state).notes).toEqual(['mine', 'his']);
  });

  it('eight writers whose answers are dropped, doubled or refused lose nothing and double nothing', async () => {
    for (const what of ['drop', 'after', 'before', 'drop', 'after', 'before', 'drop'] as const)
      fault('push', what);
    const work = Array.from({ length: 8 }, async (_, index) => {
      const [store, each] = [place.store(), register(`p${index}`)];
      for (;;) {
        try {
          return (await store.submit([each])).results;
        } catch (error) {
          if (!(error instanceof WorldError && error.retryable)) throw error;
        }
      }
    });
    const kinds = (await Promise.all(work)).map(([result]) => result?.kind);
    for (const kind of kinds) expect(['applied', 'duplicate', 'queued']).toContain(kind);
    await place.store().submit([]);
    const pods = (await place.store().history({ limit: 99 })).flatMap(({ trailers }) =>
      trailers.filter(([name]) => name === 'Podtrack-Pod').map(([, value]) => value),
    );
    expect(pods.sort()).toEqual(Array.from({ length: 8 }, (_, index) => `runpod.p${index}`));
    expect(Object.keys((await place.store().read()).state.pods)).toHaveLength(8);
  }, 60_000);

  it('a server that answers 500 for ever is given up after six tries, and three for the queue: outcome unknown', async () => {
    const store = place.open({ clock: tickingClock() });
    await store.submit([register('abc')]);
    fault('push', 'before', { times: 99 });
    const error = await failed(store.submit([settle('abc', { note: 'seen' })]));
    expect([error.failure, error.retryable, pushes()]).toEqual(['outcome-unknown', true, 10]);
  });

  it('waits out a rate limit, which is a 403 too', async () => {
    const clock = tickingClock();
    const store = place.open({ clock: { ...clock, sleep: async (ms) => void clock.slept.push(ms) } });
    fault('ask', 403, {
      text: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    });
    expect((await store.submit([register('abc')])).results).toMatchObject([{ kind: 'applied' }]);
    expect(clock.slept[0]).toBeGreaterThanOrEqual(60_000);
  });

  it.each([
    [403, 'Permission to acme/ci.git denied to github-actions[bot].', 'write-refused', /contents: write/],
    [400, 'Duplicate header: "Authorization"', 'write-refused', /persist-credentials/],
    [401, 'Bad credentials', 'unauthorized', /valid token/],
    [404, 'Repository not found.', 'write-refused', /address/],
  ])('tries once where %d can never work, and says what to do', async (status, text, failure, next) => {
    fault('ask', status, { text, times: 99 });
    const error = await failed(place.store().submit([register('abc')]));
    expect([error.failure, error.retryable]).toEqual([failure, false]);
    expect(error.message).toMatch(next);
    expect([asks(), pushes()]).toEqual([1, 0]);
  });

  it('a probe meets the same refusal before anything depends on it', async () => {
    fault('ask', 403, { times: 99 });
    expect((await failed(place.store().probeWrite())).failure).toBe('write-refused');
  });

  it('is unreadable, not empty, when it cannot be read', async () => {
    await place.store().submit([register('abc')]);
    fault('read', 503, { times: 99 });
    expect((await failed(place.store().read())).failure).toBe('registry-unreadable');
    expect((await failed(place.store().submit([register('xyz')]))).failure).toBe('registry-unreadable');
    expect(place.commits()).toBe(1);
  });

  it('is read again where a read fails once', async () => {
    await place.store().submit([register('abc')]);
    fault('read', 502);
    fault('read', 'drop');
    expect(Object.keys((await place.store().read()).state.pods)).toEqual(['runpod.abc']);
  });

  it('a state whose answer was dropped is known to have been saved', async () => {
    const store = place.store();
    const { state } = await store.submit([register('abc')]);
    await store.read();
    fault('push', 'drop');
    expect(await store.saveSweep({ ...emptySweep(state.meta.registryId), lastFullSweepAt: 1000 })).toBe(true);
    expect(await store.saveSweep({ ...emptySweep(state.meta.registryId), lastFullSweepAt: 2000 })).toBe(true);
  });

  it('gets exactly one authorization header, and the token appears nowhere else', async () => {
    const token = 'ghs_made-up-token-1234567890';
    const store = place.open({ credential: { username: 'x-access-token', token } });
    await store.submit([register('abc')]);
    const basic = `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    expect(new Set(place.server.seen.map(({ authorization }) => authorization))).toEqual(new Set([basic]));
    fault('ask', 403, { text: 'no', times: 9 });
    const error = await failed(store.submit([settle('abc', { note: 'x' })]));
    const everywhere = [
      store.place,
      error.message,
      JSON.stringify(error),
      JSON.stringify(place.files()),
      JSON.stringify(await store.history({ limit: 9 })),
    ];
    expect(everywhere.join()).not.toMatch(new RegExp(`${token}|${basic.slice(6)}`));
  });
});
