/** A token whose quota runs out: writers leave the rest to the reaper, who neither waits nor jitters. */
import { afterEach, describe, expect, it } from 'vitest';
import { backoffMs, triesOf } from '../../../src/domain/registry/backoff.ts';
import { fence, register, settle } from '../../domain/registry/record-maker.ts';
import { COMMIT, failureOf, type GithubPlace, githubPlace, swiftClock } from './github-place.ts';

let place: GithubPlace | null = null;
afterEach(async () => {
  await place?.close();
  place = null;
});

/** `left` requests of each kind are left, until `resetInMs` from now on the server's own clock. */
async function short(left: number, resetInMs: number) {
  const made = await githubPlace();
  place = made;
  await made.store().submit([register('hot')]);
  const { graphql, rest } = made.server.switches;
  for (const bucket of [graphql, rest]) {
    bucket.resetAt = Date.now() + resetInMs;
    bucket.used = bucket.limit - left;
  }
  return made;
}

describe('a writer whose token has fewer than 200 requests left', () => {
  it('waits for the reset, says so, and writes then', async () => {
    const on = await short(150, 60_000);
    const clock = swiftClock();
    const told: string[] = [];
    const store = on.open({ clock, notice: (line) => told.push(line) });
    await store.read();
    expect((await store.submit([settle('hot', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
    expect(clock.slept[0]).toBeGreaterThan(50_000);
    expect(clock.slept[0]).toBeLessThan(72_000);
    expect(told[0]).toMatch(/^waiting \d\d s for \S+: 1\d\d requests are left, which are the reaper's$/);
  });

  it('does not wait longer than its patience, and does not spend the rest on the queue', async () => {
    const on = await short(150, 1_800_000);
    const store = on.open({ clock: swiftClock() });
    await store.read();
    const before = on.server.seen.length;
    const error = await failureOf(store.submit([settle('hot', { note: 'x' })]));
    expect(error).toMatchObject({ failure: 'rate-limited', retryable: true });
    const labels = new Set(on.server.seen.slice(before).map(({ label }) => label));
    expect([...labels].sort()).toEqual(['GET rate_limit', 'graphql query']);
  });

  it('queues where only the other quota is low', async () => {
    const on = await short(150, 1_800_000);
    on.server.switches.rest.used = 0;
    const store = on.open({ clock: swiftClock() });
    await store.read();
    expect((await store.submit([settle('hot', { note: 'x' })])).results).toMatchObject([{ kind: 'queued' }]);
  });

  it('is not the reaper, who writes at once', async () => {
    const on = await short(150, 1_800_000);
    const clock = swiftClock();
    const store = on.open({ clock, hurry: true });
    await store.read();
    expect((await store.submit([settle('hot', { note: 'x' })])).results).toMatchObject([{ kind: 'applied' }]);
    expect(clock.slept).toEqual([]);
  });
});

describe('a limit that names its end', () => {
  it('is waited for as long as Retry-After says, by everybody', async () => {
    const on = await short(5000, 60_000);
    const message = 'You have exceeded a secondary rate limit.';
    for (const hurry of [false, true]) {
      const what = { status: 403, body: { message }, headers: { 'retry-after': '17' } };
      on.server.switches.faults.push({ when: COMMIT, what, times: 1 });
      const clock = swiftClock();
      await on.open({ clock, hurry }).submit([settle('hot', { note: `h${hurry}` })]);
      expect(clock.slept[0]).toBeGreaterThanOrEqual(17_000);
    }
  });
});

describe('a try after a lost race', () => {
  it('comes within a second in all for who is in a hurry, and is spread over twenty for everybody else', () => {
    const worst = (hurry: boolean): number =>
      Array.from({ length: triesOf(hurry, []) - 1 }, (_, index) => backoffMs(index + 1, 0.999, hurry)).reduce(
        (sum, each) => sum + each,
        0,
      );
    expect(worst(true)).toBeLessThanOrEqual(1000);
    expect(worst(false)).toBeGreaterThan(10_000);
  });

  const STALE = {
    status: 200,
    body: {
      data: { createCommitOnBranch: null },
      errors: [{ type: 'STALE_DATA', message: 'Expected branch to point to "a" but it did not.' }],
    },
  };

  it('the reaper, who loses each race, has his word queued after six quick tries, and the next writer commits it', async () => {
    const on = await short(5000, 60_000);
    const clock = swiftClock();
    const reaper = on.open({ clock, hurry: true });
    await reaper.read();
    on.server.switches.faults.push({ when: COMMIT, what: STALE, times: 6 });
    const note = settle('hot', { note: 'of the reaper' });
    expect((await reaper.submit([note])).results).toMatchObject([{ kind: 'queued' }]);
    expect(clock.slept).toHaveLength(5);
    expect(clock.slept.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1000);
    await on.store().submit([settle('hot', { note: 'of a writer' })]);
    expect(await on.store().read()).toMatchObject({ queued: 0 });
    expect((await reaper.submit([note])).results).toEqual([{ kind: 'duplicate' }]);
  });

  it('his fence, which may not wait, gets twenty tries within a second of waiting', async () => {
    const on = await short(5000, 60_000);
    const clock = swiftClock();
    const reaper = on.open({ clock, hurry: true });
    await reaper.read();
    on.server.switches.faults.push({ when: COMMIT, what: STALE, times: 19 });
    expect((await reaper.submit([fence({ pod: 'hot', rev: 1 })])).results).toMatchObject([
      { kind: 'applied' },
    ]);
    expect(clock.slept).toHaveLength(19);
    expect(clock.slept.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1000);
  });
});
