/** Timelines of fences: holders that die, freeze and wake, two that begin at once, and owners who speak meanwhile. */
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import { seen } from '../../src/domain/part.ts';
import type { PodRecord } from '../../src/domain/pod.ts';
import { actingOwner, actingReaper } from '../../src/flows/acting.ts';
import { takeFence } from '../../src/flows/ending/fence.ts';
import { finishJob } from '../../src/flows/ending/finish-job.ts';
import { heartbeat } from '../../src/flows/heartbeat.ts';
import { extendBy, keepFor } from '../../src/flows/move-deadline.ts';
import { reap } from '../../src/flows/reap.ts';
import { register } from '../../src/flows/register.ts';
import type { World } from '../../src/ports.ts';
import { anOwner, minutes, NOW } from '../domain/build.ts';
import {
  cycles,
  ended,
  ours,
  reapOptions,
  record,
  registerInput,
  type Stage,
  stage,
  verdicts,
} from './stage.ts';

const mine = anOwner({ uuid: 'u-p' });
const act = { acting: actingOwner(mine, null), owner: mine, podId: 'p' };
const second = { acting: actingReaper('reaper-2', null) };

/** A world in which something happens once, at the first call of one kind. */
function whenFirst(
  on: Stage,
  call: 'pull' | 'manifest' | 'keep' | 'terminate' | 'read-before-delete',
  happens: () => Promise<void> | void,
): World {
  let left = call === 'read-before-delete' ? -1 : 1;
  const once = async (what: typeof call): Promise<void> => {
    if (what !== call || left !== 1) return;
    left = 0;
    await happens();
  };
  const { mirror, keep, registry } = on.world;
  return {
    ...on.world,
    mirror: {
      ...mirror,
      pull: async (session, spec) => {
        await once('pull');
        return await mirror.pull(session, spec);
      },
      manifest: async (session, spec) => {
        await once('manifest');
        return await mirror.manifest(session, spec);
      },
    },
    keep: {
      keep: async (copy) => {
        await once('keep');
        if (call === 'read-before-delete') left = 1;
        return await keep.keep(copy);
      },
    },
    registry: {
      ...registry,
      read: async () => {
        const snapshot = await registry.read();
        await once('read-before-delete');
        return snapshot;
      },
    },
    provider: {
      ...on.provider,
      terminate: async (podId) => {
        await once('terminate');
        return await on.provider.terminate(podId);
      },
    },
  };
}

/** An idle pod whose end is due in the next cycle. */
async function dueIdle(on: Stage): Promise<void> {
  await ours(on, 'p');
  await cycles(on, 3);
  on.clock.jump(minutes(5));
}

const never = new Promise<never>(() => undefined);

describe('a reaper that dies after fencing', () => {
  it('keeps the others off until its fence lapses; then the next fences anew at a later rev, by its own verdict', async () => {
    const on = stage();
    await dueIdle(on);
    const idle = { reason: 'idle' as const, inferred: true, verdict: null };
    await takeFence(on.world, actingReaper('reaper-1', null), await record(on, 'p'), idle);
    const dead = (await record(on, 'p')).fence;
    on.clock.jump(minutes(10));
    expect(verdicts(await cycles(on, 1, 0, second))).toEqual({ p: 'fence-held' });
    expect(ended(on)).toEqual([]);
    const fences: PodRecord['fence'][] = [];
    const watched = whenFirst(on, 'pull', async () => {
      fences.push((await record(on, 'p')).fence);
    });
    for (let cycle = 0; cycle < 4; cycle += 1) {
      on.clock.jump(minutes(5));
      await reap(watched, reapOptions(second));
    }
    expect(fences).toMatchObject([{ holder: 'reaper:reaper-2', reason: 'idle' }]);
    expect(fences[0]?.rev).toBeGreaterThan(dead?.rev ?? 0);
    expect(ended(on)).toEqual(['p']);
    expect((await record(on, 'p')).end).toMatchObject({ reason: 'idle', verified: true });
  });

  it('leaves no verdict behind: the pod went back to work, and the lapsed fence is given back', async () => {
    const on = stage();
    await dueIdle(on);
    const idle = { reason: 'idle' as const, inferred: true, verdict: null };
    await takeFence(on.world, actingReaper('reaper-1', null), await record(on, 'p'), idle);
    const pod = on.pods.get('p');
    if (pod !== undefined) pod.util = '90';
    on.clock.jump(minutes(31));
    expect(verdicts(await cycles(on, 1, 0, second))).toEqual({ p: 'gpu-busy' });
    expect(await record(on, 'p')).toMatchObject({ status: 'active', fence: null });
    expect(ended(on)).toEqual([]);
  });

  it('between its DELETE and its settle leaves the rest to the next, whoever it is', async () => {
    const on = stage();
    await dueIdle(on);
    await ours(on, 'q', { switched: { util: '97' } });
    on.provider.linger('p', 1000);
    const cycle = await reap(on.world, reapOptions());
    expect(cycle.outcomes).toContainEqual(expect.objectContaining({ pod: 'p', kind: 'pending' }));
    on.provider.pods.delete('p');
    on.clock.jump(minutes(1));
    expect(verdicts(await cycles(on, 1, 0, second))).toMatchObject({ p: 'terminated' });
    expect((await record(on, 'p')).end).toMatchObject({
      how: 'terminated',
      reason: 'idle',
      inferred: true,
      verified: true,
    });
  });

  it('commits what its verdict rested on together with the fence, before anything is sent', async () => {
    const on = stage();
    await dueIdle(on);
    let before: unknown = null;
    const world = whenFirst(on, 'pull', async () => {
      before = (await record(on, 'p')).lastVerdict;
    });
    await reap(world, reapOptions());
    expect(before).toMatchObject({ kind: 'end', reason: 'idle', evidence: { strikes: 4, needed: 3 } });
  });
});

