/** What is special about registries on this machine: made when missing, scratch folders that break, hooks that refuse. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitRegistry } from '../../../src/adapters/git-registry.ts';
import { nodeChance } from '../../../src/adapters/node-chance.ts';
import { podIn, register, settle } from '../../domain/registry/record-maker.ts';
import { type GitPlace, inBare, pathPlace, tickingClock } from './place-under-test.ts';

describe('a registry of this machine', () => {
  let place: GitPlace;
  beforeEach(async () => {
    place = await pathPlace();
  });
  afterEach(() => place.close());
  const scratch = (): string => join(place.folder, '..', 'scratch');

  it('works in a bare repository of its own and leaves no other ref and no file behind in the remote', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    expect(inBare(place.folder, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/podtrack\n');
    expect(readdirSync(scratch())).toHaveLength(1);
  });

  it('goes on with a new scratch repository where the old one is broken', async () => {
    const store = place.store();
    await store.submit([register('abc')]);
    const [first = ''] = readdirSync(scratch());
    mkdirSync(join(scratch(), first, 'refs', 'podtrack'), { recursive: true });
    writeFileSync(join(scratch(), first, 'refs', 'podtrack', 'next.lock'), '');
    expect((await store.submit([settle('abc', { note: 'seen' })])).results).toMatchObject([
      { kind: 'applied' },
    ]);
    rmSync(scratch(), { recursive: true });
    expect((await store.submit([settle('abc', { note: 'again' })])).results).toMatchObject([
      { kind: 'applied' },
    ]);
    expect(podIn((await store.read()).state).notes).toEqual(['seen', 'again']);
  });

  it('sweeps away scratch folders that a killed process left, not those that others use', async () => {
    const [old, young] = ['podtrack-registry-old', 'podtrack-registry-young'].map((name) =>
      join(scratch(), name),
    );
    if (old === undefined || young === undefined) throw new Error('unreachable');
    for (const folder of [old, young]) mkdirSync(folder, { recursive: true });
    utimesSync(old, new Date(0), new Date(0));
    await place.store().read();
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });

  it('a hook that refuses is told with its words and tried once', async () => {
    mkdirSync(join(place.folder, 'hooks'));
    const hook = join(place.folder, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho x >> "$GIT_DIR/asked"\necho "no pushes on Fridays" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    await expect(place.store().submit([register('abc')])).rejects.toMatchObject({
      failure: 'write-refused',
      retryable: false,
    });
    expect(inBare(place.folder, ['hash-object', 'asked'])).toBe(
      inBare(place.folder, ['hash-object', '--stdin'], 'x\n'),
    );
    await expect(place.store().probeWrite()).rejects.toMatchObject({ failure: 'write-refused' });
  });

  it('a push that lands late, after its git was killed, is not made twice', async () => {
    const store = place.open({ timeoutMs: 3000 });
    await store.submit([register('abc')]);
    mkdirSync(join(place.folder, 'hooks'));
    const hook = join(place.folder, 'hooks', 'pre-receive');
    writeFileSync(
      hook,
      '#!/bin/sh\n[ -e "$GIT_DIR/asked" ] && exit 0\n: > "$GIT_DIR/asked"\nsleep 4\n: > "$GIT_DIR/slept"\n',
    );
    chmodSync(hook, 0o755);
    const { results } = await store.submit([settle('abc', { note: 'seen' })]);
    expect(results).toMatchObject([{ kind: 'applied' }]);
    await expect.poll(() => existsSync(join(place.folder, 'slept')), { timeout: 20_000 }).toBe(true);
    const told = (await place.store().history({ limit: 9 })).filter(({ headline }) =>
      headline.startsWith('settle'),
    );
    expect(told).toHaveLength(1);
  });

  it('is unreadable where the folder is no repository, and the answer names what to do', async () => {
    rmSync(join(place.folder, 'HEAD'));
    await expect(place.store().read()).rejects.toMatchObject({ failure: 'registry-unreadable' });
    await expect(place.store().submit([register('abc')])).rejects.toThrow(/address/);
  });
});

describe('a registry that does not exist yet', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'podtrack-test-missing-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });
  const store = (createMissing: boolean) =>
    gitRegistry({
      remote: join(root, 'home', 'registry.git'),
      scratchFolder: join(root, 'scratch'),
      clock: tickingClock(),
      chance: nodeChance(),
      repository: null,
      createMissing,
    });

  it('is made whole by the first of several that come at once', async () => {
    const stores = Array.from({ length: 4 }, () => store(true));
    const read = await Promise.all(stores.map((each) => each.read()));
    expect(read.map(({ version }) => version)).toEqual([null, null, null, null]);
    await stores[0]?.submit([register('abc')]);
    expect(Object.keys((await store(true).read()).state.pods)).toEqual(['runpod.abc']);
    expect(readdirSync(join(root, 'home'))).toEqual(['registry.git']);
  });

  it('is not made where nobody asked for it', async () => {
    await expect(store(false).read()).rejects.toMatchObject({ failure: 'registry-unreadable' });
    expect(existsSync(join(root, 'home'))).toBe(false);
  });
});
