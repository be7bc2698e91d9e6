/** Lost answers, limits and refusals of GitHub, and what its store makes of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorldError } from '../../../src/domain/errors.ts';
import { emptySweep } from '../../../src/domain/registry/sweep.ts';
import { podIn, register, settle } from '../../domain/registry/record-maker.ts';
import { archived, badCredentials, notFound, readOnly, refusal } from '../../github-server/refusals.ts';
import type { Fault, Scripted } from '../../github-server/switches.ts';
import { COMMIT, failureOf, type GithubPlace, githubPlace, READ, swiftClock } from './github-place.ts';
import { tickingClock } from './place-under-test.ts';

let place: GithubPlace;
beforeEach(async () => {
  place = await githubPlace();
});
afterEach(() => place.close());

const fault = (when: string, what: Fault['what'], times = 1): void => {
  place.server.switches.faults.push({ when, what, times });
};
const calls = (label: string): number => place.server.seen.filter((each) => each.label === label).length;

describe('an answer that was lost', () => {
  it.each(['drop', 'after'] as const)(
    '(%s) of a commit: it counts once, with its own results',
    async (what) => {
      const store = place.store();
      await store.submit([register('abc')]);
      fault(COMMIT, what);
      const { results, state } = await store.submit([settle('abc', { note: 'seen' })]);
      expect(results).toMatchObject([{ kind: 'applied' }]);
      expect(podIn(state).notes).toEqual(['seen']);
      expect([place.commits(), calls(COMMIT)]).toEqual([2, 1]);
    },
  );

  it('of the very first commit: one registry is started', async () => {
    fault('POST git/refs', 'drop');
    const { results } = await place.store().submit([register('abc')]);
    expect([results[0]?.kind, place.commits()]).toEqual(['applied', 1]);
  });

  it('is found below what others have built upon it, twenty commits and more', async () => {
    const [mine, other] = [place.open({ clock: slowed(() => others()) }), place.store()];
    const others = async (): Promise<void> => {
      for (let index = 0; index < 25; index += 1) await other.submit([settle('abc', { note: `n${index}` })]);
    };
    await mine.submit([register('abc')]);
    fault(COMMIT, 'drop');
    const { results } = await mine.submit([settle('abc', { note: 'mine' })]);
    expect(results).toMatchObject([{ kind: 'applied' }]);
    expect(place.commits()).toBe(27);
  });

  it('of a commit that was never made: it is made again', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault(COMMIT, 'before');
    fault(COMMIT, 'cut');
    expect((await store.submit([settle('abc', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
    expect([place.commits(), calls(COMMIT)]).toEqual([2, 3]);
  });

  it('for ever: queued after six tries; where the queue is as deaf, given up, outcome unknown', async () => {
    const store = place.open({ clock: swiftClock() });
    await store.submit([register('abc')]);
    fault(COMMIT, 'before', 99);
    const { results } = await store.submit([settle('abc', { note: 'x' })]);
    expect([results[0]?.kind, calls(COMMIT)]).toEqual(['queued', 6]);
    fault('graphql updateRefs', 'before', 99);
    fault('POST git/refs', 'before', 99);
    const error = await failureOf(store.submit([settle('abc', { note: 'y' })]));
    expect([error.failure, error.retryable]).toEqual(['outcome-unknown', true]);
  });

  it('of the last try of six: it is found all the same', async () => {
    const store = place.open({ clock: swiftClock() });
    await store.submit([register('abc')]);
    fault(COMMIT, 'before', 5);
    fault(COMMIT, 'drop');
    expect((await store.submit([settle('abc', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
  });

  it('of a proof: it is not made twice', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault(COMMIT, 'drop');
    await place.store().probeWrite();
    expect(place.commits()).toBe(2);
  });

  it.each([true, false])(
    'of a saved state: it is known to have been saved (updateRefs: %s)',
    async (knows) => {
      place.server.switches.commitMutations = knows;
      const store = place.store();
      const { state } = await store.submit([register('abc')]);
      await store.read();
      fault(knows ? 'graphql updateRefs' : 'POST git/refs', 'drop');
      const sweep = emptySweep(state.meta.registryId);
      expect(await store.saveSweep({ ...sweep, lastFullSweepAt: 1000 })).toBe(true);
      expect(await store.saveSweep({ ...sweep, lastFullSweepAt: 2000 })).toBe(true);
    },
  );

  it('to eight writers, or doubled, or refused: nothing is lost and nothing doubled', async () => {
    await place.store().submit([register('first')]);
    for (const what of ['drop', 'after', 'before', 'cut', 'drop', 'after', 'drop'] as const)
      fault(COMMIT, what);
    fault(READ, 'before');
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
    expect(pods.sort()).toEqual([
      'runpod.first',
      ...Array.from({ length: 8 }, (_, index) => `runpod.p${index}`),
    ]);
    expect((await place.store().read()).state.meta.seq).toBe(place.commits());
  }, 60_000);
});

/** A clock that lets `work` happen during the first sleep. */
function slowed(work: () => Promise<void>): ReturnType<typeof tickingClock> {
  const clock = tickingClock();
  let done = false;
  return {
    ...clock,
    async sleep(durationMs) {
      if (!done) {
        done = true;
        await work();
      }
      await clock.sleep(durationMs);
    },
  };
}