describe('a frozen runner', () => {
  it.each(['pull', 'manifest', 'keep', 'read-before-delete'] as const)(
    'and wakes 25 min later (during %s) asks again, and finds the pod at work',
    async (call) => {
      const on = stage();
      await dueIdle(on);
      const world = whenFirst(on, call, () => {
        on.clock.jump(minutes(25));
        const pod = on.pods.get('p');
        if (pod !== undefined) pod.util = '90';
      });
      const cycle = await reap(world, reapOptions());
      expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'verdict-changed' }]);
      expect(ended(on)).toEqual([]);
      expect((await record(on, 'p')).status).toBe('active');
    },
  );

  it.each(['pull', 'keep', 'read-before-delete'] as const)(
    'and wakes 25 min later (during %s) goes on where everything is as it was',
    async (call) => {
      const on = stage();
      await dueIdle(on);
      const world = whenFirst(on, call, () => on.clock.jump(minutes(25)));
      await reap(world, reapOptions());
      expect(ended(on)).toEqual(['p']);
    },
  );

  it('and wakes after its fence has lapsed ends nothing, though nobody took it over', async () => {
    const on = stage();
    await dueIdle(on);
    const world = whenFirst(on, 'read-before-delete', () => on.clock.jump(minutes(31)));
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'handed-over', reason: 'fence-lost' }]);
    expect(ended(on)).toEqual([]);
  });

  it('and wakes after another has taken over and given back touches nothing', async () => {
    const on = stage();
    await dueIdle(on);
    const world = whenFirst(on, 'pull', async () => {
      on.clock.jump(minutes(31));
      const pod = on.pods.get('p');
      if (pod !== undefined) pod.util = '90';
      await reap(on.world, reapOptions(second));
      if (pod !== undefined) pod.util = '0';
    });
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'handed-over' }]);
    expect(await record(on, 'p')).toMatchObject({ status: 'active', fence: null });
    expect(ended(on)).toEqual([]);
  });

  it('as a post step, and wakes when a later attempt has reclaimed the pod, leaves it alone', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    const world = whenFirst(on, 'pull', async () => {
      on.clock.jump(minutes(31));
      const heir = anOwner({ uuid: 'u-2', attempt: 2 });
      await register(on.world, registerInput('p', { killInGiven: false }, heir));
    });
    const finishing = {
      register: registerInput('p', {}, mine),
      entered: true,
      ending: 'teardown' as const,
      keepForMs: minutes(30),
      localPath: null,
      pullBudgetMs: minutes(3),
      waitMs: minutes(1),
      known: null,
    };
    expect(await finishJob(world, finishing)).toMatchObject({ kind: 'handed-over', reason: 'fence-lost' });
    expect(ended(on)).toEqual([]);
    expect(await record(on, 'p')).toMatchObject({ status: 'active', owner: { uuid: 'u-2' } });
  });
});

