/** A compaction made over git, as the store on GitHub's API sees it: no rewind, and nothing else passes for one. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitPast } from '../../../src/adapters/git-past.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { actingOwner } from '../../../src/flows/acting.ts';
import { compact } from '../../../src/flows/compact.ts';
import { ALICE, podIn, register, settle } from '../../domain/registry/record-maker.ts';
import { stage } from '../../flows/stage.ts';
import { type GithubPlace, githubPlace } from './github-place.ts';
import { inBare, tickingClock } from './place-under-test.ts';

let place: GithubPlace;
beforeEach(async () => {
  place = await githubPlace();
});
afterEach(() => place.close());

async function compacted(): Promise<void> {
  const store = place.store();
  await store.submit([register('abc')]);
  const { sweep, version } = await store.read();
  await store.saveSweep({ ...sweep, registryTip: version });
  const past = gitPast({
    remote: place.server.folder,
    scratchFolder: `${place.server.folder}-past`,
    clock: tickingClock(),
    chance: nodeChance(),
    repository: null,
  });
  const acting = actingOwner(ALICE, null);
  await compact({ ...stage().world, registry: store }, { acting, past, reason: 'grown' });
}

it('is no rewind, and writers go on over it', async () => {
  await compacted();
  const store = place.store();
  expect((await store.read()).caution).toEqual([]);
  await store.submit([settle('abc', { note: 'later' })]);
  expect(podIn((await place.store().read()).state).notes).toEqual(['later']);
  expect((await place.store().read()).caution).toEqual([]);
});

it('is one without its archive', async () => {
  await compacted();
  inBare(place.server.folder, ['update-ref', '-d', 'refs/podtrack/archive/1']);
  expect((await place.store().read()).caution.map(({ code }) => code)).toEqual(['rewound']);
});
