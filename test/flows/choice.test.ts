/** Artifacts chosen by patterns, from register to the end: what was chosen is pulled and verified, and nothing else counts. */
import { describe, expect, it } from 'vitest';
import { parseChoice } from '../../src/domain/choice.ts';
import { SECOND_MS } from '../../src/domain/duration.ts';
import { ConfigError } from '../../src/domain/errors.ts';
import { seen } from '../../src/domain/part.ts';
import { explain } from '../../src/domain/report/explain.ts';
import { actingOwner } from '../../src/flows/acting.ts';
import { type TeardownOwnInput, teardownOwn } from '../../src/flows/ending/teardown-own.ts';
import { register } from '../../src/flows/register.ts';
import { sync } from '../../src/flows/sync.ts';
import { settleBase } from '../../src/flows/watch/settle.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { cycles, ended, ours, put, record, registerInput, type Stage, stage } from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });
const acting = actingOwner(mine, null);
const CKPT = { include: ['ckpt/**'], exclude: ['**/*.tmp'] };
const FILES = { 'ckpt/1.pt': 'w', 'ckpt/1.tmp': 'half', 'cache/a': 'x', 'cache/b': 'y' };

const ending = (of: Partial<TeardownOwnInput> = {}): TeardownOwnInput => ({
  acting,
  owner: mine,
  podId: 'p',
  forcedBecause: null,
  skipPull: false,
  choice: null,
  localPath: null,
  pullBudgetMs: minutes(5),
  waitMs: minutes(2),
  ...of,
});

const syncing = (on: Stage, choice: typeof CKPT | null) =>
  sync(on.world, {
    acting,
    owner: mine,
    podId: 'p',
    choice,
    localPath: null,
    budgetMs: minutes(5),
    onProgress: () => undefined,
  });

/** A busy pod with four files, of which one is chosen. */
async function chosenPod(
  choice: typeof CKPT | null = CKPT,
  files: Record<string, string> = FILES,
): Promise<Stage> {
  const on = stage();
  on.files.set('p', { ...files });
  await ours(on, 'p', { register: { choice }, switched: { util: '97' } });
  return on;
}

describe('register', () => {
  it('freezes the patterns in the record, as its owner wrote them', async () => {
    const on = stage();
    put(on, 'p');
    const choice = parseChoice({ include: ['# weights\nckpt/**\n'], exclude: ['**/*.tmp'] }, '');
    await ours(on, 'p', { register: { choice } });
    expect((await record(on, 'p')).artifacts).toMatchObject({
      remotePath: '/workspace/results',
      choice: CKPT,
    });
  });

  it('refuses patterns where artifacts were declined', async () => {
    const on = stage();
    put(on, 'p');
    const input = registerInput('p', { remotePath: null, noArtifacts: true, choice: CKPT });
    await expect(register(on.world, input)).rejects.toThrow(ConfigError);
  });

  it('a second register with other patterns does not move what counts as verified, and says so', async () => {
    const on = await chosenPod();
    const again = await register(on.world, registerInput('p', { choice: null }));
    expect(again.how).toBe('already-mine');
    expect(again.warnings.join()).toMatch(
      /keeps what was chosen first: only ckpt\/\*\*, without \*\*\/\*\.tmp/,
    );
    expect(again.record.artifacts.choice).toEqual(CKPT);
    on.owners.set('u-p', seen({ state: 'in-progress' }));
    expect((await register(on.world, registerInput('p', { choice: CKPT }))).warnings).toEqual([]);
  });
});