describe('a pull that takes long', () => {
  it('renews the fence although heartbeats move the record meanwhile', async () => {
    const on = stage();
    await dueIdle(on);
    const world = whenFirst(on, 'pull', async () => {
      for (let part = 0; part < 9; part += 1) {
        await on.clock.sleep(minutes(5));
        if (part < 8) await heartbeat(on.world, act).catch(() => undefined);
      }
    });
    await reap(world, reapOptions());
    expect(ended(on)).toEqual(['p']);
    expect(on.said.filter(({ line }) => line.includes('could not be renewed'))).toEqual([]);
  });

  it('and a copy that takes long to reach its lasting place is looked at once more, not given up', async () => {
    const on = stage();
    await dueIdle(on);
    const world = whenFirst(on, 'keep', () => on.clock.sleep(minutes(8)));
    await reap(world, reapOptions());
    expect(ended(on)).toEqual(['p']);
  });

  it('and artifacts that changed while their copy was brought away keep the pod up', async () => {
    const on = stage();
    await dueIdle(on);
    const world = whenFirst(on, 'keep', async () => {
      await on.clock.sleep(minutes(8));
      on.files.set('p', { 'out.txt': 'a later result' });
    });
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'not-saved' }]);
    expect(ended(on)).toEqual([]);
    on.clock.jump(minutes(5));
    await reap(on.world, reapOptions());
    expect(ended(on)).toEqual(['p']);
  });
});

describe('two at once (post and reaper, or two reapers)', () => {
  const finishing = (on: Stage) =>
    finishJob(on.world, {
      register: registerInput('p', {}, mine),
      entered: true,
      ending: 'teardown',
      keepForMs: minutes(30),
      localPath: null,
      pullBudgetMs: minutes(3),
      waitMs: minutes(3),
      known: null,
    });

  it('post and reaper end the pod once between them, and both say that it is ended', async () => {
    const on = stage();
    await dueIdle(on);
    const [post, cycle] = await Promise.all([finishing(on), reap(on.world, reapOptions())]);
    expect(ended(on)).toEqual(['p']);
    expect(post.kind).toBe('done');
    expect(cycle.outcomes.filter((one) => one.kind === 'failed')).toEqual([]);
    expect((await record(on, 'p')).status).toBe('terminated');
  });

  /** Another runner: the same host, and a store of its own that knows only what it has read itself. */
  const another = (on: Stage): World => {
    const { clock, host } = on;
    const registry = memoryRegistry({ clock, chance: nodeChance(), repository: null, host });
    return { ...on.world, registry };
  };
  /** Commits that took a fence, by who took it, oldest first. */
  const taken = (on: Stage): readonly string[] =>
    on.host.commits.flatMap(({ message }) => /^Podtrack-Op: fence .*renewed=false.*$/gm.exec(message) ?? []);

  it('two reapers at once: one fences and ends, the other is told that its verdict is of an older rev', async () => {
    const on = stage();
    await dueIdle(on);
    const [one, two] = await Promise.all([
      reap(on.world, reapOptions()),
      reap(another(on), reapOptions(second)),
    ]);
    expect(ended(on)).toEqual(['p']);
    expect([...one.outcomes, ...two.outcomes].map(({ kind, reason }) => `${kind} ${reason}`).sort()).toEqual([
      'done idle',
      'handed-over fence-rev-moved',
    ]);
    expect(taken(on)).toHaveLength(1);
    expect((await record(on, 'p')).status).toBe('terminated');
  });

  it("two reapers, the second in the middle of the first one's pull: it stands back, the first ends", async () => {
    const on = stage();
    await dueIdle(on);
    let other: unknown = null;
    const world = whenFirst(on, 'pull', async () => {
      other = verdicts(await reap(another(on), reapOptions(second)));
    });
    const cycle = await reap(world, reapOptions());
    expect(other).toEqual({ p: 'fence-held' });
    expect(cycle.outcomes).toMatchObject([{ kind: 'done', reason: 'idle' }]);
    expect([taken(on).length, ended(on)]).toEqual([1, ['p']]);
  });

  it('two reapers, the second with a plan from before the fence: no fence, no look, no DELETE of its own', async () => {
    const on = stage();
    await dueIdle(on);
    let fenced = (): void => undefined;
    const fence = new Promise<void>((goOn) => {
      fenced = goOn;
    });
    const late = another(on);
    const frozen: World = {
      ...late,
      registry: {
        ...late.registry,
        // Everything up to here is done; the runner wakes when the other one is pulling.
        submit: async (ops) => {
          await fence;
          return await late.registry.submit(ops);
        },
      },
    };
    let inBetween: unknown = null;
    const pulledBefore = on.pulled.length;
    const waking = reap(frozen, reapOptions(second));
    const world = whenFirst(on, 'pull', async () => {
      fenced();
      inBetween = {
        outcomes: (await waking).outcomes,
        pulled: on.pulled.length - pulledBefore,
        ended: ended(on),
      };
    });
    await reap(world, reapOptions());
    expect(inBetween).toMatchObject({
      outcomes: [{ kind: 'handed-over', reason: 'fence-rev-moved' }],
      pulled: 0,
      ended: [],
    });
    expect([taken(on).length, on.pulled.length - pulledBefore, ended(on)]).toEqual([1, 1, ['p']]);
  });

  it('three reapers that begin in the same second make one DELETE series (case C45)', async () => {
    const on = stage();
    await dueIdle(on);
    const all = ['a', 'b', 'c'].map((uuid) =>
      reap(on.world, reapOptions({ acting: actingReaper(uuid, null) })),
    );
    await Promise.all(all);
    expect(ended(on)).toEqual(['p']);
  });

  it('the sightings that another reaper saved meanwhile are not overwritten by older ones', async () => {
    const on = stage();
    await ours(on, 'p');
    await cycles(on, 2);
    on.clock.jump(minutes(5));
    const { mirror } = on.world;
    let other: unknown = null;
    const world = {
      ...on.world,
      mirror: {
        ...mirror,
        pull: async (...of: Parameters<typeof mirror.pull>) => {
          if (other === null) {
            on.clock.jump(minutes(5));
            other = await reap(on.world, reapOptions({ ...second, mirror: false }));
          }
          return await mirror.pull(...of);
        },
      },
    };
    const cycle = await reap(world, reapOptions());
    expect(other).toMatchObject({ swept: true });
    expect(cycle.swept).toBe(false);
    const { sweep } = await on.world.registry.read();
    expect(sweep.pods['runpod.p']?.idle).toMatchObject({ lastAt: NOW + minutes(15) });
  });
});

