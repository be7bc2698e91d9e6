/** What a fence is worth, rule by rule: each is attacked where no other rule would catch it. */
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import type { Verdict } from '../../src/domain/policy/reasons.ts';
import { actingOwner, actingReaper } from '../../src/flows/acting.ts';
import {
  type Fenced,
  releaseFence,
  renewFence,
  takeFence,
  whileFenced,
} from '../../src/flows/ending/fence.ts';
import { stillStands } from '../../src/flows/ending/still-stands.ts';
import { heartbeat } from '../../src/flows/heartbeat.ts';
import { extendBy, keepFor } from '../../src/flows/move-deadline.ts';
import type { TeardownInput } from '../../src/flows/teardown.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes } from '../domain/build.ts';
import { cycles, ended, ours, record, type Stage, stage, verbs, verdicts } from './stage.ts';

const one = actingReaper('reaper-1', null);
const two = actingReaper('reaper-2', null);
const mine = anOwner({ uuid: 'u-p' });
const act = { acting: actingOwner(mine, null), owner: mine, podId: 'p' };
const why = { reason: 'idle' as const, inferred: true, verdict: null };
const HALF_HOUR = minutes(30);

/** The same world as another process sees it: a store of its own, with its own memory of the branch. */
function elsewhere(on: Stage): World {
  const { clock, host } = on;
  return { ...on.world, registry: memoryRegistry({ clock, chance: nodeChance(), repository: null, host }) };
}

function held(fenced: Fenced): PodRecord {
  if (fenced.kind === 'refused') throw new Error(`${fenced.because}: ${fenced.detail}`);
  return fenced.record;
}

async function fencedByOne(): Promise<{ on: Stage; before: PodRecord; mine: PodRecord }> {
  const on = stage();
  const before = await ours(on, 'p');
  return { on, before, mine: held(await takeFence(on.world, one, before, why)) };
}

/** A commit of somebody who edits the branch; null = the file is removed. */
function byHand(on: Stage, edit: (text: string) => string | null): void {
  const edited = [...(on.host.commits.at(-1)?.files ?? [])].flatMap(([path, text]): [string, string][] => {
    const next = edit(text);
    return next === null ? [] : [[path, next]];
  });
  const commit = { id: 'f'.repeat(40), at: on.clock.now(), message: 'by hand', files: new Map(edited) };
  on.host.commits = [...on.host.commits, commit];
}

