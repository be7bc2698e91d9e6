/** The past of a registry in git: replay, events and history over real commits, and over a compaction. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitPast } from '../../../src/adapters/git-past.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { eventsOf } from '../../../src/domain/registry/events.ts';
import { actingOwner } from '../../../src/flows/acting.ts';
import { compact } from '../../../src/flows/compact.ts';
import { replay } from '../../../src/flows/replay.ts';
import type { RegistryPast, RegistryStore } from '../../../src/ports.ts';
import { ALICE, PERSON, podIn, register, settle } from '../../domain/registry/record-maker.ts';
import { cycles, ours, type Stage, stage, verdicts } from '../../flows/stage.ts';
import { type GitPlace, httpPlace, inBare, pathPlace, tickingClock } from './place-under-test.ts';

function pastOf({ folder }: GitPlace, remote: string): RegistryPast {
  return gitPast({
    remote,
    scratchFolder: `${folder}-past`,
    clock: tickingClock(),
    chance: nodeChance(),
    repository: null,
  });
}

const key = (at: string) => ({ key: at });
const acting = { ...actingOwner(ALICE, null), actor: PERSON };

let place: GitPlace;
let store: RegistryStore;
let past: RegistryPast;

describe('the past of a registry on this machine', () => {
  beforeEach(async () => {
    place = await pathPlace();
    store = place.store();
    past = pastOf(place, place.folder);
  });
  afterEach(() => place.close());

  const world = (on: Stage) => ({ ...on.world, registry: store });

  it('replays what a reaper committed: each verdict comes out again, bit for bit', async () => {
    const on = stage();
    const real: Stage = { ...on, world: world(on) };
    await ours(real, 'idler');
    await ours(real, 'worker', { switched: { util: '97' } });
    const last = await cycles(real, 5);
    expect(verdicts(last)).toMatchObject({ worker: 'gpu-busy' });
    const told = eventsOf(await past.log({ limit: 1000 }));
    const judged = [
      ...new Set(told.filter(({ op }) => op === 'settle' || op === 'fence').map((of) => of.version)),
    ];
    const replayed = [];
    for (const version of judged) {
      const found = await replay({ past, chance: nodeChance() }, version.slice(0, 12)).catch(() => null);
      if (found !== null) replayed.push(...found.pods);
    }
    expect(replayed.map(({ recorded }) => recorded.reason)).toEqual(
      expect.arrayContaining(['gpu-busy', 'idle-counting', 'idle']),
    );
    expect(replayed.filter((of) => of.replayed.kind !== 'asked' || !of.replayed.same)).toEqual([]);
  });

  it('tells another verdict where the file was bent by hand', async () => {
    const on = stage();
    const real: Stage = { ...on, world: world(on) };
    await ours(real, 'idler');
    await cycles(real, 1);
    const path = Object.keys(place.files()).find((each) => each.includes('idler')) ?? '';
    const bent = (place.files()[path] ?? '')
      .replace('"strikes": 1', '"strikes": 3')
      .replace(/"rev": \d+,\n {2}"rules/, '"rev": 99,\n  "rules');
    expect(bent).toContain('"strikes": 3');
    place.edit(path, bent);
    const message = 'bent\n\nPodtrack-Op: settle pod=runpod.idler\nPodtrack-Pod: runpod.idler';
    const git = (...args: readonly string[]): string => inBare(place.folder, args).trim();
    const parent = git('rev-parse', 'refs/heads/podtrack~1');
    const forged = git('commit-tree', '-p', parent, '-m', message, 'refs/heads/podtrack^{tree}');
    git('update-ref', 'refs/heads/podtrack', forged);
    const [found] = (await replay({ past, chance: nodeChance() }, forged)).pods;
    expect(found).toMatchObject({
      pod: 'idler',
      recorded: { evidence: { strikes: 3 } },
      replayed: { kind: 'asked', same: false, recomputed: { evidence: { strikes: 1 } } },
    });
  });

  it('refuses a commit that is none of this registry, whatever it is called', async () => {
    await store.submit([register('abc')]);
    const tree = inBare(place.folder, ['mktree'], '').trim();
    const stranger = inBare(place.folder, ['commit-tree', '-m', 'elsewhere', tree]).trim();
    for (const id of [stranger, 'HEAD', '--all', 'refs/heads/podtrack', 'abcd', '']) {
      await expect(replay({ past, chance: nodeChance() }, id)).rejects.toMatchObject({ input: 'commit' });
    }
  });

  it.each([
    [
      'without its archive',
      (folder: string) => inBare(folder, ['update-ref', '-d', 'refs/podtrack/archive/1']),
    ],
    [
      'whose archive is another commit',
      (folder: string) => {
        const tree = inBare(folder, ['mktree'], '').trim();
        const other = inBare(folder, ['commit-tree', '-m', 'other', tree]).trim();
        inBare(folder, ['update-ref', 'refs/podtrack/archive/1', other]);
      },
    ],
    [
      'that has lost a record',
      (folder: string) => {
        const message = inBare(folder, ['log', '-1', '--format=%B', 'refs/heads/podtrack']);
        const kept = inBare(folder, ['ls-tree', 'refs/heads/podtrack'])
          .split('\n')
          .filter((line) => !line.endsWith('\tpods') && line !== '');
        const tree = inBare(folder, ['mktree'], `${kept.join('\n')}\n`).trim();
        const root = inBare(folder, ['commit-tree', tree], message).trim();
        inBare(folder, ['update-ref', 'refs/heads/podtrack', root]);
      },
    ],
    [
      'without the trailer',
      (folder: string) => {
        const root = inBare(folder, ['commit-tree', '-m', 'start', 'refs/heads/podtrack^{tree}']).trim();
        inBare(folder, ['update-ref', 'refs/heads/podtrack', root]);
      },
    ],
  ])('a beginning %s is a rewind', async (_says, bend) => {
    await store.submit([register('abc')]);
    const { sweep, version } = await store.read();
    await store.saveSweep({ ...sweep, registryTip: version });
    await compact({ ...stage().world, registry: store }, { acting, past, reason: 'grown' });
    bend(place.folder);
    expect((await place.store().read()).caution.map(({ code }) => code)).toContain('rewound');
  });

  it('a branch that was put back to before the compaction, or to its first commit, is a rewind', async () => {
    await store.submit([register('abc')]);
    const { version: old } = await store.read();
    const { version: root } = await compact(
      { ...stage().world, registry: store },
      { acting, past, reason: 'grown' },
    );
    await store.submit([settle('abc', { note: 'later' })]);
    const { sweep, version } = await store.read();
    await store.saveSweep({ ...sweep, registryTip: version });
    for (const back of [root, old ?? '']) {
      inBare(place.folder, ['update-ref', 'refs/heads/podtrack', back]);
      expect((await place.store().read()).caution.map(({ code }) => code)).toContain('rewound');
    }
  });

  it('loses the race to a writer as a whole: neither ref moves', async () => {
    await store.submit([register('abc')]);
    const { version: tip } = await store.read();
    await place.store().submit([settle('abc', { note: 'meanwhile' })]);
    const wish = { tip: tip ?? '', archive: 'refs/podtrack/archive/1', meta: '{}', message: 'x' };
    expect(await past.compact(wish)).toEqual({ kind: 'lost-race' });
    expect(inBare(place.folder, ['for-each-ref', '--format=%(refname)']).trim()).toBe('refs/heads/podtrack');
  });

  it('is refused while a file is damaged', async () => {
    await store.submit([register('abc')]);
    const path = Object.keys(place.files()).find((each) => each.startsWith('pods/')) ?? '';
    place.edit(path, '{');
    const registry = place.store();
    await expect(
      compact({ ...stage().world, registry }, { acting, past, reason: 'x' }),
    ).rejects.toMatchObject({
      gate: 'registry-in-doubt',
    });
  });

  it('leaves out what was committed before a moment', async () => {
    await store.submit([register('abc')]);
    const [first] = await past.log({ limit: 1 });
    await store.submit([settle('abc', { note: 'later' })]);
    const all = await past.log({ limit: 9, sinceAt: first?.at ?? 0 });
    expect(all.length).toBe(2);
    expect(await past.log({ limit: 9, sinceAt: (all[1]?.at ?? 0) + 3_600_000 })).toEqual([]);
  });
});

describe.each(['path', 'http'] as const)('a compaction over %s', (kind) => {
  beforeEach(async () => {
    if (kind === 'http') {
      const made = await httpPlace();
      [place, past] = [made, pastOf(made, made.server.url)];
    } else {
      place = await pathPlace();
      past = pastOf(place, place.folder);
    }
    store = place.store();
  });
  afterEach(() => place.close());

  it('starts the branch anew and loses nothing: history, versions and events go on over it', async () => {
    await store.submit([register('abc', key('k1'))]);
    await store.submit([settle('abc', { note: 'one', ...key('k2') })]);
    const before = await store.read();
    const { version, archive, previous } = await compact(
      { ...stage().world, registry: store },
      { acting, past, reason: 'grown' },
    );
    expect(previous).toBe(before.version);
    expect(inBare(place.folder, ['rev-parse', archive]).trim()).toBe(previous);
    expect(inBare(place.folder, ['rev-list', '--count', 'refs/heads/podtrack']).trim()).toBe('1');

    const after = await store.read();
    expect(after.caution.map(({ code }) => code)).not.toContain('rewound');
    expect(after).toMatchObject({ version, state: { meta: { seq: 3, epoch: 1 } } });
    expect(after.state.pods).toEqual(before.state.pods);
    await store.submit([settle('abc', { note: 'two', ...key('k3') })]);
    expect(podIn((await place.store().read()).state).notes).toEqual(['one', 'two']);

    expect((await past.log({ limit: 10 })).map(({ headline }) => headline.split(' ')[0])).toEqual([
      'register',
      'settle',
      'compact',
      'settle',
    ]);
    expect((await past.log({ limit: 2 })).map(({ headline }) => headline.split(' ')[0])).toEqual([
      'compact',
      'settle',
    ]);
    expect((await past.log({ limit: 10, pod: 'abc' })).length).toBe(3);
    expect(eventsOf(await past.log({ limit: 10 })).map(({ op, seq }) => [op, seq])).toEqual([
      ['register', 1],
      ['settle', 2],
      ['compact', 3],
      ['settle', 4],
    ]);
    const path = Object.keys(place.files()).find((each) => each.startsWith('pods/')) ?? '';
    const tip = inBare(place.folder, ['rev-parse', 'refs/heads/podtrack']).trim();
    expect((await past.versions(path, tip)).length).toBe(4);

    const again = await compact({ ...stage().world, registry: store }, { acting, past, reason: 'again' });
    expect(again.archive).toBe('refs/podtrack/archive/2');
    expect((await past.log({ limit: 10 })).length).toBe(5);
  });

  it('a sweep that saw the old tip takes the compaction for no rewind, in another process too', async () => {
    await store.submit([register('abc')]);
    const { sweep, version } = await store.read();
    await store.saveSweep({ ...sweep, registryTip: version });
    await compact({ ...stage().world, registry: store }, { acting, past, reason: 'grown' });
    expect((await place.store().read()).caution).toEqual([]);
  });
});