describe('a limit', () => {
  it('on writing is waited out for as long as GitHub says', async () => {
    await place.close();
    const clock = swiftClock();
    place = await githubPlace({ now: () => clock.now() });
    const store = place.open({ clock });
    await store.submit([register('abc')]);
    place.server.switches.contentPerMinute = 3;
    for (const note of ['a', 'b']) await store.submit([settle('abc', { note })]);
    place.server.switches.contentPerMinute = 1;
    expect((await store.submit([settle('abc', { note: 'c' })])).results).toMatchObject([{ kind: 'applied' }]);
    const longest = Math.max(...clock.slept);
    expect([longest > 50_000, longest < 90_000]).toEqual([true, true]);
  });

  it.each(['rest', 'graphql'] as const)('of the hour (%s) is waited out where that is soon', async (kind) => {
    await place.close();
    const clock = swiftClock();
    place = await githubPlace({ now: () => clock.now() });
    const store = place.open({ clock });
    Object.assign(place.server.switches[kind], { limit: 50, used: 50, resetAt: clock.now() + 40_000 });
    expect((await store.submit([register('abc')])).results).toMatchObject([{ kind: 'applied' }]);
    expect(clock.slept.some((each) => each >= 40_000 && each < 50_000)).toBe(true);
  });

  it('of the hour is told at once where it is far, and nothing was written', async () => {
    await place.close();
    const clock = swiftClock();
    place = await githubPlace({ now: () => clock.now() });
    const store = place.open({ clock });
    await store.submit([register('abc')]);
    Object.assign(place.server.switches.graphql, { limit: 50, used: 50, resetAt: clock.now() + 1_800_000 });
    const error = await failureOf(store.submit([settle('abc', { note: 'x' })]));
    expect([error.failure, error.retryable, clock.slept]).toEqual(['rate-limited', true, []]);
    expect(error.message).toMatch(/Try again in 180\d s/);
    expect((await failureOf(store.read())).failure).toBe('registry-unreadable');
    expect(place.commits()).toBe(1);
  });
});

const rules = (message: string): Scripted => ({
  status: 200,
  body: { data: { createCommitOnBranch: null }, errors: [{ type: 'UNPROCESSABLE', message }] },
});

describe('what can never work is tried once, and said with what to do', () => {
  const tried = async (what: Fault['what'], failure = 'write-refused'): Promise<WorldError> => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault(COMMIT, what, 99);
    const error = await failureOf(store.submit([settle('abc', { note: 'x' })]));
    expect([error.failure, error.retryable, calls(COMMIT)]).toEqual([failure, false, 1]);
    return error;
  };

  it.each([
    ['a token that may only read', readOnly(), /contents: write/],
    ['an archived repository', archived(), /Unarchive/],
    [
      'single sign-on',
      refusal(403, 'Resource protected by organization SAML enforcement.'),
      /Authorise the token/,
    ],
    [
      'a list of addresses',
      refusal(
        403,
        'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled',
      ),
      /allow list/,
    ],
    [
      'a secret that it found',
      rules('Repository rule violations found\n\nSecret detected in content'),
      /Look for a secret/,
    ],
  ])('%s', async (_name, what, next) => {
    expect((await tried(what)).message).toMatch(next);
  });

  it('bad credentials, which another credential may follow', async () => {
    expect((await tried(badCredentials(), 'unauthorized')).message).toMatch(/valid token/);
  });

  it.each(['rules', 'mute', 'classic'] as const)(
    'a guarded branch (%s), by mutation and by REST',
    async (how) => {
      await place.store().submit([register('abc')]);
      place.server.switches.guarded = { refs: /podtrack/, how };
      const refused = async (): Promise<WorldError> =>
        failureOf(place.store().submit([settle('abc', { note: 'x' })]));
      const next = how === 'classic' ? /protection rule/ : /ruleset/;
      const byMutation = await refused();
      place.server.switches.commitMutations = false;
      const byRest = await refused();
      expect([byMutation.failure, byRest.failure]).toEqual(['write-refused', 'write-refused']);
      expect([byMutation.message, byRest.message]).toEqual([
        expect.stringMatching(next),
        expect.stringMatching(next),
      ]);
      expect([calls(COMMIT), calls('PATCH git/refs')]).toEqual([2, 1]);
      const sweeper = place.store();
      const { state } = await sweeper.read();
      await expect(sweeper.saveSweep(emptySweep(state.meta.registryId))).rejects.toThrow(next);
    },
  );

  it('a read-only token, before anything depends on it', async () => {
    place.server.switches.tokens.set('ghs_reader', 'read');
    const error = await failureOf(place.open({ token: 'ghs_reader' }).probeWrite());
    expect([error.failure, error.retryable]).toEqual(['write-refused', false]);
  });

  const UNRESOLVED = {
    status: 200,
    body: {
      data: { createCommitOnBranch: null },
      errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a Repository with the name.' }],
    },
  };

  it('"not found" for writing only: the token may read and not write, and is told which right it lacks', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault(COMMIT, UNRESOLVED, 99);
    const error = await failureOf(store.submit([settle('abc', { note: 'x' })]));
    expect([error.failure, calls(COMMIT)]).toEqual(['write-refused', 2]);
    expect(error.message).toMatch(/contents: write/);
  });

  it('an address that knows no mutations is written to by REST, where such a token is told the same', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    fault(COMMIT, notFound(), 99);
    expect((await store.submit([settle('abc', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
    fault('POST git/trees', notFound(), 99);
    const error = await failureOf(store.submit([settle('abc', { note: 'y' })]));
    expect([error.failure, calls(COMMIT)]).toEqual(['write-refused', 1]);
    expect(error.message).toMatch(/contents: write/);
  });
});
