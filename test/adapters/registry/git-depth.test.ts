/** How much history a store fetches: the newest commits, and more only where a question needs it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptySweep } from '../../../src/domain/registry/sweep.ts';
import { suiteWith } from '../../components.ts';
import { register } from '../../domain/registry/record-maker.ts';
import { httpPlace, inBare } from './place-under-test.ts';

const REF = 'refs/heads/podtrack';
const LONG = 1200;

suiteWith(['git-http-backend'], 'a registry with a long history, over HTTP', () => {
  let place: Awaited<ReturnType<typeof httpPlace>>;
  beforeEach(async () => {
    place = await httpPlace();
  });
  afterEach(() => place.close());

  const tip = (): string => inBare(place.folder, ['rev-parse', REF]).trim();
  /** Commits of other people, which change one file of theirs. */
  const grow = (commits: number): void => {
    const from = tip();
    const script = Array.from({ length: commits }, (_, index) => {
      const parent = index === 0 ? `from ${from}\n` : '';
      const text = `${index}\n`;
      const who = `committer hand <hand@localhost> ${1_772_535_600 + index} +0000\n`;
      return `commit ${REF}\n${who}data 5\nEdit\n${parent}M 100644 inline notes.txt\ndata ${text.length}\n${text}\n`;
    });
    inBare(place.folder, ['fast-import', '--quiet', '--force', '--date-format=raw'], script.join(''));
  };
  const scratches = (): string[] => {
    const parent = join(place.folder, '..', 'scratch');
    return readdirSync(parent).map((name) => join(parent, name));
  };
  const commitsIn = (scratch: string): number =>
    Number(inBare(scratch, ['rev-list', '--count', '--all']).trim());
  const begun = async (): Promise<string> => {
    await place.store().submit([register('abc')]);
    const reaper = place.store();
    const { version, state } = await reaper.read();
    const sweep = { ...emptySweep(state.meta.registryId), registryTip: version };
    expect(await reaper.saveSweep(sweep)).toBe(true);
    return version ?? '';
  };
  /** Commits that the one store that is opened meanwhile has fetched. */
  const fetchedBy = async (work: () => Promise<unknown>): Promise<number> => {
    const before = new Set(scratches());
    await work();
    const [mine = '', ...others] = scratches().filter((each) => !before.has(each));
    expect(others).toEqual([]);
    return commitsIn(mine);
  };

  it('reads and writes upon its newest commits alone', async () => {
    await begun();
    grow(LONG);
    const sweeper = place.store();
    const { version, state } = await sweeper.read();
    expect(await sweeper.saveSweep({ ...emptySweep(state.meta.registryId), registryTip: version })).toBe(
      true,
    );
    const fetched = await fetchedBy(async () => {
      const store = place.store();
      const snapshot = await store.read();
      expect(snapshot.caution).toEqual([]);
      expect(Object.keys(snapshot.state.pods)).toEqual(['runpod.abc']);
      const { results } = await store.submit([register('def')]);
      expect(results).toMatchObject([{ kind: 'applied' }]);
      expect(Object.keys((await store.read()).state.pods)).toContain('runpod.def');
    });
    expect(fetched).toBeLessThan(100);
    expect(place.commits()).toBe(LONG + 2);
    expect(inBare(place.folder, ['fsck', '--strict', '--no-dangling'])).not.toContain('error');
  });

  it.each([
    ['a few hundred', 300],
    ['more than a thousand', LONG],
  ])(
    'knows the tip of the last sweep behind %s commits, and calls nothing rewound',
    async (_many, commits) => {
      await begun();
      grow(commits);
      const { caution } = await place.store().read();
      expect(caution).toEqual([]);
    },
  );

  it('sees a rewind however long the history is', async () => {
    await begun();
    grow(LONG);
    await begun();
    const swept = tip();
    inBare(place.folder, ['update-ref', REF, `${REF}~${LONG / 2}`]);
    grow(LONG);
    expect((await place.store().read()).caution).toMatchObject([{ code: 'rewound' }]);
    inBare(place.folder, ['update-ref', REF, swept]);
    expect((await place.store().read()).caution).toEqual([]);
  });

  it('finds the last valid version of a damaged file at the very beginning', async () => {
    await begun();
    const [path = ''] = Object.keys(place.files()).filter((name) => name.startsWith('pods/'));
    place.edit(path, '{');
    grow(LONG);
    const { state } = await place.store().read();
    expect(state.quarantined).toMatchObject([{ lastValid: { id: 'abc' } }]);
  });

  it('tells its history from the first commit on', async () => {
    await begun();
    grow(LONG);
    const entries = await place.store().history({ pod: 'abc', limit: 10 });
    expect(entries.map(({ headline }) => headline)).toMatchObject([expect.stringMatching(/register/)]);
  });

  it('is whole where there is little of it', async () => {
    await begun();
    const before = new Set(scratches());
    await place.store().read();
    const [mine = ''] = scratches().filter((each) => !before.has(each));
    expect(existsSync(join(mine, 'shallow'))).toBe(false);
  });
});