describe('the end of a pod with patterns', () => {
  it('verifies and keeps the chosen files, and says how many were left out', async () => {
    const on = await chosenPod();
    const outcome = await teardownOwn(on.world, ending());
    expect(outcome).toMatchObject({ kind: 'done', detail: { verified: true } });
    expect(outcome.says).toMatch(
      /1 artifact file\(s\) verified and kept .*; 3 file\(s\) left out by patterns/,
    );
    const { lastMirror } = await record(on, 'p');
    expect(lastMirror).toMatchObject({ files: 1, verified: true, moving: 0, leftOut: 3, choice: CKPT });
    // The second look spoke of the same files, so nothing had to be pulled again.
    expect(on.pulled).toEqual(['p']);
  });

  it('the reaper goes by the record: it mirrors the chosen files, says so, and ends the pod when they are safe', async () => {
    const on = stage();
    on.files.set('p', { ...FILES });
    await ours(on, 'p', { register: { choice: CKPT, killInMs: minutes(20) }, switched: { util: '97' } });
    const watched = await cycles(on, 1);
    expect(watched.outcomes.find(({ order }) => order === 'mirror')).toMatchObject({
      kind: 'done',
      says: 'mirrored 1 file(s); 3 file(s) left out by patterns',
      detail: { leftOut: 3 },
    });
    const { artifacts } = explain(await record(on, 'p'), null, on.clock.now());
    expect(artifacts).toMatch(
      /only ckpt\/\*\*, without .*: 1 file\(s\) mirrored .* ago, verified; 3 file\(s\) left out/,
    );
    on.clock.jump(minutes(30));
    await cycles(on, 1);
    expect(ended(on)).toEqual(['p']);
    expect((await record(on, 'p')).end).toMatchObject({ verified: true });
  });

  it('a file that is not chosen may come, change and go during the pull: it is nobody’s artifact', async () => {
    const on = await chosenPod();
    const world = {
      ...on.world,
      mirror: {
        ...on.world.mirror,
        manifest: async (...of: Parameters<typeof on.world.mirror.manifest>) => {
          on.files.set('p', { 'ckpt/1.pt': 'w', 'ckpt/2.tmp': String(on.clock.now()), 'cache/c': 'z' });
          return await on.world.mirror.manifest(...of);
        },
      },
    };
    expect(await teardownOwn(world, ending())).toMatchObject({ kind: 'done', detail: { verified: true } });
  });

  it('the last look after a slow upload speaks of the chosen files too', async () => {
    const on = await chosenPod();
    const world = {
      ...on.world,
      keep: {
        keep: async ({ place }: { readonly place: string }) => {
          on.clock.jump(SECOND_MS * 45);
          on.files.set('p', { 'ckpt/1.pt': 'w', 'cache/new': 'n' });
          return seen(place);
        },
      },
    };
    expect(await teardownOwn(world, ending())).toMatchObject({ kind: 'done', detail: { verified: true } });
  });

  it('patterns that match nothing are an empty manifest: the pod stays up, and the reason names the patterns', async () => {
    const on = await chosenPod({ include: ['chkpt/**'], exclude: [] });
    const outcome = await teardownOwn(on.world, ending());
    expect(outcome).toMatchObject({ kind: 'released', reason: 'not-saved' });
    expect(outcome.says).toMatch(/no file is chosen: the patterns left out all 4 \(allow-empty would accept/);
    expect(ended(on)).toEqual([]);
  });

  it('allow-empty accepts that', async () => {
    const on = stage();
    on.files.set('p', { ...FILES });
    const choice = { include: ['chkpt/**'], exclude: [] };
    await ours(on, 'p', { register: { choice, allowEmpty: true }, switched: { util: '97' } });
    expect(await teardownOwn(on.world, ending())).toMatchObject({ kind: 'done', detail: { verified: true } });
  });

  it('fewer chosen files than the last good mirror of the same choice still stop it', async () => {
    const on = await chosenPod(CKPT, { 'ckpt/1.pt': 'w', 'ckpt/2.pt': 'v', 'cache/a': 'x' });
    await cycles(on, 1);
    on.files.set('p', { 'ckpt/1.pt': 'w', 'cache/a': 'x', 'cache/b': 'y', 'cache/c': 'z' });
    const outcome = await teardownOwn(on.world, ending());
    expect(outcome).toMatchObject({ kind: 'released', reason: 'not-saved' });
    expect(outcome.says).toMatch(/it holds 1 files, the last good mirror had 2/);
  });
});

describe('another choice after the last good mirror', () => {
  it('an end with a narrower one is not wedged by the count of the wider, and says what was left out', async () => {
    const on = await chosenPod(null);
    await cycles(on, 1);
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 4, choice: null });
    const outcome = await teardownOwn(on.world, ending({ choice: CKPT }));
    expect(outcome).toMatchObject({ kind: 'done', detail: { verified: true } });
    expect(outcome.says).toMatch(/1 artifact file\(s\) verified .*3 file\(s\) left out/);
    expect((await record(on, 'p')).notes.join()).toMatch(/verified and kept: .*only ckpt\/\*\*/);
  });

  it('an end with a narrower one that was given up leaves the old measure: what is gone since is not overlooked', async () => {
    const on = await chosenPod(null);
    await cycles(on, 1);
    on.provider.fail('terminate', 'server-error', { times: 1 });
    expect((await teardownOwn(on.world, ending({ choice: CKPT }))).kind).toBe('failed');
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 4, choice: null });
    on.files.set('p', { 'ckpt/1.pt': 'w' });
    const again = await teardownOwn(on.world, ending());
    expect(again.says).toMatch(/it holds 1 files, the last good mirror had 4/);
  });

  it('a sync of another choice is pulled and recorded nowhere; one of the same choice is', async () => {
    const on = await chosenPod(null);
    await cycles(on, 1);
    const other = await syncing(on, CKPT);
    expect(other).toMatchObject({ unverified: null, recorded: false, pulled: { files: 1, leftOut: 3 } });
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 4, choice: null });
    on.files.set('p', { ...FILES, 'more.txt': 'm' });
    expect(await syncing(on, null)).toMatchObject({ recorded: true, pulled: { files: 5, leftOut: 0 } });
    expect((await record(on, 'p')).lastMirror).toMatchObject({ files: 5 });
  });

  it('a mirror by a podtrack that knew no patterns is no measure for the chosen files', async () => {
    const on = await chosenPod();
    const whole = { files: 4, bytes: 9, digest: 'all', verified: true, moving: 0, leftOut: 0, choice: null };
    const now = await record(on, 'p');
    await on.world.registry.submit([{ ...settleBase(on.world, acting, now), mirror: whole }]);
    expect(await teardownOwn(on.world, ending())).toMatchObject({ kind: 'done', detail: { verified: true } });
  });
});