describe('a fence is taken', () => {
  it('by one of two processes that decided at the same rev, and the other is told that the record moved', async () => {
    const on = stage();
    const seenByBoth = await ours(on, 'p');
    const [first, late] = [on.world, elsewhere(on)];
    await Promise.all([first.registry.read(), late.registry.read()]);
    const [won, lost] = await Promise.all([
      takeFence(first, one, seenByBoth, why),
      takeFence(late, two, seenByBoth, why),
    ]);
    expect(won).toMatchObject({ kind: 'held', fence: { holder: 'reaper:reaper-1', rev: seenByBoth.rev } });
    expect(lost).toMatchObject({ kind: 'refused', because: 'rev-moved' });
    expect((await record(on, 'p')).fence).toMatchObject({ holder: 'reaper:reaper-1', rev: seenByBoth.rev });
    expect((await verbs(on, 'p')).filter((verb) => verb === 'fence')).toHaveLength(1);
  });

  it('by one of two that share a process and one commit', async () => {
    const on = stage();
    const seenByBoth = await ours(on, 'p');
    const both = await Promise.all([one, two].map((who) => takeFence(on.world, who, seenByBoth, why)));
    expect(both).toMatchObject([{ kind: 'held' }, { kind: 'refused', because: 'rev-moved' }]);
  });

  it('at the rev of its verdict alone: a heartbeat or a release since then asks for a new one', async () => {
    const { on, before, mine: fenced } = await fencedByOne();
    expect(await releaseFence(on.world, one, fenced, 'busy again')).toBeNull();
    expect(await takeFence(elsewhere(on), two, before, why)).toMatchObject({ because: 'rev-moved' });
    expect(await record(on, 'p')).toMatchObject({ status: 'active', fence: null });
    const fresh = await record(on, 'p');
    await heartbeat(on.world, act);
    expect(await takeFence(elsewhere(on), two, fresh, why)).toMatchObject({ because: 'rev-moved' });
    expect((await record(on, 'p')).status).toBe('active');
  });

  it('by nobody else for half an hour to the millisecond, however fresh his look is; then by anybody', async () => {
    const { on, mine: fenced } = await fencedByOne();
    expect(fenced.fence).toMatchObject({ at: on.clock.now(), until: on.clock.now() + HALF_HOUR });
    on.clock.jump(HALF_HOUR - 1);
    const late = elsewhere(on);
    expect(await takeFence(late, two, await record(on, 'p'), why)).toMatchObject({ because: 'fence-held' });
    expect(await takeFence(late, act.acting, await record(on, 'p'), why)).toMatchObject({
      because: 'fence-held',
    });
    on.clock.jump(1);
    expect(await takeFence(late, two, await record(on, 'p'), why)).toMatchObject({
      kind: 'held',
      fence: { holder: 'reaper:reaper-2', rev: fenced.rev },
    });
  });

  it.each(['fenced', 'deleted'])(
    'by anybody where a hand has written one until the year 9999 (%s): it is no lock that stays',
    async (step) => {
      const { on } = await fencedByOne();
      byHand(on, (text) =>
        text
          .replace(/"until": "[^"]*"/, '"until": "9999-12-31T23:59:59Z"')
          .replace('"step": "fenced"', `"step": "${step}"`),
      );
      expect((await record(on, 'p')).fence).toMatchObject({
        step,
        until: Date.UTC(9999, 11, 31, 23, 59, 59),
      });
      expect(await takeFence(elsewhere(on), two, await record(on, 'p'), why)).toMatchObject({ kind: 'held' });
      byHand(on, (text) => text.replace(/"until": "[^"]*"/, '"until": "9999-12-31T23:59:59Z"'));
      on.clock.jump(minutes(400));
      expect(verdicts(await cycles(on, 1, 0, { acting: one }))).toEqual({ p: 'absolute-deadline' });
      expect(ended(on)).toEqual(['p']);
    },
  );

  it('and binds others for as long as a clock may be ahead, not longer', async () => {
    const { on } = await fencedByOne();
    on.clock.jump(-minutes(5));
    expect(await takeFence(elsewhere(on), two, await record(on, 'p'), why)).toMatchObject({
      because: 'fence-held',
    });
    on.clock.jump(-1);
    expect(await takeFence(elsewhere(on), two, await record(on, 'p'), why)).toMatchObject({ kind: 'held' });
  });

  it('by nobody who owns nothing: neither a stranger nor an owner of before', async () => {
    const on = stage();
    const before = await ours(on, 'p');
    const stranger = actingOwner(anOwner({ uuid: 'u-x' }), null);
    expect(await takeFence(on.world, stranger, before, why)).toMatchObject({ because: 'other-owner' });
  });

  it('not by an answer that came late: it was written, lapsed, and is another one’s by now', async () => {
    const on = stage();
    const before = await ours(on, 'p');
    const { registry } = on.world;
    const lossy: World = {
      ...on.world,
      registry: {
        ...registry,
        submit: async (ops) => {
          await registry.submit(ops);
          on.clock.jump(minutes(31));
          held(await takeFence(elsewhere(on), two, await record(on, 'p'), why));
          return await registry.submit(ops);
        },
      },
    };
    expect(await takeFence(lossy, one, before, why)).toMatchObject({ because: 'not-my-fence' });
    expect((await record(on, 'p')).fence?.holder).toBe('reaper:reaper-2');
  });
});

describe('a fence is renewed', () => {
  const step = { step: 'pulled' as const };

  it('by its holder, and not by another who knows of it', async () => {
    const { on, mine: fenced } = await fencedByOne();
    on.clock.jump(minutes(20));
    expect(await renewFence(elsewhere(on), two, fenced, step)).toMatchObject({ because: 'not-my-fence' });
    expect((await record(on, 'p')).fence?.until).toBe(fenced.fence?.until);
    const renewed = held(await renewFence(on.world, one, fenced, step));
    expect(renewed.fence).toMatchObject({ step: 'pulled', until: on.clock.now() + HALF_HOUR });
    expect(renewed.fence?.rev).toBe(fenced.fence?.rev);
  });

  it('not once it has lapsed, though nobody took it over', async () => {
    const { on, mine: fenced } = await fencedByOne();
    on.clock.jump(HALF_HOUR);
    expect(await renewFence(on.world, one, fenced, step)).toMatchObject({ because: 'lapsed' });
    expect((await record(on, 'p')).rev).toBe(fenced.rev);
  });

  it('not in place of a later one of the same holder: that rests on another verdict', async () => {
    const { on, mine: old } = await fencedByOne();
    on.clock.jump(HALF_HOUR);
    const anew = held(await takeFence(elsewhere(on), one, await record(on, 'p'), why));
    on.clock.jump(-minutes(5));
    expect(await renewFence(on.world, one, old, step)).toMatchObject({ kind: 'refused' });
    expect(await releaseFence(on.world, one, old, 'busy')).toMatch(/of rev \d+ is not yours/);
    expect((await record(on, 'p')).fence).toEqual(anew.fence);
  });

  it('while work goes on, until another has taken over: then it is only told, and his stands', async () => {
    const { on, mine: fenced } = await fencedByOne();
    let his: PodRecord | null = null;
    await whileFenced(on.world, one, fenced, async () => {
      on.clock.jump(HALF_HOUR);
      his = held(await takeFence(elsewhere(on), two, await record(on, 'p'), why));
      await on.clock.sleep(minutes(11));
    });
    expect((await record(on, 'p')).fence).toEqual(his === null ? null : (his as PodRecord).fence);
    expect(on.said.map(({ line }) => line)).toContain(
      'p: the fence could not be renewed: it is ours no longer',
    );
  });
});

describe('right before DELETE the record is read once more, and the order falls', () => {
  const END: Verdict = { kind: 'end', reason: 'idle', evidence: {} };
  type Meanwhile = (on: Stage, fenced: PodRecord) => Promise<unknown>;

  function inputOf(before: PodRecord, asks: string[] = []): TeardownInput {
    return {
      acting: one,
      record: before,
      reason: 'idle',
      verdict: null,
      session: null,
      noSession: '',
      choice: null,
      askAgain: async () => {
        asks.push('asked');
        return END;
      },
      localPath: null,
      pullBudgetMs: minutes(5),
      skipPull: false,
    };
  }

  const none = { kind: 'none-wanted' as const };

  async function lastLook(meanwhile: Meanwhile): Promise<unknown> {
    const { on, before, mine: fenced } = await fencedByOne();
    await meanwhile(on, fenced);
    const asked = { at: on.clock.now(), verdict: END };
    return await stillStands(on.world, inputOf(before), fenced, { saved: none, asked });
  }

  it('not where nothing has happened, or only a heartbeat', async () => {
    expect(await lastLook(async () => undefined)).toBeNull();
    expect(await lastLook((on) => heartbeat(on.world, act))).toBeNull();
  });

  it.each<[string, string, Meanwhile]>([
    [
      'was given back by us in another thread',
      'fence-lost',
      (on, fenced) => releaseFence(on.world, one, fenced, 'x'),
    ],
    [
      'is another holder’s',
      'fence-lost',
      async (on) => {
        on.clock.jump(HALF_HOUR);
        held(await takeFence(elsewhere(on), two, await record(on, 'p'), why));
      },
    ],
    [
      'is another holder’s, at the very same rev',
      'fence-lost',
      async (on) => byHand(on, (text) => text.replaceAll('reaper:reaper-1', 'reaper:reaper-2')),
    ],
    [
      'is ours by a later verdict',
      'fence-lost',
      async (on) => {
        on.clock.jump(HALF_HOUR);
        held(await takeFence(elsewhere(on), one, await record(on, 'p'), why));
      },
    ],
    ['has lapsed this very millisecond', 'fence-lost', async (on) => on.clock.jump(HALF_HOUR)],
    ['was extended against', 'moved-meanwhile', (on) => extendBy(on.world, { ...act, byMs: minutes(5) })],
    [
      'was spoken against by a keep',
      'moved-meanwhile',
      (on) => keepFor(on.world, { ...act, forMs: minutes(5), reason: 'x' }),
    ],
    [
      'is of a pod whose owner is another by now',
      'moved-meanwhile',
      async (on) => byHand(on, (text) => text.replaceAll('"u-p"', '"u-2"')),
    ],
    [
      'has no record any more',
      'fence-lost',
      async (on) => byHand(on, (text) => (text.includes('"id": "p"') ? null : text)),
    ],
  ])('where the fence %s', async (_what, reason, meanwhile) => {
    expect(await lastLook(meanwhile)).toMatchObject({ reason });
  });

  it.each([
    ['the record was read more than 10 s before', [10_001], 0, 1],
    ['the policy was asked more than 60 s before', [0], 60_001, 1],
    ['neither', [10_000], 50_000, 0],
  ])('and looked at again where %s', async (_what, readsTake, askedAgo, asksAgain) => {
    const { on, before, mine: fenced } = await fencedByOne();
    const [reads, asks]: [number[], string[]] = [[...readsTake], []];
    const slow: World = {
      ...on.world,
      registry: {
        ...on.world.registry,
        read: async () => {
          const snapshot = await on.world.registry.read();
          on.clock.jump(reads.shift() ?? 0);
          return snapshot;
        },
      },
    };
    const asked = { at: on.clock.now() - askedAgo, verdict: END };
    expect(await stillStands(slow, inputOf(before, asks), fenced, { saved: none, asked })).toBeNull();
    expect(asks).toHaveLength(asksAgain);
  });

  it('and where every look is too old when it is over, nothing is ended', async () => {
    const { on, before, mine: fenced } = await fencedByOne();
    const { registry } = on.world;
    const slow: World = {
      ...on.world,
      registry: {
        ...registry,
        read: async () => {
          const snapshot = await registry.read();
          on.clock.jump(10_001);
          return snapshot;
        },
      },
    };
    const asked = { at: on.clock.now(), verdict: END };
    const said = await stillStands(slow, inputOf(before), fenced, { saved: none, asked });
    expect(said).toMatchObject({ reason: 'look-too-old' });
  });
});
