/** Case C45 (c): reapers that a newer run cancels, while they wait and in the middle, leave nothing for a hand to repair. */
import { expect, it } from 'vitest';
import { memoryRegistry } from '../../src/adapters/memory-registry.ts';
import { nodeChance } from '../../src/adapters/node-chance.ts';
import type { RegistryOp } from '../../src/domain/registry/ops.ts';
import { reportCycle } from '../../src/domain/report.ts';
import { actingReaper } from '../../src/flows/acting.ts';
import { type Cycle, reap } from '../../src/flows/reap.ts';
import type { World } from '../../src/ports.ts';
import { minutes, NOW } from '../domain/build.ts';
import { cycles, ended, ours, put, reapOptions, record, type Stage, stage } from './stage.ts';

type Point = 'read' | 'list' | 'fence' | 'pull' | 'keep' | 'confirm' | 'save-sweep';

/** A runner of its own whose process ends at the first call of one kind: nothing of it goes on from there. */
function cancelledAt(on: Stage, point: Point, died: () => void): World {
  const { clock, host, world } = on;
  const registry = memoryRegistry({ clock, chance: nodeChance(), repository: null, host });
  let alive = true;
  const guarded = <A extends unknown[], R>(
    at: (...of: NoInfer<A>) => boolean,
    call: (...of: A) => Promise<R>,
  ) => {
    return async (...of: A): Promise<R> => {
      if (alive && at(...of)) {
        alive = false;
        died();
      }
      return alive ? await call(...of) : await new Promise<never>(() => undefined);
    };
  };
  const here = (at: Point) => (): boolean => at === point;
  const never = (): boolean => false;
  const { provider, mirror, keep } = world;
  return {
    ...world,
    clock: {
      now: () => clock.now(),
      sleep: guarded(never, (durationMs: number, signal?: AbortSignal) => clock.sleep(durationMs, signal)),
    },
    registry: {
      ...registry,
      read: guarded(here('read'), () => registry.read()),
      submit: guarded(
        (ops) => ops.some(({ op }) => op === point),
        (ops: readonly RegistryOp[]) => registry.submit(ops),
      ),
      saveSweep: guarded(here('save-sweep'), (...of: Parameters<typeof registry.saveSweep>) =>
        registry.saveSweep(...of),
      ),
    },
    provider: {
      ...provider,
      list: guarded(here('list'), () => provider.list()),
      terminate: guarded(never, (podId: string) => provider.terminate(podId)),
    },
    mirror: {
      ...mirror,
      pull: guarded(here('pull'), (...of: Parameters<typeof mirror.pull>) => mirror.pull(...of)),
    },
    keep: { keep: guarded(here('keep'), (...of: Parameters<typeof keep.keep>) => keep.keep(...of)) },
  };
}

/** Runs a cycle until it is over or its process is dead: later ones find the fence held, and have nothing to do. */
async function cancelled(on: Stage, point: Point, uuid: string): Promise<'over' | 'dead'> {
  return await new Promise((ends, fails) => {
    const world = cancelledAt(on, point, () => ends('dead'));
    reap(world, reapOptions({ acting: actingReaper(uuid, null) })).then(() => ends('over'), fails);
  });
}

const alarms = (cycle: Cycle): readonly string[] => reportCycle(cycle).alarms.map(({ code }) => code);

async function dueIdle(): Promise<Stage> {
  const on = stage();
  await ours(on, 'p');
  // An empty list would prove no absence.
  put(on, 'foreign');
  await cycles(on, 3);
  on.clock.jump(minutes(5));
  return on;
}

it('C45 (c): five runs in a row that were cancelled while they waited show as a gap, and the sixth goes on', async () => {
  const on = await dueIdle();
  // Five that never began: all that there is of them is the time that passed.
  on.clock.jump(minutes(5 * 30));
  const cycle = await reap(on.world, reapOptions({ acting: actingReaper('sixth', null) }));
  expect(alarms(cycle)).toContain('sweep-late');
  expect((await on.world.registry.read()).sweep.lastFullSweepAt).toBe(on.clock.now());
});

it.each<[Point, number]>([
  ['read', 0],
  ['list', 0],
  ['fence', 0],
  ['pull', 0],
  ['keep', 0],
  ['confirm', 1],
  ['save-sweep', 1],
])(
  'C45 (c): five runs in a row, each cancelled in the middle (at its %s): one DELETE series, no hand needed',
  async (point, sent) => {
    const on = await dueIdle();
    const ends: string[] = [];
    for (let run = 0; run < 5; run += 1) {
      ends.push(await cancelled(on, point, `cancelled-${run}`));
      expect(ended(on)).toHaveLength(Math.min(sent, 1));
      on.clock.jump(minutes(2));
    }
    expect(ends[0]).toBe('dead');
    const next = { acting: actingReaper('sixth', null) };
    const last = await cycles(on, 12, minutes(5), next);
    expect(ended(on)).toEqual(['p']);
    expect(await record(on, 'p')).toMatchObject({
      fence: null,
      end: { how: point === 'confirm' ? 'lost' : 'terminated' },
    });
    expect(on.host.queue).toEqual([]);
    expect(last.swept).toBe(true);
    const { caution, sweep } = await on.world.registry.read();
    expect([caution, sweep.sweeping]).toEqual([[], null]);
    expect(sweep.lastFullSweepAt).toBeGreaterThan(NOW);
  },
);

it('C45 (c): and without any concurrency group: the newer run begins while the older one still goes on', async () => {
  const on = await dueIdle();
  const runs = Array.from({ length: 6 }, (_, run) => {
    const { clock, host } = on;
    const registry = memoryRegistry({ clock, chance: nodeChance(), repository: null, host });
    return reap({ ...on.world, registry }, reapOptions({ acting: actingReaper(`run-${run}`, null) }));
  });
  const all = await Promise.all(runs);
  expect(ended(on)).toEqual(['p']);
  expect(all.flatMap(({ outcomes }) => outcomes).filter(({ kind }) => kind === 'failed')).toEqual([]);
});
