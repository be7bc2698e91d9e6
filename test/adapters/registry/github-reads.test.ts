/** What GitHub does not tell, tells late, in parts or under another name, and what its store makes of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptySweep, NO_SIGHTINGS } from '../../../src/domain/registry/sweep.ts';
import { endOf, podIn, register, settle } from '../../domain/registry/record-maker.ts';
import { notFound, readOnly } from '../../github-server/refusals.ts';
import { type Fault, TOKEN } from '../../github-server/switches.ts';
import { COMMIT, failureOf, type GithubPlace, githubPlace, READ, swiftClock } from './github-place.ts';

let place: GithubPlace;
beforeEach(async () => {
  place = await githubPlace();
});
afterEach(() => place.close());

const fault = (when: string, what: Fault['what'], times = 1): void => {
  place.server.switches.faults.push({ when, what, times });
};
const calls = (label: string): number => place.server.seen.filter((each) => each.label === label).length;

describe('what cannot be read', () => {
  it('is unreadable, not empty', async () => {
    await place.store().submit([register('abc')]);
    fault(READ, 'before', 99);
    expect((await failureOf(place.store().read())).failure).toBe('registry-unreadable');
    expect((await failureOf(place.store().submit([register('xyz')]))).failure).toBe('registry-unreadable');
    expect(place.commits()).toBe(1);
  });

  it.each([
    ['half an answer', { status: 200, body: { data: { repository: { id: 'R_1' } } } }],
    ['an answer without data', { status: 200, body: { data: null } }],
    ['a page', { status: 200, body: '<html>Unicorn!</html>' }],
    [
      'a tree too wide to be told',
      { status: 200, body: { data: { repository: { id: 'R', registry: { target: {} }, state: null } } } },
    ],
  ])('%s is not taken for an empty registry', async (_name, what) => {
    await place.store().submit([register('abc')]);
    fault(READ, what, 99);
    expect((await failureOf(place.store().read())).failure).toBe('registry-unreadable');
  });

  it('once is read again', async () => {
    await place.store().submit([register('abc')]);
    for (const what of ['before', 'cut'] as const) fault(READ, what);
    expect(Object.keys((await place.store().read()).state.pods)).toEqual(['runpod.abc']);
  });

  it('a repository that does not exist is told as that', async () => {
    const error = await failureOf(place.open({ repo: 'other' }).read());
    expect([error.failure, error.retryable]).toEqual(['registry-unreadable', false]);
    expect(error.message).toMatch(/owner and name/);
  });
});

describe('a replica that lags', () => {
  it('does not make the own write look rewound', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    place.server.switches.staleReads = 2;
    const { version } = await store.submit([settle('abc', { note: 'x' })]);
    const snapshot = await store.read();
    expect([snapshot.version, snapshot.caution.map(({ code }) => code)]).toEqual([
      version,
      ['sweep-missing'],
    ]);
  });

  it('does not make the new branch look deleted', async () => {
    const store = place.store();
    place.server.switches.staleReads = 2;
    const { version } = await store.submit([register('abc')]);
    expect((await store.read()).version).toBe(version);
  });

  it('does not get an op refused that the branch would take', async () => {
    await place.store().submit([register('abc')]);
    place.server.switches.staleReads = 1;
    await place.store().submit([register('xyz')]);
    const { results } = await place.store().submit([settle('xyz', { note: 'x' })]);
    expect(results).toMatchObject([{ kind: 'applied' }]);
  });

  it('costs a writer tries and nothing else', async () => {
    const [mine, other] = [place.store(), place.store()];
    await mine.submit([register('abc')]);
    place.server.switches.staleReads = 2;
    await other.submit([settle('abc', { note: 'his' })]);
    const { state } = await mine.submit([settle('abc', { note: 'mine' })]);
    expect(podIn(state).notes).toEqual(['his', 'mine']);
  });
});

describe('size', () => {
  it('a registry too large for one answer is read in parts', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `p${index}`);
    await place.store().submit(ids.map((id) => register(id)));
    place.server.switches.blobsPerQuery = 250;
    const store = place.store();
    const before = calls(READ);
    expect(Object.keys((await store.read()).state.pods)).toHaveLength(300);
    expect(calls(READ) - before).toBe(4);
    await place.store().submit([settle('p7', { note: 'x' })]);
    const later = calls(READ);
    expect(podIn((await store.read()).state, 'p7').notes).toEqual(['x']);
    expect(calls(READ) - later).toBe(2);
  }, 60_000);

  it('a ledger whose text is cut is fetched whole before a row is added to it', async () => {
    await place.store().submit([register('abc'), register('xyz')]);
    await place.store().submit([settle('abc', { end: endOf('terminated') })]);
    const path = 'ledger/2026/03/03.jsonl';
    const rows = `${JSON.stringify({ pod: 'runpod.old', filler: 'x'.repeat(1000) })}\n`.repeat(50);
    place.edit(path, rows);
    place.server.switches.blobTextBytes = 40_000;
    await place.store().submit([settle('xyz', { end: endOf('lost') })]);
    const kept = place.files()[path] ?? '';
    expect([kept.startsWith(rows), kept.trimEnd().split('\n').length]).toEqual([true, 51]);
  });

  it('a state whose text is cut is fetched whole', async () => {
    const store = place.store();
    const { state } = await store.submit([register('abc')]);
    place.server.switches.blobTextBytes = 40_000;
    await store.read();
    const pods = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `runpod.p${index}`,
        { ...NO_SIGHTINGS, rearmFailures: index },
      ]),
    );
    expect(await store.saveSweep({ ...emptySweep(state.meta.registryId), pods })).toBe(true);
    expect((await place.store().read()).sweep.pods).toEqual(pods);
  });

  it('a record whose text is cut is damaged, and the others go on', async () => {
    await place.store().submit([register('abc'), register('xyz')]);
    const path = Object.keys(place.files()).find((each) => each.endsWith('runpod.abc.json')) ?? '';
    place.edit(path, `${place.files()[path]?.trimEnd().slice(0, -1)}, "filler": "${'x'.repeat(600_000)}"}`);
    const { state } = await place.store().read();
    expect(Object.keys(state.pods)).toEqual(['runpod.xyz']);
    expect(state.quarantined).toMatchObject([{ path, lastValid: { id: 'abc' } }]);
  });

  it('a folder where a record should lie is told, and nothing in it is taken for one', async () => {
    await place.store().submit([register('abc')]);
    place.edit('pods/00/deep/runpod.hidden.json', '{}');
    const { state } = await place.store().read();
    expect(state.quarantined).toMatchObject([{ path: 'pods/00/deep', lastValid: null }]);
  });
});

describe('a repository', () => {
  it('that was renamed is found under its new name', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    place.server.rename('acme/infra');
    expect((await store.submit([settle('abc', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
    expect(podIn((await place.store().read()).state).notes).toEqual(['x']);
  });

  it('without any commit is started by the registry itself', async () => {
    await place.close();
    place = await githubPlace({ empty: true });
    const store = place.store();
    expect((await store.read()).version).toBeNull();
    expect((await store.submit([register('abc')])).results).toMatchObject([{ kind: 'applied' }]);
    const { state } = await place.store().read();
    expect([Object.keys(state.pods), state.meta.seq, place.commits()]).toEqual([['runpod.abc'], 2, 2]);
  });

  it('without any commit, where that is refused, is told to get one', async () => {
    await place.close();
    place = await githubPlace({ empty: true });
    fault('PUT contents', notFound(), 9);
    await expect(place.store().submit([register('abc')])).rejects.toThrow(/Push a first commit/);
  });

  it('where five start the registry at once gets one', async () => {
    // One of them wins each round and each may try six times: no more than six are sure to get through.
    const work = Array.from({ length: 5 }, (_, index) => place.store().submit([register(`p${index}`)]));
    const ids = (await Promise.all(work)).map(({ state }) => state.meta.registryId);
    expect(new Set(ids).size).toBe(1);
    expect(Object.keys((await place.store().read()).state.pods)).toHaveLength(5);
  });
});

describe('manners', () => {
  it('a look is one call, a write to a known head one more', async () => {
    await place.store().submit([register('abc')]);
    const before = place.server.seen.length;
    const store = place.store();
    await store.read();
    await store.submit([settle('abc', { note: 'x' })]);
    expect(place.server.seen.slice(before).map(({ label }) => label)).toEqual([READ, COMMIT]);
  });

  it('in a hurry five lost races cost less than a second of waiting', async () => {
    const clock = swiftClock();
    const store = place.open({ clock, hurry: true });
    await store.submit([register('abc')]);
    const stale = {
      status: 200,
      body: {
        data: { createCommitOnBranch: null },
        errors: [
          {
            type: 'STALE_DATA',
            message: 'Expected branch to point to "x" but it did not.  Pull and try again.',
          },
        ],
      },
    };
    fault(COMMIT, stale, 5);
    expect((await store.submit([settle('abc', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
    expect(clock.slept).toHaveLength(5);
    expect(clock.slept.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1000);
  });

  it('every request names the version and us, and the token is in its header and nowhere else', async () => {
    const store = place.open({ userAgent: 'podtrack/0.1.0 (test)' });
    await store.submit([register('abc')]);
    fault(COMMIT, readOnly(), 9);
    const error = await failureOf(store.submit([settle('abc', { note: 'x' })]));
    for (const { headers } of place.server.seen) {
      expect(headers['x-github-api-version']).toBe('2022-11-28');
      expect(headers['user-agent']).toMatch(/^podtrack\/0\.1\.0 \(test\)/);
      expect(headers.authorization).toBe(`token ${TOKEN}`);
    }
    const everywhere = [
      store.place,
      error.message,
      JSON.stringify(error),
      JSON.stringify(place.files()),
      JSON.stringify(await store.history({ limit: 9 })),
      place.server.seen.map(({ body }) => body).join(),
    ];
    expect(everywhere.join()).not.toContain(TOKEN);
  });

  it.each([
    ['owner', { owner: 'acme/../x' }],
    ['name', { repo: '..' }],
    ['token', { token: ' ' }],
    ['address', { apiUrl: 'ftp://api.example' }],
    ['address with credentials', { graphqlUrl: 'https://user:word@api.example/graphql' }],
  ])('an unusable %s is refused before anything is asked', (_name, over) => {
    expect(() => place.open(over)).toThrow(expect.objectContaining({ name: 'ConfigError' }));
    expect(place.server.seen).toEqual([]);
  });
});
