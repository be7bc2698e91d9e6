/** Trees with what is no file where records should lie: told, never followed, and never taken for "no records". */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podPath } from '../../../src/domain/registry/layout.ts';
import { suiteWith } from '../../components.ts';
import { podIn, register, settle, sha256 } from '../../domain/registry/record-maker.ts';
import { githubPlace } from './github-place.ts';
import { httpPlace, inBare, type Place, pathPlace } from './place-under-test.ts';

const REF = 'refs/heads/podtrack';
const PATH = podPath('runpod.abc', sha256);
const [PODS, SHARD = '', FILE = ''] = PATH.split('/');
const OTHER = podPath('runpod.xyz', sha256);

type Entry = { readonly mode: '100644' | '100755' | '120000' | '160000' | '040000'; readonly text: string };
type Bare = Place & { readonly bare: string };

/** The tree with `entry` at `path`, whatever lay there, made without the checks that git's index has. */
function put(bare: string, path: string, entry: Entry): void {
  const git = (args: string[], input = ''): string => inBare(bare, args, input).trim();
  const oidOf = ({ mode, text }: Entry): string => {
    if (mode === '160000') return 'a'.repeat(40);
    const blob = git(['hash-object', '-w', '--stdin'], text);
    return mode === '040000' ? git(['mktree'], `100644 blob ${blob}\tinner.json\n`) : blob;
  };
  const typeOf = (mode: string): string =>
    mode === '160000' ? 'commit' : mode === '040000' ? 'tree' : 'blob';
  const bend = (tree: string | null, [name = '', ...rest]: readonly string[]): string => {
    const rows = tree === null ? [] : git(['ls-tree', tree]).split('\n');
    const below = rows.find((row) => row.endsWith(`\t${name}`))?.split(/[ \t]/)[2] ?? null;
    const others = rows.filter((row) => row !== '' && !row.endsWith(`\t${name}`));
    const mine =
      rest.length === 0
        ? `${entry.mode} ${typeOf(entry.mode)} ${oidOf(entry)}\t${name}`
        : `040000 tree ${bend(below, rest)}\t${name}`;
    return git(['mktree', '--missing'], `${[...others, mine].join('\n')}\n`);
  };
  const tree = bend(`${REF}^{tree}`, path.split('/'));
  git(['update-ref', REF, git(['commit-tree', '-p', REF, '-m', 'Edit by hand', tree])]);
}

const WAYS: readonly (readonly [string, () => Promise<Bare>])[] = [
  [
    'a path',
    async () => {
      const place = await pathPlace();
      return { ...place, bare: place.folder };
    },
  ],
  [
    'HTTP',
    async () => {
      const place = await httpPlace();
      return { ...place, bare: place.folder };
    },
  ],
  [
    'the API',
    async () => {
      const place = await githubPlace();
      return { ...place, bare: place.server.folder };
    },
  ],
];

suiteWith(['git-http-backend'], 'a tree by another hand', () => {
  describe.each(WAYS)('over %s', (_way, makePlace) => {
    let place: Bare;
    beforeEach(async () => {
      place = await makePlace();
      await place.store().submit([register('abc'), register('xyz')]);
    });
    afterEach(() => place.close());

    it.each<[string, Entry, RegExp]>([
      ['a link in place of a record', { mode: '120000', text: '/etc/passwd' }, /symbolic link/],
      ['a link to another record', { mode: '120000', text: `../../${OTHER}` }, /symbolic link/],
      ['a submodule in place of a record', { mode: '160000', text: '' }, /submodule/],
      ['a folder in place of a record', { mode: '040000', text: '{}' }, /folder where a record/],
    ])(
      '%s is told, the record counts as it was, and the next op on it heals it',
      async (_what, entry, problem) => {
        put(place.bare, PATH, entry);
        const { state, caution } = await place.store().read();
        expect(Object.keys(state.pods)).toEqual(['runpod.xyz']);
        const file = state.quarantined.find((each) => each.path === PATH);
        expect(file).toMatchObject({ lastValid: { id: 'abc', status: 'active' } });
        expect(file?.problem).toMatch(problem);
        expect(caution.map(({ code }) => code)).toContain('damaged');
        expect((await place.store().submit([settle('xyz', { note: 'goes on' })])).results).toMatchObject([
          { kind: 'applied' },
        ]);
        expect((await place.store().submit([settle('abc', { note: 'healed' })])).results).toMatchObject([
          { kind: 'applied' },
        ]);
        const healed = await place.store().read();
        expect([podIn(healed.state).notes, healed.state.quarantined]).toEqual([['healed'], []]);
      },
    );

    it.each<[string, string, Entry]>([
      ['a link in place of a folder', `${PODS}/${SHARD}`, { mode: '120000', text: '../elsewhere' }],
      ['a submodule in place of a folder', `${PODS}/${SHARD}`, { mode: '160000', text: '' }],
      ['a file in place of a folder', `${PODS}/${SHARD}`, { mode: '100644', text: '{}' }],
      ['a link in place of all of them', 'pods', { mode: '120000', text: '/' }],
      ['a submodule in place of all of them', 'pods', { mode: '160000', text: '' }],
      ['a file in place of all of them', 'pods', { mode: '100644', text: '' }],
    ])('%s is told: what it hides is not taken for nothing', async (_what, path, entry) => {
      put(place.bare, path, entry);
      const { state, caution } = await place.store().read();
      expect(state.quarantined).toMatchObject([
        { path, problem: expect.stringMatching(/where a folder of records should lie/) },
      ]);
      expect(caution.map(({ code }) => code)).toContain('damaged');
    });

    it('an executable record is a record', async () => {
      put(place.bare, PATH, { mode: '100755', text: place.files()[PATH] ?? '' });
      const { state } = await place.store().read();
      expect([Object.keys(state.pods).length, state.quarantined]).toEqual([2, []]);
    });

    it('a link, or a submodule, in place of meta.json is told, and the registry keeps its id', async () => {
      const { state: before } = await place.store().read();
      for (const mode of ['120000', '160000'] as const) {
        put(place.bare, 'meta.json', { mode, text: 'README.md' });
        const { state } = await place.store().read();
        expect(state.meta.registryId).toBe(before.meta.registryId);
        expect(state.quarantined).toMatchObject([{ path: 'meta.json', problem: 'missing' }]);
      }
      await place.store().submit([settle('abc', { note: 'healed' })]);
      expect((await place.store().read()).state.quarantined).toEqual([]);
    });

    it('names that lead upwards are read as nothing, and nothing is written by them', async () => {
      const evil = place.files()[PATH] ?? '';
      put(place.bare, `pods/../${FILE}`, { mode: '100644', text: evil });
      put(place.bare, `../${FILE}`, { mode: '100644', text: evil });
      const { state } = await place.store().read();
      expect(Object.keys(state.pods).sort()).toEqual(['runpod.abc', 'runpod.xyz']);
      await place.store().submit([settle('xyz', { note: 'goes on' })]);
      for (const where of ['..', '../..', '.']) expect(existsSync(join(place.bare, where, FILE))).toBe(false);
      expect(podIn((await place.store().read()).state, 'xyz').notes).toEqual(['goes on']);
    });
  });
});