describe('an owner who extends, or speaks otherwise, while his pod is being ended', () => {
  it.each<[string, (on: Stage) => Promise<unknown>]>([
    ['extends', (on) => extendBy(on.world, { ...act, byMs: minutes(60) })],
    ['keeps', (on) => keepFor(on.world, { ...act, forMs: minutes(60), reason: 'look at it' })],
  ])('%s: it is released', async (_what, speaks) => {
    const on = stage();
    await ours(on, 'p', { register: { killAbsoluteMs: minutes(400) } });
    await cycles(on, 3);
    on.clock.jump(minutes(5));
    const world = whenFirst(on, 'pull', async () => {
      await speaks(on);
    });
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'moved-meanwhile' }]);
    expect(ended(on)).toEqual([]);
    expect((await record(on, 'p')).status).toBe('active');
  });

  it('extends past a defaulted absolute deadline that has passed: even that end is off', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    on.clock.jump(minutes(151));
    const world = whenFirst(on, 'pull', async () => {
      await extendBy(on.world, { ...act, byMs: minutes(60) });
    });
    const cycle = await reap(world, reapOptions());
    expect(verdicts(cycle)).toEqual({ p: 'absolute-deadline' });
    expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'moved-meanwhile' }]);
    expect(ended(on)).toEqual([]);
  });

  it('cannot speak against a given absolute deadline', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' }, register: { killAbsoluteMs: minutes(150) } });
    on.clock.jump(minutes(151));
    const world = whenFirst(on, 'pull', async () => {
      await keepFor(on.world, { ...act, forMs: minutes(60), reason: 'x' }).catch(() => undefined);
    });
    await reap(world, reapOptions());
    expect(ended(on)).toEqual(['p']);
  });

  it('whose run is over, and over again when asked, is not asked a third time: the orphan is ended', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW - minutes(2), conclusion: null }));
    await reap(on.world, reapOptions());
    expect(ended(on)).toEqual(['p']);
  });

  it('whose run was started again while his pod is pulled from keeps it', async () => {
    const on = stage();
    await ours(on, 'p', { switched: { util: '97' } });
    on.owners.set('u-p', seen({ state: 'completed', completedAt: NOW - minutes(2), conclusion: null }));
    const world = whenFirst(on, 'pull', () => void on.owners.set('u-p', seen({ state: 'in-progress' })));
    const cycle = await reap(world, reapOptions());
    expect(cycle.outcomes).toMatchObject([{ kind: 'released', reason: 'verdict-changed' }]);
    expect(ended(on)).toEqual([]);
  });
});

describe('a DELETE', () => {
  it('is not sent when the registry can no longer be read', async () => {
    const on = stage();
    await dueIdle(on);
    let broken = false;
    const { registry } = on.world;
    const world: World = {
      ...whenFirst(on, 'keep', () => {
        broken = true;
      }),
      registry: {
        ...registry,
        submit: async (ops) => (broken ? await never : await registry.submit(ops)),
      },
    };
    const cycle = await Promise.race([reap(world, reapOptions()), on.clock.sleep(minutes(60))]);
    expect(cycle).toBeUndefined();
    expect(ended(on)).toEqual([]);
  });
});
