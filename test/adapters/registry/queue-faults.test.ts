/** Forges that do not take the queue as it is meant: refs refused or hidden, and several refs never moved at once. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseOpTrailer } from '../../../src/domain/registry/message.ts';
import type { RegistryStore } from '../../../src/ports.ts';
import { podIn, register, settle } from '../../domain/registry/record-maker.ts';
import { COMMIT, failureOf, githubPlace } from './github-place.ts';
import { type GitPlace, httpPlace, inBare, type Place } from './place-under-test.ts';

let place: Place | null = null;
afterEach(async () => {
  await place?.close();
  place = null;
});

async function git(): Promise<GitPlace & { server: { seen: { line: string }[] } }> {
  const made = await httpPlace();
  place = made;
  await made.store().submit([register('hot')]);
  return made;
}

async function github() {
  const made = await githubPlace();
  place = made;
  await made.store().submit([register('hot')]);
  return made;
}

/** Refuses every ref that the pattern names. */
function refuse(folder: string, pattern: string): void {
  const hook = join(folder, 'hooks', 'update');
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ncase "$1" in ${pattern}) echo "no such refs here" >&2; exit 1;; esac\n`);
  chmodSync(hook, 0o755);
}

const branches = (folder: string): string[] =>
  inBare(folder, ['for-each-ref', '--format=%(refname)'])
    .trim()
    .split('\n')
    .filter((ref) => /queue|intents/.test(ref));

async function queueAbc(on: Place, store: RegistryStore = on.store()) {
  on.jam(true);
  try {
    return await store.submit([register('abc')]);
  } finally {
    on.jam(false);
  }
}

async function foldsOnce(on: Place, folder: string): Promise<void> {
  const { state } = await on.store().submit([settle('abc', { note: 'after' })]);
  expect(podIn(state, 'abc').notes).toEqual(['after']);
  expect(branches(folder)).toEqual([]);
  const told = (await on.store().history({ limit: 100 })).flatMap(({ trailers }) =>
    trailers.filter(([name]) => name === 'Podtrack-Op').map(([, value]) => parseOpTrailer(value)),
  );
  expect(told.map((each) => `${each['op']} ${each['pod']}`)).toEqual([
    'register runpod.hot',
    'register runpod.abc',
    'settle runpod.abc',
  ]);
}

describe('a git server', () => {
  it('that takes no refs outside its branches gets the queue as branches', async () => {
    const on = await git();
    refuse(on.folder, 'refs/podtrack/*');
    expect((await queueAbc(on)).results).toMatchObject([{ kind: 'queued' }]);
    expect(branches(on.folder)).toEqual([
      expect.stringMatching(/^refs\/heads\/podtrack-intents\/\d{13}-[0-9a-f]{12}$/),
    ]);
    expect(podIn((await on.store().read()).state, 'abc').status).toBe('active');
    await foldsOnce(on, on.folder);
  });

  it('that takes neither is told: the failure names both, and nothing is called queued', async () => {
    const on = await git();
    refuse(on.folder, 'refs/podtrack/*|refs/heads/podtrack-intents/*');
    const error = await failureOf(queueAbc(on));
    expect(error).toMatchObject({ failure: 'conflict', retryable: true });
    expect(error.told.cameBack).toMatch(/lock.*nor could it be queued: .*hook/s);
    expect(branches(on.folder)).toEqual([]);
  });

  it('that moves no refs together gets the branch first, and what waited is dropped after it', async () => {
    const on = await git();
    inBare(on.folder, ['config', 'receive.advertiseAtomic', 'false']);
    await queueAbc(on);
    expect(branches(on.folder)).toHaveLength(1);
    await foldsOnce(on, on.folder);
  });

  it('with an empty queue is asked for nothing more by a write than before', async () => {
    const on = await git();
    const store = on.store();
    await store.read();
    const before = on.server.seen.length;
    await store.submit([settle('hot', { note: 'x' })]);
    const lines = on.server.seen.slice(before).map(({ line }) => line);
    expect(lines.every((line) => line.includes('git-receive-pack'))).toBe(true);
  });
});

describe('GitHub', () => {
  it('whose ruleset guards refs outside the branches gets the queue as branches', async () => {
    const on = await github();
    on.server.switches.guarded = { refs: /^refs\/podtrack\//, how: 'rules' };
    expect((await queueAbc(on)).results).toMatchObject([{ kind: 'queued' }]);
    expect(branches(on.server.folder)).toEqual([expect.stringContaining('refs/heads/podtrack-intents/')]);
    await foldsOnce(on, on.server.folder);
  });

  it('that takes such refs and lists them nowhere gets branches: only what readers see is queued', async () => {
    const on = await github();
    on.server.switches.listsOwnRefs = false;
    expect((await queueAbc(on)).results).toMatchObject([{ kind: 'queued' }]);
    expect(branches(on.server.folder)).toContainEqual(
      expect.stringContaining('refs/heads/podtrack-intents/'),
    );
    expect(podIn((await on.store().read()).state, 'abc').status).toBe('active');
  });

  it('that moves the branch and such refs not together gets a commit, and what waited is dropped after it', async () => {
    const on = await github();
    await queueAbc(on);
    const body = { data: { updateRefs: null }, errors: [{ type: 'UNPROCESSABLE', message: 'no such refs' }] };
    on.server.switches.faults.push({ when: 'graphql updateRefs', what: { status: 200, body }, times: 1 });
    await foldsOnce(on, on.server.folder);
    expect(on.server.seen.map(({ label }) => label)).toContain('DELETE git/refs');
  });

  it('folds by one move of all refs: a lost answer doubles nothing', async () => {
    const on = await github();
    await queueAbc(on);
    on.server.switches.faults.push({ when: 'graphql updateRefs', what: 'drop', times: 1 });
    const commits = on.commits();
    await foldsOnce(on, on.server.folder);
    expect(on.commits()).toBe(commits + 1);
  });

  it('out of quota for everything fails as it is, and queues nothing', async () => {
    const on = await github();
    const store = on.store();
    await store.read();
    const refused = {
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '3600' },
    };
    for (const when of [COMMIT, 'POST git/trees'])
      on.server.switches.faults.push({ when, what: refused, times: 99 });
    const error = await failureOf(store.submit([register('abc')]));
    expect(error).toMatchObject({ failure: 'rate-limited' });
    expect(error.told.cameBack).toMatch(/nor could it be queued/);
  });
});
